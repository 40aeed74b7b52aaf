import { expect, it } from 'vitest';
import { isSemVer } from './semver.ts';

it('accepts the versions of Semantic Versioning 2.0', () => {
  const versions = [
    '0.0.4',
    '1.2.3',
    '10.20.30',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-0A.is.legal',
    '1.0.0--.-',
    '1.2.3----RC-SNAPSHOT.12.9.1--.12+788',
    '1.1.2-prerelease+meta.007',
    '1.0.0+0.build.1-rc.10000aaa-kk-0.1',
    '99999999999999999999999.999999999999999999.99999999999999999',
  ];
  for (const version of versions) expect(isSemVer(version), version).toBe(true);
});

it('refuses everything else', () => {
  const others = [
    ...['', '1', '1.2', '1.2.3.4', 'v1.2.3', ' 1.2.3', '1.2.3\n', '01.2.3', '1.02.3', '1.2.03'],
    ...['1.2.3-', '1.2.3+', '1.2.3-a..b', '1.2.3-01', '1.2.3-0123.0123', '1.2.3+a+b', '1.2.3-é'],
    ...['-1.2.3', '1.2.-3', '1.2.3-a_b', '1..3', 'alpha', '1.0.0-alpha_beta', '+1.0.0'],
  ];
  for (const other of others) expect(isSemVer(other), other).toBe(false);
});

it('is never slow', () => {
  expect(isSemVer(`1.0.0-${'1.'.repeat(500_000)}`)).toBe(false);
  expect(isSemVer(`1.0.0-${'1'.repeat(1_000_000)}!`)).toBe(false);
});
