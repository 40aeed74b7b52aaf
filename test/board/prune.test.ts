// deepwork prune through the built command: what is active, young or holds work stays; what goes
// is in an archive, line by line, whenever the command is killed.

import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifyJournal } from '../../src/board/verify-journal.ts';
import { knownJournalKey } from '../../src/environment/signing-key.ts';
import { type Pruned, pruneSessions } from '../../src/sessions/prune.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import type { Project } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { deepwork } from '../support/run-command.ts';
import { streamFile, viewFile } from '../support/saved.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { commandIn, finishedRun, newDemo, openRun, treeOf } from './support.ts';

const ARCHIVE = '.deepwork/archive';
const CREATE = { git: { branch: 'create' } };

async function pruned(project: Project, ...more: string[]): Promise<Pruned> {
  const ran = await commandIn(project, 'prune', '--older-than', '0m', '--json', ...more);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as Pruned;
}

/** The ids of the sessions that are still in the journal. */
function left(project: Project): string[] {
  const names = readdirSync(project.path('.deepwork/journal/session'));
  return names.map((name) => name.replace('.jsonl', '')).sort();
}

function archived(project: Project): string {
  const folder = project.path(ARCHIVE);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('');
}

test('what has ended goes with its lines and its views; what is active stays', async () => {
  verifies('BOARD-7');
  const project = newDemo();
  const [ended = ''] = await finishedRun(project);
  const open = await openRun(project);
  const lines = readFileSync(project.path(streamFile(ended)), 'utf8');
  const before = treeOf(project.root);
  const planned = await pruned(project, '--dry-run');
  expect(planned).toMatchObject({ dry_run: true, archives: [], untouched: 1 });
  expect(treeOf(project.root)).toEqual(before);

  const done = await pruned(project);
  expect(done.sessions).toEqual(planned.sessions);
  expect(done.sessions.map(({ session_id }) => session_id)).toEqual([ended]);
  const date = new Date().toISOString().slice(0, 10);
  expect(done.archives).toEqual([`${ARCHIVE}/${date}.jsonl`]);
  expect(archived(project)).toContain(lines);
  expect(left(project)).toEqual([open]);
  expect([ended, open].map((id) => existsSync(project.path(viewFile(id))))).toEqual([false, true]);
  expect(readFileSync(project.path('.deepwork/tmp/ended.log'), 'utf8')).not.toContain(ended);
  for (const id of [[], [ended]]) {
    expect(await commandIn(project, 'verify', ...id)).toMatchObject({ code: 0 });
  }
  // Who asks for it is told where it is.
  const moved = await commandIn(project, 'history', ended.slice(0, 6));
  expect(moved).toMatchObject({ code: 1, stdout: '' });
  expect(moved.stderr).toContain(done.archives[0]);
  // The active run goes on.
  const server = await connect(project.root);
  await server.ok('abort_workflow', { explanation: 'Enough', session_id: open });
  // A second time on that day does not touch the first archive.
  expect((await pruned(project)).archives).toEqual([`${ARCHIVE}/${date}-2.jsonl`]);
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 0 });
  expect(left(project)).toEqual([]);
});

test('a run whose turns cannot be read stays, since they may name a worktree', async () => {
  verifies('BOARD-7');
  const project = newDemo();
  const [ended = ''] = await finishedRun(project);
  project.write(`.deepwork/journal/run/${ended}.jsonl`, 'no line of ours\n');
  const kept = [{ session_id: ended }];
  expect(await pruned(project)).toMatchObject({ sessions: [], kept, unreadable: [`run/${ended}`] });
  expect(left(project)).toEqual([ended]);
});

test('what ended too recently stays, and a nested run goes only with its root', async () => {
  verifies('BOARD-7');
  const project = newDemo();
  const nested = await finishedRun(project, { depth: 2 });
  const young = JSON.parse((await commandIn(project, 'prune', '--json')).stdout);
  expect(young).toMatchObject({ sessions: [], untouched: 2 });
  const view = JSON.parse(readFileSync(project.path(viewFile(nested[1] ?? '')), 'utf8'));
  const now = new Date().toISOString();
  // Between the end of the nested one and that of its root.
  const between = new Date(Date.parse(view.completed_at) + 1).toISOString();
  const request = { projectRoot: project.root, key: knownJournalKey() as Buffer, now };
  const early = await pruneSessions({ ...request, before: between, dryRun: false });
  expect(early).toMatchObject({ sessions: [], untouched: 2 });
  const late = await pruneSessions({ ...request, before: now, dryRun: false });
  expect(late.sessions.map(({ session_id }) => session_id).sort()).toEqual([...nested].sort());
});

