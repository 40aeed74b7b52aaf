// The files of clients that a clone brings, such as `.claude/settings.json`. The client starts our
// hooks in such a project, and people run `init` and `doctor` there: whatever is in place of these
// files, each command ends, starts only itself and git, changes nothing outside and shows nothing
// from there.

import { writeFileSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { newCanary } from './canary.ts';
import { type Ended, endRunner, runGuarded } from './guarded-commands.ts';
import { asListed, unlisted } from './listed.ts';
import { CLIENT_PLACES, COMMAND_PLACES, PLACES } from './places.ts';
import { newSample, type Sample } from './sample.ts';
import { putInPlace, SPOILINGS, type Spoiling } from './spoil.ts';

const COMMANDS: readonly (readonly string[])[] = [
  ['hook', 'claude', 'start', '--plugin'],
  ['hook', 'claude', 'stop', '--plugin'],
  ['hook', 'claude', 'tool', '--plugin'],
  ['hook', 'gemini', 'start', '--plugin'],
  ['init', '--dry-run'],
  ['doctor'],
];
const FILES = CLIENT_PLACES.filter(({ kind }) => kind === 'file');

afterAll(endRunner);

/** A project with an open run: otherwise hooks end before they read anything. */
function openSample(): Sample {
  const sample = newSample();
  onTestFinished(sample.remove);
  sample.write('.deepwork/tmp/open/0123abcd', '');
  for (const { path: file } of FILES) sample.write(file, '{}');
  return sample;
}

async function runAll({ root }: Sample): Promise<readonly Ended[]> {
  const home = tempFolder();
  const tool_input = { file_path: 'src/index.ts' };
  const input = JSON.stringify({ session_id: 's', cwd: root, tool_name: 'Write', tool_input });
  const ended: Ended[] = [];
  for (const words of COMMANDS) ended.push(await runGuarded({ words, root, home, input }));
  return ended;
}

test('the commands of clients open nothing in a project that is not on the lists', async () => {
  verifies('CLIENT-9');
  const sample = openSample();
  const ran = await runAll(sample);
  const used = ran.flatMap(({ notes }) => notes.map((note) => note.path));
  const places = [...PLACES, ...COMMAND_PLACES, ...CLIENT_PLACES];
  expect(unlisted(sample.root, used, places)).toEqual([]);
  const ways = used.map((file) => `${asListed(sample.root, file)}/`);
  const never = FILES.filter((place) => !ways.includes(`${place.path}/`));
  expect(never.map((place) => place.path)).toEqual([]);
  // A hook that cannot read its input ends before it looks at any of them.
  for (const client of ['claude', 'gemini']) {
    const hook = ran.find(({ command }) => command.startsWith(`hook ${client} start`));
    const settings = sample.path(`.${client}/settings.json`);
    expect(hook?.notes.map((note) => note.path)).toContain(settings);
  }
});

/** Not one object of the list is a hook: only its size matters. */
const LONG_LINE: Spoiling = {
  name: 'one line of sixty thousand commands',
  only: 'file',
  spoil: (at) => writeFileSync(at, `[${'{"command":"x"},'.repeat(60_000)}0]`),
};
const ESCAPES: Spoiling = {
  name: 'a text that never ends',
  only: 'file',
  spoil: (at) => writeFileSync(at, `{"command":"${'\\"'.repeat(500_000)}`),
};
const COMMENTS: Spoiling = {
  name: 'comments that never end',
  only: 'file',
  spoil: (at) => writeFileSync(at, '/*'.repeat(500_000)),
};

test.each([...SPOILINGS, LONG_LINE, ESCAPES, COMMENTS].map((way) => [way.name, way] as const))(
  'every file of a client is %s',
  async (_, way) => {
    verifies('CLIENT-9');
    const canary = newCanary();
    onTestFinished(canary.remove);
    const sample = openSample();
    for (const place of FILES) putInPlace(way, sample.path(place.path), place, canary);
    const before = canary.snapshot();
    for (const { command, code, said, notes } of await runAll(sample)) {
      expect({ command, code }).toEqual({ command, code: expect.any(Number) });
      expect(said, command).not.toContain(canary.secret);
      expect(said, command).not.toContain(canary.folder);
      expect(said, command).not.toMatch(/bad_alloc|out of memory/);
      expect(notes.filter(({ kind }) => kind === 'outside')).toEqual([]);
      const started = notes.filter(({ kind }) => kind === 'started').map((note) => note.path);
      expect(started.filter((file) => !/(?:^|\/)(?:git|node)$/.test(file))).toEqual([]);
    }
    expect(canary.snapshot()).toEqual(before);
  },
);
