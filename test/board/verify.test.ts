// deepwork verify through the built command: it finds what was altered, says where, and changes
// nothing, whatever it finds.

import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Verification } from '../../src/board/verify-journal.ts';
import { command } from '../support/command.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { commandIn, everyFile, finishedRun, newRecords, openRun } from './records.ts';

const streamOf = (id: string) => `.deepwork/journal/session/${id}.jsonl`;

test('a sound journal is reported as such, and verifying changes not a byte', async () => {
  verifies('BOARD-6');
  const project = newRecords();
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 0, stderr: '' });
  const [id = ''] = await finishedRun(project);
  await openRun(project);
  appendFileSync(project.path(streamOf(id)), '\t{"torn');
  const before = everyFile(project.root);
  const ran = await commandIn(project, 'verify');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toBe('2 streams, 4 events: all as written.\n');
  expect(await commandIn(project, 'verify', 'last')).toMatchObject({ code: 0 });
  expect((await commandIn(project, 'verify', id.slice(0, 6))).stdout).toContain(
    '1 stream, 2 events',
  );
  expect(everyFile(project.root)).toEqual(before);
});

test('flipped bits and cuts are found at their lines, in streams and in archives', async () => {
  verifies('BOARD-6');
  const random = randomFrom(chooseSeed());
  const project = newRecords();
  await finishedRun(project);
  await finishedRun(project);
  await commandIn(project, 'prune', '--older-than', '0m');
  const [id = ''] = await finishedRun(project);
  const archive = (await verified(project.root)).files.find(({ kind }) => kind === 'archive');
  expect(archive).toMatchObject({ verdict: 'sound', events: 4 });
  const files = [streamOf(id), archive?.file ?? ''];
  for (let nth = 0; nth < 12; nth++) {
    const file = project.path(random.pick(files));
    const sound = readFileSync(file);
    const at = random.below(sound.length);
    const spoilt = Buffer.from(sound);
    spoilt[at] = (spoilt[at] as number) ^ (1 << random.below(8));
    writeFileSync(file, nth % 3 === 0 ? sound.subarray(0, at) : spoilt);
    const line = sound.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
    const before = everyFile(project.root);
    const found = await verified(project.root);
    const wrong = found.files.filter(({ verdict }) => verdict !== 'sound');
    expect(found.sound).toBe(false);
    expect(wrong.map((each) => [project.path(each.file), each.line])).toEqual([[file, line]]);
    expect(everyFile(project.root)).toEqual(before);
    writeFileSync(file, sound);
  }
  expect((await verified(project.root)).sound).toBe(true);
});

test('events that a view has shown and that are gone are reported, with the line', async () => {
  verifies('BOARD-6');
  const project = newRecords();
  const [id = ''] = await finishedRun(project);
  const file = project.path(streamOf(id));
  const [first] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${first}\n`);
  const cut = await commandIn(project, 'verify');
  expect(cut.code).toBe(1);
  expect(cut.stdout).toContain(
    `${streamOf(id)}:2: incomplete: it ends with event 1, but its view has shown event 2`,
  );
  rmSync(file);
  const gone = await commandIn(project, 'verify', id);
  expect(gone.code).toBe(1);
  expect(gone.stdout).toContain('the file is gone, but a view has shown 2 events of it');
});

test('a damaged journal that was set aside is named until it is deleted with its view', async () => {
  verifies('BOARD-6');
  const project = newRecords();
  const [id = ''] = await finishedRun(project);
  await openRun(project);
  const file = project.path(streamOf(id));
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [first.replace('"seq":1', '"seq":7'), ...rest].join('\n'));
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 1 });
  expect((await commandIn(project, 'repair')).stdout).toContain('set aside');
  const [name = ''] = readdirSync(project.path('.deepwork/journal/damaged'));
  const kept = `.deepwork/journal/damaged/${name}`;
  const view = `.deepwork/tmp/session_${id}.json`;
  const line = `${kept}: set aside: it was altered or cut. When you no longer need it, delete it and its view, ${view}`;
  const all = await commandIn(project, 'verify');
  expect(all).toMatchObject({ code: 1, stderr: '' });
  expect(all.stdout).toBe(`${line}\n\n1 stream, 2 events: all as written, 1 set aside.\n`);
  expect(await commandIn(project, 'verify', id)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(line),
  });
  expect(await verified(project.root)).toMatchObject({ sound: false });
  rmSync(project.path(kept));
  const gone = await commandIn(project, 'verify');
  expect(gone.code).toBe(1);
  expect(gone.stdout).toContain(`also delete its view, ${view}`);
  rmSync(project.path(view));
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 0 });
});

test('a journal in quarantine is not said to be gone', async () => {
  verifies('BOARD-6');
  const project = newRecords();
  const id = await openRun(project);
  await finishedRun(project);
  // Under another key, a server quarantines what it finds.
  const call = ['call', 'get_active_workflow', '--path', project.root];
  await command(call, { cwd: project.root, env: { HOME: tempFolder() } });
  const { files } = await verified(project.root);
  const found = files.find(({ streams }) => streams.some(({ stream }) => stream.endsWith(id)));
  expect(found).toMatchObject({ verdict: 'quarantined' });
  expect(found?.file).toMatch(/^\.deepwork\/journal\/quarantine\/session\./);
  const ran = await commandIn(project, 'verify', id);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('quarantined: it is not trusted until you take it over\n');
  expect(ran.stdout).toContain('deepwork repair --journal');
});

test('another key, and none at all, are said to be that', async () => {
  verifies('BOARD-6');
  const project = newRecords();
  await finishedRun(project);
  await commandIn(project, 'prune', '--older-than', '0m');
  await finishedRun(project);
  const home = tempFolder();
  const as = (...args: string[]) =>
    command([...args, '--path', project.root], {
      cwd: project.root,
      env: { HOME: home },
    });
  const without = await as('verify');
  expect(without).toMatchObject({ code: 1 });
  expect(without.stdout).toContain('There is no key in ~/.deepwork/signing.key');
  // Looking makes none.
  expect(everyFile(home)).toEqual({});
  const other = newRecords();
  const made = await command(
    ['call', 'start_workflow', '--goal', 'x', '--job_name', 'demo', '--workflow_name', 'main'],
    { cwd: other.root, env: { HOME: home } },
  );
  expect(made.code).toBe(0);
  const foreign = await as('verify');
  expect(foreign.code).toBe(1);
  expect(foreign.stdout).toContain('Nothing here was written under your key');
  expect(foreign.stdout).toContain('deepwork repair --journal');
  const { files } = JSON.parse((await as('verify', '--json')).stdout) as Verification;
  expect(files.map(({ verdict }) => verdict)).toEqual(['foreign', 'foreign']);
});

test('an unknown id, and one that fits several, are refused', async () => {
  const project = newRecords();
  await finishedRun(project);
  const ran = await commandIn(project, 'verify', 'zzz');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain("There is no run 'zzz'");
  expect(await commandIn(project, 'verify', 'a', 'b')).toMatchObject({ code: 2 });
});

async function verified(root: string): Promise<Verification> {
  const { stdout } = await command(['verify', '--json', '--path', root], { cwd: root });
  return JSON.parse(stdout) as Verification;
}
