// After any changes of files between two calls, a library that watches its folders answers like
// one that was just opened and checks everything.

import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOf, workflow } from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { openGuideLibrary } from './library.ts';

/** Each run creates real files and new libraries, so there are far fewer than for pure code. */
const RUNS = Math.min(Math.ceil(Number(process.env.DEEPWORK_CASES ?? 1200) / 30), 2000);
const TIMEOUT_MS = 300_000;

const IDS = ['aaa', 'bbb', 'ccc'];
const FOLDERS = ['one', 'two'];
const FILES = FOLDERS.flatMap((folder) => ['a', 'b', 'c'].map((file) => `${folder}/${file}.json`));

const file = fc.constantFrom(...FILES);
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write'), file, id: fc.constantFrom(...IDS) }),
  },
  fc.record({ kind: fc.constantFrom('remove', 'spoil', 'mend', 'directory'), file }),
  fc.record({ kind: fc.constantFrom('rename', 'symlink', 'link'), file, to: file }),
  fc.record({
    kind: fc.constantFrom('replace folder', 'drop folder'),
    folder: fc.constantFrom(...FOLDERS),
  }),
);
type Change = { kind: string; file?: string; to?: string; id?: string; folder?: string };

let edition = 0;

function apply(root: string, { kind, file = '', to = '', id = '', folder = '' }: Change): void {
  const [path, target] = [join(root, file), join(root, to)];
  const clear = (place: string) => rmSync(place, { recursive: true, force: true });
  mkdirSync(join(path, '..'), { recursive: true });
  mkdirSync(join(target, '..'), { recursive: true });
  const content = bytesOf(workflow({ id, name: `Edition ${++edition}` }));
  switch (kind) {
    case 'write':
      try {
        writeFileSync(path, content);
      } catch {
        clear(path);
      }
      break;
    case 'remove':
      clear(path);
      break;
    case 'spoil':
    case 'mend':
      try {
        if (existsSync(path)) appendFileSync(path, kind === 'spoil' ? '}' : ' ');
      } catch {
        clear(path);
      }
      break;
    case 'directory':
      clear(path);
      mkdirSync(path);
      break;
    case 'rename':
      if (existsSync(path) && path !== target) {
        clear(target);
        renameSync(path, target);
      }
      break;
    case 'symlink':
      clear(target);
      symlinkSync(path, target);
      break;
    case 'link':
      if (path === target) break;
      clear(target);
      try {
        linkSync(path, target);
      } catch {
        clear(path);
      }
      break;
    case 'replace folder':
      clear(join(root, folder));
      mkdirSync(join(root, folder));
      break;
    case 'drop folder':
      clear(join(root, folder));
  }
}

it(
  'answers as if it checked everything',
  async () => {
    verifies('GUIDE-12', 'GUIDE-10', 'GUIDE-11');
    const rounds = fc.array(
      fc.record({
        changes: fc.array(change, { maxLength: 3 }),
        ask: fc.constantFrom(...IDS, 'a', 'list'),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(rounds, async (sequence) => {
        const root = tempFolder();
        const folders = () => FOLDERS.map((folder) => join(root, folder));
        const watching = openGuideLibrary({ folders, watchFrom: 0 });
        for (const { changes, ask } of sequence) {
          for (const one of changes) apply(root, one);
          const fresh = openGuideLibrary({ folders, watchFrom: Number.POSITIVE_INFINITY });
          const [answer, expected] =
            ask === 'list'
              ? [await watching.list(), await fresh.list()]
              : [await watching.find(ask), await fresh.find(ask)];
          expect(plain(answer)).toEqual(plain(expected));
        }
        watching.close();
        rmSync(root, { recursive: true, force: true });
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

function plain(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer));
}
