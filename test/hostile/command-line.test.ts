// The commands that a person runs in a project they have just cloned, under the same guard: they
// end, change nothing outside, show nothing from there and start nothing.

import { afterAll, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { newCanary } from './canary.ts';
import { endRunner, runGuarded } from './guarded-commands.ts';
import { COMMAND_PLACES, PLACES, type Place } from './places.ts';
import { newSample } from './sample.ts';
import { putInPlace, SPOILINGS, type Spoiling } from './spoil.ts';

afterAll(endRunner);

/** In this order: what changes files comes last. */
const COMMANDS: readonly (readonly string[])[] = [
  ...[['lint'], ['messages'], ['trust'], ['status'], ['verify'], ['graph', 'demo/main']],
  ...[['prune', '--older-than', '0m'], ['repair']],
];

/** All at once: every file, in a project with valid folders; or the two top folders. */
const ALL = [...PLACES, ...COMMAND_PLACES];
const FILES = ALL.filter(({ kind, path: file }) => kind === 'file' && !file.includes('<id>'));
const TOPS = PLACES.filter(({ path: name }) => name === '.deepwork' || name === '.sgai');
const ARCHIVE = COMMAND_PLACES.filter(({ kind }) => kind === 'folder');

const CASES: readonly (readonly [string, Spoiling, readonly Place[]])[] = SPOILINGS.flatMap(
  (way, index) => [
    [`every file is ${way.name}`, way, FILES] as const,
    // Each way is tried on each folder in `places.test.ts`; here all commands run for each.
    ...(index < 3 ? [[`every top folder is ${way.name}`, way, TOPS] as const] : []),
    ...(index < 3 ? [[`the archive is ${way.name}`, way, ARCHIVE] as const] : []),
  ],
);

test.each(CASES)('no command is led out of the project when %s', async (_, way, places) => {
  const canary = newCanary();
  onTestFinished(canary.remove);
  const sample = newSample();
  onTestFinished(sample.remove);
  const home = tempFolder();
  for (const place of places) putInPlace(way, sample.path(place.path), place, canary);
  const before = canary.snapshot();
  let noted = 0;
  for (const words of COMMANDS) {
    const { command, code, said, notes } = await runGuarded({
      words: [...words, '--path', sample.root],
      root: sample.root,
      home,
    });
    expect({ command, code }).toEqual({ command, code: expect.any(Number) });
    noted += notes.length;
    expect(said, command).not.toContain(canary.secret);
    expect(said, command).not.toContain(canary.folder);
    const wrong = notes.filter(({ kind }) => kind === 'outside' || kind === 'started');
    expect(wrong, command).toEqual([]);
  }
  expect(noted).toBeGreaterThan(0);
  expect(canary.snapshot()).toEqual(before);
});
