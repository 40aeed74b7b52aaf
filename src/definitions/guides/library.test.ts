import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bytesOf,
  guide,
  nameOf,
  openTestLibrary,
  step,
  untilConclusive,
  watching,
  workflow,
  write,
} from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { openGuideFiles } from './guide-file.ts';
import { openGuideLibrary } from './library.ts';

describe.each([true, false])('with watch: %s', (watch) => {
  const openLibrary = (...folders: string[]) => openTestLibrary(folders, watch);

  it('lists the guides of all folders by id, of regular files of the right name', async () => {
    verifies('GUIDE-12');
    const [one, two] = [tempFolder(), tempFolder()];
    const library = openLibrary(one, join(one, 'none'), two);
    expect(await library.list()).toEqual({ guides: [], errors: [] });
    write(one, 'z.json', guide('middle'));
    write(two, 'a.json', guide('zebra'));
    write(two, 'b.json', guide('apple'));
    for (const name of ['.hidden.json', 'x.JSON', 'x.json.bak', 'x.yml', 'json', '.json']) {
      write(one, name, guide('wrong'));
    }
    write(join(one, 'sub'), 'x.json', guide('deeper'));
    const { guides, errors } = await library.list();
    expect(guides.map(({ id }) => id)).toEqual(['apple', 'middle', 'zebra']);
    expect(errors).toEqual([]);
  });

  describe('links', () => {
    it('that a folder is are followed, also if the target changes', async () => {
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

    it('show edits behind them, and that they now lead out', async () => {
      verifies('GUIDE-11', 'GUIDE-12');
      const [folder, outside] = [tempFolder(), tempFolder()];
      const target = write(join(folder, 'sub'), 'real.json', guide('demo', 'One'));
      symlinkSync(join('sub', 'real.json'), join(folder, 'x.json'));
      write(folder, 'a.json', guide('first'));
      linkSync(join(folder, 'a.json'), join(outside, 'a.json'));
      write(folder, 'z.json', guide('other', 'Other'));
      await untilConclusive();
      const library = openLibrary(folder);
      expect(await nameOf(library, 'other')).toBe('Other');
      writeFileSync(target, bytesOf(guide('other', 'Two')));
      expect(await nameOf(library, 'other')).toBe('Two');
      writeFileSync(join(outside, 'a.json'), bytesOf(guide('other', 'By a hard link')));
      expect(await nameOf(library, 'other')).toBe('By a hard link');
      writeFileSync(join(outside, 'a.json'), bytesOf(guide('first')));
      renameSync(join(folder, 'sub'), join(outside, 'sub'));
      symlinkSync(join(outside, 'sub'), join(folder, 'sub'));
      expect(await nameOf(library, 'other')).toBe('Other');
      expect(await library.find('x')).toMatchObject({ code: 'guide_outside' });
    });
  });

  describe('changes', () => {
    it('are visible to many calls at once, which share one check', async () => {
      verifies('GUIDE-12');
      const folder = tempFolder();
      write(folder, 'a.json', guide('demo', 'A'));
      write(folder, 'b.json', guide('other', 'O'));
      // Called once per check.
      let looks = 0;
      const folders = () => {
        looks += 1;
        return [folder];
      };
      const library = openGuideLibrary({ folders, ...watching(watch) });
      onTestFinished(() => library.close());
      await untilConclusive();
      expect(await nameOf(library, 'demo')).toBe('A');
      write(folder, 'a.json', guide('demo', 'B'));
      looks = 0;
      const ids = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? 'demo' : 'other'));
      const [{ guides }, ...names] = await Promise.all([
        library.list(),
        ...ids.map((id) => nameOf(library, id)),
      ]);
      expect(guides.map(({ name }) => name)).toEqual(['B', 'O']);
      expect(names).toEqual(ids.map((id) => (id === 'demo' ? 'B' : 'O')));
      expect(looks).toBe(1);
    });

    it('during a check are visible to later calls', async () => {
      verifies('GUIDE-12');
      const folder = tempFolder();
      write(folder, 'a.json', guide('demo', '0'));
      const library = openLibrary(folder);
      await untilConclusive();
      for (let round = 1; round <= 50; round++) {
        const before = library.find('demo');
        for (let turn = 0; turn < round % 4; turn++) {
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        write(folder, 'a.json', guide('demo', String(round)));
        expect(await nameOf(library, 'demo')).toBe(String(round));
        await before;
      }
    });

    it('to the id of a file are visible under the new id, in whichever file it is', async () => {
      verifies('GUIDE-12');
      const folder = tempFolder();
      write(folder, 'a.json', guide('aaaa', 'A'));
      write(folder, 'b.json', guide('demo', 'B'));
      const library = openLibrary(folder);
      await untilConclusive();
      await library.list();
      for (const [id, name] of [
        ['demo', 'A'],
        ['none', 'A'],
        ['aaaa', 'A'],
      ] as const) {
        write(folder, 'a.json', guide(id, name));
        expect(await nameOf(library, id)).toBe(name);
        await untilConclusive();
        await library.list();
      }
      expect(await nameOf(library, 'demo')).toBe('B');
    });

    it('are not missed if size and time stay the same', async () => {
      const folder = tempFolder();
      const file = write(folder, 'a.json', guide('demo', '10'));
      const library = openLibrary(folder);
      const moment = new Date();
      for (let round = 11; round < 40; round++) {
        write(folder, 'a.json', guide('demo', String(round)));
        utimesSync(file, moment, moment);
        expect(await nameOf(library, 'demo')).toBe(String(round));
      }
      await untilConclusive();
      const { atime, mtime } = statSync(file);
      write(folder, 'new', guide('demo', '99'));
      utimesSync(join(folder, 'new'), atime, mtime);
      renameSync(join(folder, 'new'), file);
      expect(await nameOf(library, 'demo')).toBe('99');
    });

    it('of the configured folders are followed', async () => {
      const [one, two] = [tempFolder(), tempFolder()];
      write(one, 'a.json', guide('demo', 'One'));
      write(two, 'a.json', guide('demo', 'Two'));
      let folders = [one];
      const library = openGuideLibrary({ folders: () => folders, ...watching(watch) });
      onTestFinished(() => library.close());
      for (const [now, name] of [
        [[one], 'One'],
        [[two, one, two], 'Two'],
        [[], 'missing'],
      ] as const) {
        folders = [...now];
        expect(await nameOf(library, 'demo')).toBe(name);
      }
      expect(library.parsed).toBe(2);
    });

    it('of one file leave the others parsed', async () => {
      const folder = tempFolder();
      for (let index = 0; index < 30; index++) write(folder, `${index}.json`, guide(`g-${index}`));
      write(folder, 'broken.json', '{');
      const library = openLibrary(folder);
      const [before] = await Promise.all([library.find('g-7'), library.find('g-8')]);
      await untilConclusive();
      await Promise.all([library.list(), library.list(), library.find('nothing')]);
      expect(library.parsed).toBe(31);
      if (before.kind !== 'guide') throw new Error('expected a guide');
      const [same] = (await library.list()).guides.filter(({ id }) => id === 'g-7');
      expect(same).toBe(before.guide);
      write(folder, '7.json', guide('g-7', 'New'));
      expect(await nameOf(library, 'g-7')).toBe('New');
      utimesSync(join(folder, '7.json'), new Date(0), new Date(0));
      expect(await nameOf(library, 'g-7')).toBe('New');
      expect(library.parsed).toBe(32);
    });
  });

  it('finds which rules are invalid, and other guides without compiling them', async () => {
    const folder = tempFolder();
    const schema = { type: 'schema', schema: { type: 'objet' }, message: 'm' };
    const of = (id: string, rule: unknown) =>
      workflow({ id, steps: [step({ validationCriteria: [rule] })] });
    write(folder, 'a.json', of('bad-schema', schema));
    write(folder, 'b.json', of('bad-rule', 'x'));
    write(folder, 'c.json', guide('demo'));
    const library = openLibrary(folder);
    expect(await nameOf(library, 'demo')).toBe('Demo');
    expect(await library.find('bad-schema')).toMatchObject({ criteriaOnly: false });
    expect(await library.find('bad-rule')).toMatchObject({
      kind: 'invalid',
      criteriaOnly: true,
      criteriaFaults: [{ step: 'first', rule: '/validationCriteria/0' }],
    });
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

it('reads a file at every look while a later change could have the same time', async () => {
  const folder = tempFolder();
  write(folder, 'a.json', guide('demo', 'Old'));
  // The folder itself must be old enough to be trusted, so that only the file is in doubt.
  await pause(50);
  const file = write(folder, 'a.json', guide('demo', 'New'));
  const guides = openGuideFiles({ folders: () => [folder], watchFrom: 0 });
  onTestFinished(() => guides.close());
  // Read in the same tick of the clock in which the file was written.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(statSync(file).ctimeMs) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  // From the third look on, a watched folder is not walked again.
  for (let times = 1; times <= 4; times++) {
    await guides.look(new Set());
    expect(guides.read).toBe(times);
  }
});