test('branches that hold no commit of their own go; a run whose branch holds some stays', async () => {
  verifies('BOARD-7');
  const project = newDemo(CREATE);
  const { git, branches } = newRepository(project.root);
  git('commit', '--quiet', '--allow-empty', '-m', 'First');
  const ids: Record<string, string> = {};
  for (const name of ['empty', 'working', 'merged', 'here']) {
    [ids[name] = ''] = await finishedRun(project, { instance_id: name });
  }
  for (const name of ['working', 'merged']) {
    git('switch', '--quiet', `deepwork/demo-short-${name}`);
    git('commit', '--quiet', '--allow-empty', '-m', name);
  }
  git('switch', '--quiet', 'trunk');
  git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'deepwork/demo-short-merged');
  git('switch', '--quiet', 'deepwork/demo-short-here');
  const open = await openRun(project);
  const { working = '' } = ids;
  const reason = expect.stringContaining('deepwork/demo-short-working');
  const kept = [{ session_id: working, workflow: 'demo/short', reason }];
  expect((await pruned(project)).kept).toEqual(kept);
  const rest = ['demo-main-open', 'demo-short-here', 'demo-short-working'];
  expect(branches()).toEqual(rest.map((name) => `deepwork/${name}`));
  expect(left(project)).toEqual([open, working].sort());
  expect(git('status', '--porcelain', '--', ARCHIVE)).toBe('');
});

test('killed at any change, it loses nothing and doubles nothing', async () => {
  verifies('BOARD-7');
  const killer = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));
  const key = knownJournalKey() as Buffer;
  let project = newDemo();
  let ids: string[] = [];
  let kills = 0;
  for (let at = 1; ; at++) {
    if (!existsSync(project.path('.deepwork/journal/session')) || left(project).length < 2) {
      project = newDemo();
      ids = [...(await finishedRun(project)), ...(await finishedRun(project))];
    }
    const killed = await deepwork(['prune', '--older-than', '0m', '--path', project.root], {
      cwd: project.root,
      env: {
        NODE_OPTIONS: `--require ${killer}`,
        DEEPWORK_KILL_AT: String(at),
        DEEPWORK_KILL_IN: project.path('.deepwork'),
      },
    });
    const timesOf = (id: string) => archived(project).split(`"session_id":"${id}"`).length - 1;
    for (const id of ids) {
      const isThere = existsSync(project.path(streamFile(id))) || timesOf(id) > 0;
      expect([at, id, isThere]).toEqual([at, id, true]);
    }
    if (killed.code === 0) break;
    kills += 1;
    const now = new Date().toISOString();
    await pruneSessions({ projectRoot: project.root, key, now, before: now, dryRun: false });
    expect([at, ids.map(timesOf), left(project)]).toEqual([at, [1, 1], []]);
    expect(await verifyJournal(project.root, key)).toMatchObject({ sound: true });
  }
  expect(kills).toBeGreaterThan(5);
}, 180_000);

test('an archive folder that leads out of the project is refused, and nothing is lost', async () => {
  verifies('BOARD-7');
  const project = newDemo();
  await finishedRun(project);
  const outside = tempFolder();
  symlinkSync(outside, project.path(ARCHIVE));
  const before = treeOf(project.path('.deepwork/journal'));
  const ran = await commandIn(project, 'prune', '--older-than', '0m');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(readdirSync(outside)).toEqual([]);
  expect(treeOf(project.path('.deepwork/journal'))).toEqual(before);
});

test('an agent cannot prune, but may look at what would go', async () => {
  verifies('BOARD-7');
  const project = newDemo();
  await finishedRun(project);
  const as = async (...more: string[]) => {
    const args = ['prune', '--older-than', '0m', '--path', project.root, ...more];
    return (await command(args, { cwd: project.root, env: { CLAUDECODE: '1' } })).code;
  };
  expect([await as(), await as('--dry-run')]).toEqual([4, 0]);
  expect(left(project)).toHaveLength(1);
  expect(await commandIn(project, 'prune', '--older-than', 'soon')).toMatchObject({ code: 2 });
});
