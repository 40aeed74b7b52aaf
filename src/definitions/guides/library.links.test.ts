// Links, pipes and folders in a folder of guides.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  bytesOf,
  guide,
  nameOf,
  openTestLibrary,
  untilConclusive,
  write,
} from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';

describe.each([true, false])('links and other things, with watch: %s', (watch) => {
  const openLibrary = (...folders: string[]) => openTestLibrary(folders, watch);

  it('reads links that stay in the folder, and no others', async () => {
    verifies('GUIDE-11');
    const [folder, outside] = [tempFolder(), tempFolder()];
    write(join(folder, 'sub'), 'real.json', guide('linked'));
    symlinkSync(join('sub', 'real.json'), join(folder, 'inside.json'));
    symlinkSync(write(outside, 'x.json', guide('stranger')), join(folder, 'out.json'));
    symlinkSync('nowhere.json', join(folder, 'dangling.json'));
    symlinkSync('circle.json', join(folder, 'circle.json'));
    const library = openLibrary(folder);
    const { guides, errors } = await library.list();
    expect(guides.map(({ id, file }) => [id, file])).toEqual([
      ['linked', join(folder, 'inside.json')],
    ]);
    expect(errors.map(({ id, code }) => [id, code])).toEqual([
      ['circle', 'guide_unreadable'],
      ['dangling', 'guide_unreadable'],
      ['out', 'guide_outside'],
    ]);
    expect(await library.find('out')).toMatchObject({ kind: 'invalid', code: 'guide_outside' });
    expect(await library.find('stranger')).toEqual({ kind: 'missing' });
  });

  it('follows a folder that is itself a link, also if its target changes', async () => {
    const [top, other] = [tempFolder(), tempFolder()];
    write(join(top, 'real'), 'x.json', guide('demo', 'One'));
    write(other, 'x.json', guide('demo', 'Two'));
    const link = join(top, 'link');
    symlinkSync('real', link);
    const library = openLibrary(link);
    expect(await nameOf(library, 'demo')).toBe('One');
    rmSync(link);
    symlinkSync(other, link);
    expect(await nameOf(library, 'demo')).toBe('Two');
  });

  it('notices edits behind a link, and a link that now leads out', async () => {
    verifies('GUIDE-11', 'GUIDE-12');
    const [folder, outside] = [tempFolder(), tempFolder()];
    const target = write(join(folder, 'sub'), 'real.json', guide('demo', 'One'));
    symlinkSync(join('sub', 'real.json'), join(folder, 'x.json'));
    write(folder, 'z.json', guide('other', 'Other'));
    await untilConclusive();
    const library = openLibrary(folder);
    expect(await nameOf(library, 'other')).toBe('Other');
    writeFileSync(target, bytesOf(guide('other', 'Two')));
    expect(await nameOf(library, 'other')).toBe('Two');
    renameSync(join(folder, 'sub'), join(outside, 'sub'));
    symlinkSync(join(outside, 'sub'), join(folder, 'sub'));
    expect(await nameOf(library, 'other')).toBe('Other');
    expect(await library.find('x')).toMatchObject({ code: 'guide_outside' });
  });

  it('notices edits made through another hard link', async () => {
    const [folder, outside] = [tempFolder(), tempFolder()];
    write(folder, 'a.json', guide('first'));
    write(folder, 'b.json', guide('second', 'B'));
    linkSync(join(folder, 'a.json'), join(outside, 'a.json'));
    await untilConclusive();
    const library = openLibrary(folder);
    expect(await nameOf(library, 'second')).toBe('B');
    writeFileSync(join(outside, 'a.json'), bytesOf(guide('second', 'A')));
    expect(await nameOf(library, 'second')).toBe('A');
  });

  it('does not hang on pipes or fail on directories', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'dir.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    const { errors } = await openLibrary(folder).list();
    expect(errors.map(({ id, code }) => [id, code])).toEqual([
      ['dir', 'guide_unreadable'],
      ['pipe', 'guide_unreadable'],
    ]);
  });
});

it.runIf(process.platform === 'linux')('sees an edit that the system did not report', async () => {
  verifies('GUIDE-12');
  const [first, second] = [tempFolder(), tempFolder()];
  const other = write(first, 'other.json', guide('other', 'First'));
  write(second, 'demo.json', guide('demo', 'Second'));
  const noise = ['a', 'b'].map((name) => openSync(write(first, name, 'x'), 'w'));
  onTestFinished(() => noise.forEach(closeSync));
  const queued = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  const library = openTestLibrary([first, second], true);
  await untilConclusive();
  await library.list();
  expect(await nameOf(library, 'demo')).toBe('Second');
  await untilConclusive();
  expect(await nameOf(library, 'demo')).toBe('Second');

  // More events than the system queues, before any can be read; the rest is dropped.
  // Alternating, because equal consecutive events are merged.
  for (let time = 0; time < queued; time++) for (const file of noise) writeSync(file, 'y', 0);
  writeFileSync(other, bytesOf(guide('demo', 'First')));
  expect(await nameOf(library, 'demo')).toBe('First');
});
