// deepwork prune through the built command: what is active, young or holds work stays; what goes
// is in an archive, line by line, whenever the command is killed.

import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { verifyJournal } from '../../src/board/verify-journal.ts';
import { knownJournalKey } from '../../src/environment/signing-key.ts';
import { type Pruned, pruneSessions } from '../../src/sessions/prune.ts';
import { command } from '../support/command.ts';
import { connectToProcess } from '../support/connect.ts';
import type { Project } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { commandIn, everyFile, finishedRun, newRecords, openRun } from './records.ts';

const ARCHIVE = '.deepwork/archive';

async function pruned(project: Project, ...more: string[]): Promise<Pruned> {
  const ran = await commandIn(project, 'prune', '--older-than', '0m', '--json', ...more);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as Pruned;
}

function streams(project: Project): string[] {
  return readdirSync(project.path('.deepwork/journal/session')).sort();
}

function archived(project: Project): string {
  const folder = project.path(ARCHIVE);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('');
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

test('status and history say that runs are in the archive', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  const [id = ''] = await finishedRun(project);
  const [archive = ''] = (await pruned(project)).archives;
  for (const line of ['status', 'status --all', '']) {
    const { stdout } = await command(line.split(' ').filter(Boolean), { cwd: project.root });
    expect(stdout, line).toContain(`There are no runs but those in ${ARCHIVE}.\n`);
    expect(stdout, line).not.toContain('no run yet');
  }
  for (const wanted of [id, id.slice(0, 6)]) {
    const ran = await commandIn(project, 'history', wanted);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toBe(
      `deepwork: Run ${id} was moved to ${archive}\nNext: read it there; \`deepwork verify ${id}\` checks that it is as written.\n`,
    );
  }
  expect((await commandIn(project, 'history', 'last')).stderr).toContain(
    `There are no runs but those in ${ARCHIVE}\n`,
  );
  expect((await commandIn(project, 'history', 'zz')).stderr).toContain("There is no run 'zz'");
});

test('what has ended goes with its lines and its views; what is active stays', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  const [ended = ''] = await finishedRun(project);
  const open = await openRun(project);
  const lines = readFileSync(project.path(`.deepwork/journal/session/${ended}.jsonl`), 'utf8');
  const before = everyFile(project.root);
  const planned = await pruned(project, '--dry-run');
  expect(planned).toMatchObject({ dry_run: true, archives: [], untouched: 1 });
  expect(everyFile(project.root)).toEqual(before);

  const done = await pruned(project);
  expect(done.sessions).toEqual(planned.sessions);
  expect(done.sessions.map(({ session_id }) => session_id)).toEqual([ended]);
  const date = new Date().toISOString().slice(0, 10);
  expect(done.archives).toEqual([`${ARCHIVE}/${date}.jsonl`]);
  expect(archived(project)).toContain(lines);
  expect(streams(project)).toEqual([`${open}.jsonl`]);
  expect(existsSync(project.path(`.deepwork/tmp/session_${ended}.json`))).toBe(false);
  expect(existsSync(project.path(`.deepwork/tmp/session_${open}.json`))).toBe(true);
  expect(readFileSync(project.path('.deepwork/tmp/ended.log'), 'utf8')).not.toContain(ended);
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 0 });
  expect((await commandIn(project, 'verify', ended)).stdout).toContain('1 archive, 2 events');
  // The active run goes on.
  const server = await connectToProcess(project.root);
  const answer = await server.ok('finished_step', { outputs: { two: 'b.md' }, session_id: open });
  expect(answer.status).toBe('workflow_complete');
  await server.close();

  // A second time on that day does not touch the first archive.
  const again = await pruned(project);
  expect(again.archives).toEqual([`${ARCHIVE}/${date}-2.jsonl`]);
  expect(await commandIn(project, 'verify')).toMatchObject({ code: 0 });
  expect(streams(project)).toEqual([]);
  expect(await commandIn(project, 'prune')).toMatchObject({
    stdout: 'Nothing to prune; 0 runs active or ended too recently.\n',
  });
});

test('a run whose turns cannot be read stays, since they may name a worktree', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  const [ended = ''] = await finishedRun(project);
  project.write(`.deepwork/journal/run/${ended}.jsonl`, 'no line of ours\n');
  expect(await pruned(project)).toMatchObject({
    sessions: [],
    kept: [{ session_id: ended, reason: 'its turns cannot be read' }],
    unreadable: [`run/${ended}`],
  });
  expect(streams(project)).toEqual([`${ended}.jsonl`]);
});

test('the day on which a run ended is that of this machine', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  await finishedRun(project);
  // In one of these it is not the day that it is in Greenwich.
  for (const [zone, hours] of Object.entries({ 'Etc/GMT+12': -12, 'Etc/GMT-14': 14 })) {
    const options = { cwd: project.root, env: { TZ: zone } };
    const { stdout } = await deepwork(['prune', '--older-than', '0m', '--dry-run'], options);
    const day = new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
    expect(stdout).toContain(`done ${day}\n`);
  }
});

