import { closeSync, openSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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
import { type GuideLibrary, openGuideLibrary } from './library.ts';

/** Every test runs with watched folders, if possible, and without. */
describe.each([true, false])('with watch: %s', (watch) => {
  const openLibrary = (...folders: string[]) => openTestLibrary(folders, watch);

  const idsOf = async (library: GuideLibrary) => (await library.list()).guides.map(({ id }) => id);

  describe('list', () => {
    it('sorts the guides of all folders by id', async () => {
      verifies('GUIDE-12');
      const [one, two] = [tempFolder(), tempFolder()];
      const library = openLibrary(one, join(one, 'none'), two);
      expect(await library.list()).toEqual({ guides: [], errors: [] });
      write(one, 'z.json', guide('middle'));
      write(two, 'a.json', guide('zebra'));
      write(two, 'b.json', guide('apple'));
      expect(await idsOf(library)).toEqual(['apple', 'middle', 'zebra']);
    });

    it('includes only regular files of the right name directly in a folder', async () => {
      const folder = tempFolder();
      for (const name of ['.hidden.json', 'x.JSON', 'x.json.bak', 'x.yml', 'json', '.json']) {
        write(folder, name, guide('wrong'));
      }
      write(join(folder, 'sub'), 'x.json', guide('deeper'));
      write(folder, 'right.json', guide('right'));
      expect(await openLibrary(folder).list()).toMatchObject({
        guides: [{ id: 'right' }],
        errors: [],
      });
    });

    it('reports invalid files by id, else by file name', async () => {
      verifies('GUIDE-10');
      const folder = tempFolder();
      const odd = write(folder, 'a.json', { id: 'Odd one' });
      const broken = write(folder, 'broken.json', '{"id": "other"');
      const numbered = write(folder, 'numbered.json', { id: 7 });
      const latin = write(folder, 'latin.json', Buffer.from([0x22, 0xe9, 0x22]));
      const large = write(folder, 'large.json', ' '.repeat(1024 * 1024 + 1));
      const long = write(folder, 'long.json', { id: 'x'.repeat(300) });
      write(folder, 'sound.json', guide('sound'));
      const library = openLibrary(folder);
      const { guides, errors } = await library.list();
      expect(guides).toMatchObject([{ id: 'sound' }]);
      expect(errors.map(({ id, file, code }) => [id, file, code])).toEqual([
        ['Odd one', odd, 'guide_invalid'],
        ['broken', broken, 'guide_invalid'],
        ['large', large, 'guide_invalid'],
        ['latin', latin, 'guide_invalid'],
        ['long', long, 'guide_invalid'],
        ['numbered', numbered, 'guide_invalid'],
      ]);
      for (const { id, file, problems } of errors) {
        expect(problems.length).toBeGreaterThan(0);
        const found = await library.find(id);
        expect(found).toMatchObject({ kind: 'invalid', id, file, code: 'guide_invalid', problems });
      }
      expect(await library.find('other')).toEqual({ kind: 'missing' });
    });

    it('reports a path that is not a folder', async () => {
      const folder = tempFolder();
      const path = write(folder, 'workflows', 'x');
      const { errors } = await openLibrary(path).list();
      expect(errors).toMatchObject([{ id: 'workflows', file: path, code: 'guide_unreadable' }]);
      expect(errors[0]?.problems[0]?.message).toContain('it is not a folder');
    });
  });

  describe('an id', () => {
    it('means the first file with it, valid or not', async () => {
      verifies('GUIDE-10');
      const [project, bundled] = [tempFolder(), tempFolder()];
      write(bundled, 'demo.json', guide('demo', 'Bundled'));
      const library = openLibrary(project, bundled);
      expect(await nameOf(library, 'demo')).toBe('Bundled');
      const file = write(project, 'x.json', guide('demo', 'Own'));
      expect(await nameOf(library, 'demo')).toBe('Own');
      expect(await library.list()).toMatchObject({ guides: [{ name: 'Own' }], errors: [] });
      write(project, 'x.json', { id: 'demo' });
      expect(await library.find('demo')).toMatchObject({
        kind: 'invalid',
        code: 'guide_invalid',
        file,
      });
      expect(await library.list()).toMatchObject({ guides: [], errors: [{ id: 'demo', file }] });
      rmSync(file);
      write(project, 'demo.json', '{');
      expect(await library.find('demo')).toMatchObject({ kind: 'invalid' });
      rmSync(join(project, 'demo.json'));
      expect(await nameOf(library, 'demo')).toBe('Bundled');
    });

    it('of two files in a folder means the first by name, and is an error', async () => {
      verifies('GUIDE-10');
      const [folder, later] = [tempFolder(), tempFolder()];
      const loser = write(folder, 'b.json', guide('demo', 'B'));
      write(folder, 'a.json', guide('demo', 'A'));
      write(later, 'c.json', guide('demo', 'C'));
      write(later, 'd.json', guide('demo', 'D'));
      const library = openLibrary(folder, later);
      expect(await nameOf(library, 'demo')).toBe('A');
      const message = 'Duplicate workflow id: demo';
      expect((await library.list()).errors).toEqual([
        {
          id: 'demo',
          file: loser,
          code: 'guide_invalid',
          problems: [{ code: 'duplicate_id', at: { line: 2, column: 9 }, path: ['id'], message }],
        },
      ]);
      write(folder, 'b.json', { id: 'demo' });
      const [error] = (await library.list()).errors;
      expect(error?.problems.map((problem) => problem.message)).toEqual([
        message,
        'Missing field: name',
        'Missing field: description',
        'Missing field: steps',
      ]);
    });

    it('never becomes a path', async () => {
      const top = tempFolder();
      write(top, 'secret.json', guide('secret'));
      write(join(top, 'in'), 'x.json', guide('demo'));
      const library = openLibrary(join(top, 'in'));
      for (const id of ['../secret', join(top, 'secret'), 'x.json', './x', '', '\0', '__proto__']) {
        expect(await library.find(id)).toEqual({ kind: 'missing' });
      }
    });
  });

  describe('changes', () => {
    it('are visible at the next call: edit, addition, removal, renaming', async () => {
      verifies('GUIDE-12');
      const folder = join(tempFolder(), 'later');
      const library = openLibrary(folder);
      expect(await library.find('one')).toEqual({ kind: 'missing' });
      const file = write(folder, '1.json', guide('one', 'A'));
      expect(await nameOf(library, 'one')).toBe('A');
      await untilConclusive();
      expect(await nameOf(library, 'one')).toBe('A');
      write(folder, '1.json', guide('one', 'B'));
      expect(await nameOf(library, 'one')).toBe('B');
      await untilConclusive();
      write(folder, '2.json', guide('two'));
      expect(await idsOf(library)).toEqual(['one', 'two']);
      renameSync(file, join(folder, '3.json'));
      expect(await library.find('one')).toMatchObject({ guide: { file: join(folder, '3.json') } });
      rmSync(join(folder, '3.json'));
      expect(await nameOf(library, 'one')).toBe('missing');
      rmSync(folder, { recursive: true });
      expect(await library.list()).toEqual({ guides: [], errors: [] });
      write(folder, '4.json', guide('four', 'New'));
      expect(await nameOf(library, 'four')).toBe('New');
      await untilConclusive();
      write(folder, '4.json', guide('four', 'Old'));
      expect(await nameOf(library, 'four')).toBe('Old');
    });

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
        for (let turn = 0; turn < round % 4; turn++) await nextTurn();
        write(folder, 'a.json', guide('demo', String(round)));
        expect(await nameOf(library, 'demo')).toBe(String(round));
        await before;
      }
    });

    it('of the id in another file are visible, too', async () => {
      verifies('GUIDE-12');
      const folder = tempFolder();
      const first = write(folder, 'a.json', guide('aaaa', 'A'));
      write(folder, 'b.json', guide('demo', 'B'));
      const library = openLibrary(folder);
      expect(await nameOf(library, 'demo')).toBe('B');
      await untilConclusive();
      expect(await nameOf(library, 'demo')).toBe('B');
      // In place and of the same length: only the bytes and the times change.
      const inPlace = (id: string) => {
        const handle = openSync(first, 'r+');
        writeSync(handle, bytesOf(guide(id, 'A')));
        closeSync(handle);
      };
      for (let round = 0; round < 20; round++) {
        inPlace('demo');
        expect(await nameOf(library, 'demo')).toBe('A');
        inPlace('aaaa');
        expect(await nameOf(library, 'demo')).toBe('B');
      }
    });

    it('are visible in a folder that was removed and created again between two calls', async () => {
      const folder = join(tempFolder(), 'again');
      const library = openLibrary(folder);
      for (let round = 0; round < 3; round++) {
        rmSync(folder, { recursive: true, force: true });
        write(folder, 'a.json', guide('aaaa', 'A'));
        write(folder, 'b.json', guide('demo', 'B'));
        expect(await nameOf(library, 'demo')).toBe('B');
        await untilConclusive();
        expect(await nameOf(library, 'demo')).toBe('B');
        write(folder, 'a.json', guide('demo', 'A'));
        expect(await nameOf(library, 'demo')).toBe('A');
      }
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
      expect(await nameOf(library, 'demo')).toBe('One');
      folders = [two, one, two];
      expect(await nameOf(library, 'demo')).toBe('Two');
      folders = [];
      expect(await nameOf(library, 'demo')).toBe('missing');
      expect(library.parsed).toBe(2);
    });

    it('of one file leave the others parsed', async () => {
      const folder = tempFolder();
      for (let index = 0; index < 30; index++) write(folder, `${index}.json`, guide(`g-${index}`));
      write(folder, 'broken.json', '{');
      const library = openLibrary(folder);
      const before = await library.find('g-7');
      await untilConclusive();
      await library.list();
      await library.find('g-7');
      await library.find('nothing');
      expect(library.parsed).toBe(31);
      expect(await library.find('g-7')).toMatchObject({ kind: 'guide', guide: expect.anything() });
      if (before.kind !== 'guide') throw new Error('expected a guide');
      const [same] = (await library.list()).guides.filter(({ id }) => id === 'g-7');
      expect(same).toBe(before.guide);
      write(folder, '7.json', guide('g-7', 'New'));
      expect(await nameOf(library, 'g-7')).toBe('New');
      expect(library.parsed).toBe(32);
      utimesSync(join(folder, '7.json'), new Date(0), new Date(0));
      expect(await nameOf(library, 'g-7')).toBe('New');
      expect(library.parsed).toBe(32);
    });
  });

  it('answers many calls at once', async () => {
    const folder = tempFolder();
    for (let index = 0; index < 50; index++) write(folder, `${index}.json`, guide(`g-${index}`));
    const library = openLibrary(folder);
    const found = await Promise.all(
      Array.from({ length: 50 }, (_, index) => library.find(`g-${index}`)),
    );
    expect(found.every(({ kind }) => kind === 'guide')).toBe(true);
    expect((await Promise.all([library.list(), library.list()]))[1].guides).toHaveLength(50);
    expect(library.parsed).toBe(50);
  });

  it('finds a guide without compiling the rules of the others', async () => {
    const folder = tempFolder();
    const rule = { type: 'schema', schema: { type: 'objet' }, message: 'm' };
    write(
      folder,
      'a.json',
      workflow({ id: 'bad-rules', steps: [step({ validationCriteria: rule })] }),
    );
    write(folder, 'b.json', guide('demo'));
    const library = openLibrary(folder);
    expect(await nameOf(library, 'demo')).toBe('Demo');
    expect(await library.find('bad-rules')).toMatchObject({
      kind: 'invalid',
      code: 'guide_invalid',
      criteriaOnly: false,
    });
  });

  it('reports which rules are invalid', async () => {
    const folder = tempFolder();
    const steps = [step({ validationCriteria: ['x'] })];
    write(folder, 'a.json', workflow({ steps }));
    expect(await openLibrary(folder).find('demo')).toMatchObject({
      kind: 'invalid',
      criteriaOnly: true,
      criteriaFaults: [{ step: 'first', rule: '/validationCriteria/0' }],
    });
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
