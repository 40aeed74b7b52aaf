// The commands that a person, or a client with our hooks, runs in a project that was just cloned:
// they end, change nothing outside, show nothing from there and start nothing but themselves and git.

import { writeFileSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { newCanary } from './canary.ts';
import { endRunner, runGuarded } from './guarded-commands.ts';
import { asListed, unlisted } from './listed.ts';
import { CLIENT_PLACES, COMMAND_PLACES, PLACES, type Place } from './places.ts';
import { newSample, type Sample } from './sample.ts';
import { putInPlace, SPOILINGS, type Spoiling } from './spoil.ts';

afterAll(endRunner);

type Commands = readonly (readonly string[])[];

/** In this order: what changes files comes last. */
const OF_PEOPLE: Commands = [
  ...[['lint'], ['messages'], ['trust'], ['status'], ['verify'], ['graph', 'demo/main']],
  ...[['prune', '--older-than', '0m'], ['repair']],
];
/** They read the files that a clone brings for clients, such as `.claude/settings.json`. */
const OF_CLIENTS: Commands = [
  ['hook', 'claude', 'start', '--plugin'],
  ['hook', 'claude', 'stop', '--plugin'],
  ['hook', 'claude', 'tool', '--plugin'],
  ['hook', 'gemini', 'start', '--plugin'],
  ['init', '--dry-run'],
  ['doctor'],
];

const isFile = ({ kind, path: file }: Place) => kind === 'file' && !file.includes('<id>');
const FILES = [...PLACES, ...COMMAND_PLACES].filter(isFile);
const TOPS = PLACES.filter(({ path: name }) => name === '.deepwork' || name === '.sgai');
const ARCHIVE = COMMAND_PLACES.filter(({ kind }) => kind === 'folder');
const CLIENT_FILES = CLIENT_PLACES.filter(isFile);

/** A project with an open run: otherwise hooks end before they read anything. */
function openSample(): Sample {
  const sample = newSample();
  onTestFinished(sample.remove);
  sample.write('.deepwork/tmp/open/0123abcd', '');
  for (const { path: file } of CLIENT_FILES) sample.write(file, '{}');
  return sample;
}

async function runAll(commands: Commands, { root }: Sample) {
  const home = tempFolder();
  const tool_input = { file_path: 'src/index.ts' };
  const input = JSON.stringify({ session_id: 's', cwd: root, tool_name: 'Write', tool_input });
  const ended = [];
  for (const words of commands) ended.push(await runGuarded({ words, root, home, input }));
  return ended;
}

test('the commands of clients open nothing in a project that is not on the lists', async () => {
  verifies('CLIENT-9');
  const sample = openSample();
  const ran = await runAll(OF_CLIENTS, sample);
  const used = ran.flatMap(({ notes }) => notes.map((note) => note.path));
  const places = [...PLACES, ...COMMAND_PLACES, ...CLIENT_PLACES];
  expect(unlisted(sample.root, used, places)).toEqual([]);
  const ways = used.map((file) => `${asListed(sample.root, file)}/`);
  const never = CLIENT_FILES.filter((place) => !ways.includes(`${place.path}/`));
  expect(never.map((place) => place.path)).toEqual([]);
  // A hook that cannot read its input ends before it looks at any of them.
  for (const client of ['claude', 'gemini']) {
    const hook = ran.find(({ command }) => command.startsWith(`hook ${client} start`));
    const settings = sample.path(`.${client}/settings.json`);
    expect(hook?.notes.map((note) => note.path)).toContain(settings);
  }
});

const endless = (name: string, text: string): Spoiling => ({
  name,
  spoil: (at) => writeFileSync(at, text),
});
/** Not one object of the list is a hook: only its size matters. */
const ENDLESS = [
  endless('one line of sixty thousand commands', `[${'{"command":"x"},'.repeat(60_000)}0]`),
  endless('a text that never ends', `{"command":"${'\\"'.repeat(500_000)}`),
  endless('comments that never end', '/*'.repeat(500_000)),
];

type Case = readonly [what: string, way: Spoiling, places: readonly Place[], commands: Commands];

const CASES: readonly Case[] = [
  ...SPOILINGS.map((way): Case => ['file', way, FILES, OF_PEOPLE]),
  // Each way is tried on each folder in `places.test.ts`; here all commands run for each.
  ...SPOILINGS.slice(0, 3).flatMap((way): Case[] => [
    ['top folder', way, TOPS, OF_PEOPLE],
    ['archive', way, ARCHIVE, OF_PEOPLE],
  ]),
  ...[...SPOILINGS, ...ENDLESS].map(
    (way): Case => ['file of a client', way, CLIENT_FILES, OF_CLIENTS],
  ),
];

test.each(CASES.map((each) => [each[0], each[1].name, each] as const))(
  'no command is led out of the project when every %s is %s',
  async (_what, _name, [, way, places, commands]) => {
    verifies('CLIENT-9');
    const canary = newCanary();
    onTestFinished(canary.remove);
    const sample = openSample();
    for (const place of places) putInPlace(way, sample.path(place.path), place, canary);
    const before = canary.snapshot();
    const allowed = commands === OF_CLIENTS ? /(?:^|\/)(?:git|node)$/ : /^$/;
    const ran = await runAll(commands, sample);
    for (const { command, code, said, notes } of ran) {
      expect({ command, code }).toEqual({ command, code: expect.any(Number) });
      expect(said, command).not.toContain(canary.secret);
      expect(said, command).not.toContain(canary.folder);
      expect(said, command).not.toMatch(/bad_alloc|out of memory/);
      expect(notes.filter(({ kind }) => kind === 'outside')).toEqual([]);
      const started = notes.filter(({ kind }) => kind === 'started').map((note) => note.path);
      expect(started.filter((file) => !allowed.test(file))).toEqual([]);
    }
    expect(ran.flatMap(({ notes }) => notes)).not.toEqual([]);
    expect(canary.snapshot()).toEqual(before);
  },
);
