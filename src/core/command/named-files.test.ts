// The files that a command line runs: what trust in it binds to.

import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { filesNamedIn } from './named-files.ts';

function named(line: string, kind = 'run'): string[] {
  return (filesNamedIn(line) ?? [])
    .filter((file) => file.kind === kind)
    .map(({ path, folders }) => (folders[0] === '' ? path : `${folders[0]}/${path}`));
}

test.each<[string, string[]]>([
  ['./check.sh', ['./check.sh']],
  ['"./my check.sh" --all', ['./my check.sh']],
  ['A=1 B="x y" scripts/check.sh', ['scripts/check.sh']],
  ['bash -eo pipefail scripts/x.sh report.md', ['scripts/x.sh']],
  ['sh < x.sh', ['x.sh']],
  ['. ./env.sh && true', ['./env.sh']],
  ['node --no-warnings --import ./setup.mjs x.mjs data.js', ['./setup.mjs', 'x.mjs']],
  ['python3 -m tools.check a.py', ['tools/check.py', 'tools/check/__main__.py']],
  ['python check.py && ruby b.rb; perl c.pl | php d.php', ['check.py', 'b.rb', 'c.pl', 'd.php']],
  ['if ./a.sh; then ./b.sh; else ./c.sh; fi', ['./a.sh', './b.sh', './c.sh']],
  ['sh -c "cd sub && ./x.sh"', ['sub/./x.sh']],
  ['echo "$(./x.sh)" `./y.sh`', ['./x.sh', './y.sh']],
  ['timeout -s KILL 10 env -S "bash x.sh"', ['x.sh']],
  ['npx tsx tools/x.ts', ['package.json', '.npmrc', 'tools/x.ts']],
  ['npm -w packages/a test', ['packages/a/package.json', 'packages/a/.npmrc']],
  ['make -C sub -fci.mk', ['GNUmakefile', 'makefile', 'Makefile', 'ci.mk'].map((f) => `sub/${f}`)],
  ['cat x.sh | sudo -n bash', ['x.sh']],
  ['eval "$(cat x.sh)"', ['x.sh']],
  ['cp check.sh x.sh; bash x.sh', ['check.sh', 'x.sh']],
  ['bash <out.md -e check.sh', ['check.sh']],
  ['bash 2>&1 check.sh', ['check.sh']],
  ['bash "$(git rev-parse --show-toplevel)/check.sh"', ['check.sh']],
  ["cat <<X\nit's `\nX\nbash `pwd`/check.sh", ['check.sh']],
  // What is only data stays out.
  ['cat src/app.ts | grep -q TODO', []],
  ['node -e "1" x.js', []],
  ['grep -q x < out.sh', []],
  ['git commit -m "make it run"', []],
  ['"open quote', []],
])('%s', (line, files) => {
  verifies('JOBS-X.25');
  expect([...new Set(named(line))].sort()).toEqual([...files].sort());
});

test('a path anywhere in a line counts if the file is executable', () => {
  expect(named('find . -exec tools/x {} +', 'executable')).toEqual(['tools/x']);
  expect(named('run-all --with=./tools/x', 'executable')).toEqual(['./tools/x']);
});

test('a line that is too long to judge gives no result', () => {
  expect(filesNamedIn('./a.sh;'.repeat(2000))).toHaveLength(1);
  expect(filesNamedIn('./a.sh;'.repeat(3000))).toBeNull();
  const many = Array.from({ length: 100 }, (_, index) => `./${index}.sh`).join(';');
  expect(filesNamedIn(many)).toBeNull();
  const again = (code: string) => `env ${'sh '.repeat(500)}-c ${JSON.stringify(code)}`;
  expect(filesNamedIn(again(again(again('./x.sh'))))).toBeNull();
});
