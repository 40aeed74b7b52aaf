// After any changes of files between two calls, a library that watches its folders answers like
// one that was just opened and checks everything.

import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOf, guide } from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { openGuideLibrary } from './library.ts';

/** Each run creates real files and new libraries, so there are far fewer than for pure code. */
const RUNS = Math.min(Math.ceil(Number(process.env.DEEPWORK_CASES ?? 1200) / 30), 2000);
const TIMEOUT_MS = 300_000;

const IDS = ['aaa', 'bbb', 'ccc'];
const FOLDERS = ['one', 'two'];
const FILES = FOLDERS.flatMap((folder) => ['a', 'b', 'c'].map((name) => `${folder}/${name}.json`));

interface Place {
  readonly path: string;
  readonly other: string;
  readonly folder: string;
  readonly id: string;
}

const clear = (place: string) => rmSync(place, { recursive: true, force: true });
let edition = 0;

const CHANGES: Readonly<Record<string, (place: Place) => void>> = {
  write: ({ path, id }) => {
    edition += 1;
    writeFileSync(path, bytesOf(guide(id, `Edition ${edition}`)));
  },
  remove: ({ path }) => clear(path),
  spoil: ({ path }) => appendFileSync(path, '}'),
  mend: ({ path }) => appendFileSync(path, ' '),
  directory: ({ path }) => {
    clear(path);
    mkdirSync(path);
  },
  rename: ({ path, other }) => renameSync(path, other),
  symlink: ({ path, other }) => {
    clear(other);
    symlinkSync(path, other);
  },
  link: ({ path, other }) => {
    if (path !== other) clear(other);
    linkSync(path, other);
  },
  replaceFolder: ({ folder }) => {
    clear(folder);
    mkdirSync(folder);
  },
  dropFolder: ({ folder }) => clear(folder),
};

const file = fc.constantFrom(...FILES);
const change = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('write') },
    {
      weight: 9,
      arbitrary: fc.constantFrom(...Object.keys(CHANGES)),
    },
  ),
  file,
  to: file,
  id: fc.constantFrom(...IDS),
});

const plain = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer));

it('answers as if it checked everything', { timeout: TIMEOUT_MS }, async () => {
  verifies('GUIDE-12', 'GUIDE-10', 'GUIDE-11');
  const asked = fc.constantFrom(...IDS, 'a', 'list');
  const round = fc.record({ changes: fc.array(change, { maxLength: 3 }), ask: asked });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 12 }), async (sequence) => {
      const root = tempFolder();
      const folders = () => FOLDERS.map((folder) => join(root, folder));
      const watching = openGuideLibrary({ folders, watchFrom: 0 });
      for (const { changes, ask } of sequence) {
        for (const { kind, file: path, to, id } of changes) {
          const place = { path: join(root, path), other: join(root, to), id };
          for (const each of [place.path, place.other])
            mkdirSync(dirname(each), { recursive: true });
          try {
            CHANGES[kind]?.({ ...place, folder: dirname(place.path) });
          } catch {
            // What is impossible now is skipped.
          }
        }
        const fresh = openGuideLibrary({ folders, watchFrom: Number.POSITIVE_INFINITY });
        const answer = (library: typeof fresh) =>
          ask === 'list' ? library.list() : library.find(ask);
        expect(plain(await answer(watching))).toEqual(plain(await answer(fresh)));
      }
      watching.close();
      rmSync(root, { recursive: true, force: true });
    }),
    { numRuns: RUNS },
  );
});
