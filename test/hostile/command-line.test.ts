// The commands that a person runs in a project they have just cloned, under the same guard: they
// end, change nothing outside, show nothing from there and start nothing.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { newCanary } from './canary.ts';
import { COMMAND_PLACES, PLACES, type Place } from './places.ts';
import { GUARD, type Note } from './runners.ts';
import { newSample } from './sample.ts';
import { putInPlace, SPOILINGS, type Spoiling } from './spoil.ts';

const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ...[['lint'] as const, ['messages'] as const, ['trust'] as const, ['repair'] as const],
  ...[['status'] as const, ['verify'] as const, ['graph', 'demo/main'] as const],
  ['prune', '--older-than', '0m'],
];

/** All at once: every file, in a project with valid folders; or the two top folders. */
const ALL = [...PLACES, ...COMMAND_PLACES];
const FILES = ALL.filter(({ kind, path: file }) => kind === 'file' && !file.includes('<id>'));
const TOPS = PLACES.filter(({ path: name }) => name === '.deepwork' || name === '.sgai');
const ARCHIVE = COMMAND_PLACES.filter(({ kind }) => kind === 'folder');

const CASES: readonly (readonly [string, Spoiling, readonly Place[]])[] = SPOILINGS.flatMap(
  (way, index) => [
    [`every file is ${way.name}`, way, FILES] as const,
    // Each way is tried on each folder in `places.test.ts`; here a process costs more.
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
  const ran = await Promise.all(
    COMMANDS.map(async ([command, ...more]) => {
      const notes = path.join(home, `${command}.notes`);
      const { code, stdout, stderr } = await deepwork([command, ...more, '--path', sample.root], {
        cwd: sample.root,
        env: {
          HOME: home,
          NODE_OPTIONS: `--require ${GUARD}`,
          DEEPWORK_GUARD_NOTES: notes,
          // V8's code cache is beside the program, which may rewrite it.
          DEEPWORK_GUARD_WRITABLE: [sample.root, home, path.dirname(BINARY)].join(path.delimiter),
        },
      });
      return { command, code, said: stdout + stderr, notes: readNotes(notes) };
    }),
  );
  for (const { command, code, said, notes } of ran) {
    expect({ command, code }).toEqual({ command, code: expect.any(Number) });
    expect(said, command).not.toContain(canary.secret);
    expect(said, command).not.toContain(canary.folder);
    const wrong = notes.filter(({ kind }) => kind === 'outside' || kind === 'started');
    expect(wrong, command).toEqual([]);
  }
  expect(canary.snapshot()).toEqual(before);
});

function readNotes(file: string): Note[] {
  expect(existsSync(file)).toBe(true);
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
