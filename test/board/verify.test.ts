// deepwork verify through the built command: it finds what was altered, says where, and changes
// nothing, whatever it finds.

import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Verification } from '../../src/board/verify-journal.ts';
import { command } from '../support/command.ts';
import type { Project } from '../support/project.ts';
import { streamFile, viewFile } from '../support/saved.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { commandIn, finishedRun, newDemo, openRun, START, treeOf } from './support.ts';

interface Verified extends Verification {
  readonly code: number | null;
}

/** As another user, if there is a home; it has changed nothing. */
async function verified(project: Project, id: string[] = [], HOME?: string): Promise<Verified> {
  const before = treeOf(project.root);
  const args = ['verify', ...id, '--json', '--path', project.root];
  const env = { ...(HOME !== undefined && { HOME }) };
  const { code, stdout } = await command(args, { cwd: project.root, env });
  expect(treeOf(project.root)).toEqual(before);
  return { code, ...(JSON.parse(stdout) as Verification) };
}

test('a sound journal is reported as such, also with a torn last line', async () => {
  verifies('BOARD-6');
  const project = newDemo();
  expect(await verified(project)).toMatchObject({ code: 0, files: [] });
  const [id = ''] = await finishedRun(project);
  await openRun(project);
  appendFileSync(project.path(streamFile(id)), '\t{"torn');
  expect(await verified(project)).toMatchObject({ code: 0, sound: true });
  expect((await verified(project, ['last'])).files).toHaveLength(1);
  expect((await verified(project, [id.slice(0, 6)])).files).toMatchObject([{ events: 2 }]);
  for (const unclear of [['zzz'], ['a', 'b']]) {
    expect((await commandIn(project, 'verify', ...unclear)).code).not.toBe(0);
  }
});

test('events that a view has shown and that are gone are reported, with the line', async () => {
  verifies('BOARD-6');
  const project = newDemo();
  const [id = ''] = await finishedRun(project);
  const file = project.path(streamFile(id));
  const [first] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${first}\n`);
  const cut = [{ file: streamFile(id), line: 2, verdict: 'lost' }];
  expect(await verified(project)).toMatchObject({ code: 1, files: cut });
  rmSync(file);
  expect(await verified(project, [id])).toMatchObject({ code: 1, sound: false });
});

test('a damaged journal that was set aside is named until it is deleted with its view', async () => {
  verifies('BOARD-6');
  const project = newDemo();
  const [id = ''] = await finishedRun(project);
  await openRun(project);
  const file = project.path(streamFile(id));
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [first.replace('"seq":1', '"seq":7'), ...rest].join('\n'));
  await commandIn(project, 'repair');
  const [name = ''] = readdirSync(project.path('.deepwork/journal/damaged'));
  const kept = `.deepwork/journal/damaged/${name}`;
  const ran = await commandIn(project, 'verify');
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  for (const named of [kept, viewFile(id)]) expect(ran.stdout).toContain(named);
  expect((await commandIn(project, 'verify', id)).stdout).toContain(kept);
  rmSync(project.path(kept));
  const gone = await commandIn(project, 'verify');
  expect(gone.code).toBe(1);
  expect(gone.stdout).toContain(viewFile(id));
  rmSync(project.path(viewFile(id)));
  expect(await verified(project)).toMatchObject({ code: 0 });
});

test('what another user wrote is foreign, and in quarantine not said to be gone', async () => {
  verifies('BOARD-6');
  const project = newDemo();
  await finishedRun(project);
  await commandIn(project, 'prune', '--older-than', '0m');
  const id = await openRun(project);
  const home = tempFolder();
  expect(await verified(project, [], home)).toMatchObject({ code: 1 });
  // Looking makes no key.
  expect(treeOf(home)).toEqual({});
  const call = ['call', 'start_workflow', '--json', JSON.stringify(START), '--path'];
  const other = newDemo().root;
  await command([...call, other], { cwd: other, env: { HOME: home } });
  const verdicts = async (HOME?: string) =>
    (await verified(project, [], HOME)).files.map(({ verdict }) => verdict);
  expect(await verdicts(home)).toEqual(['foreign', 'foreign']);
  // Under another key, a server quarantines what it finds.
  const look = ['call', 'get_active_workflow', '--path', project.root];
  await command(look, { cwd: project.root, env: { HOME: home } });
  expect(await verdicts()).toContain('quarantined');
  expect(await verified(project, [id])).toMatchObject({
    code: 1,
    files: [{ file: expect.stringMatching(/^\.deepwork\/journal\/quarantine\//) }],
  });
});