test('what ended too recently stays, and a nested run goes only with its root', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  const nested = await finishedRun(project, { depth: 2, instance: 'n' });
  expect(await commandIn(project, 'prune')).toMatchObject({
    stdout: 'Nothing to prune; 2 runs active or ended too recently.\n',
  });
  const view = JSON.parse(
    readFileSync(project.path(`.deepwork/tmp/session_${nested[1]}.json`), 'utf8'),
  ) as { completed_at: string };
  const now = new Date().toISOString();
  // Between the end of the nested one and that of its root.
  const between = new Date(Date.parse(view.completed_at) + 1).toISOString();
  const request = { projectRoot: project.root, key: knownJournalKey() as Buffer, now };
  const early = await pruneSessions({ ...request, before: between, dryRun: false });
  expect(early).toMatchObject({ sessions: [], untouched: 2 });
  const late = await pruneSessions({ ...request, before: now, dryRun: false });
  expect(late.sessions.map(({ session_id }) => session_id).sort()).toEqual([...nested].sort());
});

describe('branches', () => {
  const CREATE = 'git:\n  branch: create\n';

  test('that hold no commit of their own go; a run whose branch holds some stays', async () => {
    verifies('BOARD-7');
    const project = newRecords(CREATE);
    const { git, branches } = newRepository(project.root);
    git('commit', '--quiet', '--allow-empty', '-m', 'First');
    await finishedRun(project, { instance: 'empty' });
    const [working = ''] = await finishedRun(project, { instance: 'working' });
    await finishedRun(project, { instance: 'merged' });
    await finishedRun(project, { instance: 'here' });
    for (const name of ['working', 'merged']) {
      git('switch', '--quiet', `deepwork/demo-short-${name}`);
      git('commit', '--quiet', '--allow-empty', '-m', name);
    }
    git('switch', '--quiet', 'trunk');
    git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'deepwork/demo-short-merged');
    git('switch', '--quiet', 'deepwork/demo-short-here');
    const open = await openRun(project);

    const done = await pruned(project);
    expect(branches()).toEqual([
      'deepwork/demo-main-open',
      'deepwork/demo-short-here',
      'deepwork/demo-short-working',
    ]);
    expect(done.kept).toEqual([
      {
        session_id: working,
        workflow: 'demo/short',
        reason: 'its branch deepwork/demo-short-working has commits of its own',
      },
    ]);
    expect(streams(project)).toEqual([`${open}.jsonl`, `${working}.jsonl`].sort());
    expect(git('status', '--porcelain', '--', ARCHIVE)).toBe('');
    expect(await commandIn(project, 'verify')).toMatchObject({ code: 0 });
  });

  test('that a run which stays shares are left alone', async () => {
    verifies('BOARD-7');
    const project = newRecords(CREATE);
    const { git, branches } = newRepository(project.root);
    git('commit', '--quiet', '--allow-empty', '-m', 'First');
    await finishedRun(project, { instance: 'shared' });
    const server = await connectToProcess(project.root);
    await server.ok('start_workflow', {
      goal: 'x',
      job_name: 'demo',
      workflow_name: 'short',
      instance_id: 'shared',
    });
    await server.close();
    expect(await pruned(project)).toMatchObject({ sessions: [{ branch_removed: null }] });
    expect(branches()).toEqual(['deepwork/demo-short-shared']);
  });
});

test('killed at any change, it loses nothing and doubles nothing', async () => {
  verifies('BOARD-7');
  const killer = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));
  const key = knownJournalKey() as Buffer;
  let project = newRecords();
  let ids: string[] = [];
  let kills = 0;
  for (let at = 1; ; at++) {
    if (!existsSync(project.path('.deepwork/journal/session')) || streams(project).length < 2) {
      project = newRecords();
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
    const seen = archived(project);
    for (const id of ids) {
      const here = existsSync(project.path(`.deepwork/journal/session/${id}.jsonl`));
      expect([at, id, here || seen.includes(`"session_id":"${id}"`)]).toEqual([at, id, true]);
    }
    if (killed.code === 0) break;
    kills += 1;
    const now = new Date().toISOString();
    await pruneSessions({ projectRoot: project.root, key, now, before: now, dryRun: false });
    const whole = archived(project);
    const counts = ids.map((id) => times(whole, `"session_id":"${id}"`));
    expect([at, counts, streams(project)]).toEqual([at, [1, 1], []]);
    expect(await verifyJournal(project.root, key)).toMatchObject({ sound: true });
  }
  expect(kills).toBeGreaterThan(5);
}, 180_000);

test('an archive folder that leads out of the project is refused, and nothing is lost', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  await finishedRun(project);
  const outside = tempFolder();
  symlinkSync(outside, project.path(ARCHIVE));
  const before = everyFile(project.path('.deepwork/journal'));
  const ran = await commandIn(project, 'prune', '--older-than', '0m');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(ARCHIVE);
  expect(readdirSync(outside)).toEqual([]);
  expect(everyFile(project.path('.deepwork/journal'))).toEqual(before);
});

test('an agent cannot prune, but may look at what would go', async () => {
  verifies('BOARD-7');
  const project = newRecords();
  await finishedRun(project);
  const as = (...more: string[]) =>
    command(['prune', '--older-than', '0m', '--path', project.root, ...more], {
      cwd: project.root,
      env: { CLAUDECODE: '1' },
    });
  const refused = await as();
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('agents cannot prune sessions');
  expect(streams(project)).toHaveLength(1);
  expect((await as('--dry-run')).code).toBe(0);
  expect(await commandIn(project, 'prune', '--older-than', 'soon')).toMatchObject({ code: 2 });
});
