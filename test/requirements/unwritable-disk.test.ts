// A disk that cannot be written to: the call names the session it could not save and the reason,
// everything stays unchanged, and the same call works once the disk does.

import { mkdirSync, readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { mountReadOnly, mountSmallDisk, resizeSmallDisk, whyNoMounts } from '../support/mounts.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const noMounts = whyNoMounts();
if (noMounts !== null) console.warn(`Skipped: full and read-only disks (${noMounts})`);

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  writeJob(
    project,
    'demo',
    { a: { outputs: { report: 'file' } }, b: {}, c: { reviews: [REVIEW] } },
    { main: ['a', 'b', 'c'] },
  );
  return project;
}

async function start(server: Connection): Promise<string> {
  return (await server.ok('start_workflow', START)).begin_step.session_id;
}

const FINISH = { outputs: { report: 'a.md' } };

describe('a journal that cannot be written', () => {
  test("a file in the folder's place stops a start, and is not touched", async () => {
    verifies('JOBS-X.20', 'JOBS-X.4');
    const project = newDemo();
    project.write('.deepwork/journal', 'I was here first');
    const server = await connect(project.root);
    const refused = await server.call('start_workflow', START);
    const next = expectRefusal(refused, /^Cannot save session '[0-9a-f]{8}': \S/);
    expect(next).toContain('.deepwork/journal');
    expect((await server.ok('get_workflows')).stack).toEqual([]);
    expect(keptState(project)).toEqual({});
    rmSync(project.path('.deepwork/journal'));
    await start(server);
  });

  test("a file in the folder's place does not change a session", async () => {
    verifies('JOBS-X.20', 'JOBS-X.12');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await start(server);
    const view = readView(project, id);
    renameSync(project.path('.deepwork/journal'), project.path('moved'));
    project.write('.deepwork/journal', 'Not a folder');
    for (const args of [FINISH, { ...FINISH, session_id: id }]) {
      expect((await server.call('finished_step', args)).isError).toBe(true);
    }
    expect(readView(project, id)).toEqual(view);
    rmSync(project.path('.deepwork/journal'));
    renameSync(project.path('moved'), project.path('.deepwork/journal'));
    expect((await server.ok('finished_step', FINISH)).begin_step.step_id).toBe('b');
  });

  test.skipIf(noMounts !== null)('a read-only disk does not change a session', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await start(server);
    // A disk on which a file is being created cannot be made read-only.
    await until(() => readdirSync(project.path('.deepwork/tmp')).some((f) => f.endsWith('.tmp')));
    const makeWritable = mountReadOnly(project.path('.deepwork'));
    const before = keptState(project);
    expectRefusal(
      await server.call('finished_step', FINISH),
      new RegExp(`^Cannot save session '${id}': .*EROFS`),
    );
    expectRefusal(
      await server.call('start_workflow', START),
      /^Cannot save session '[0-9a-f]{8}': .*EROFS/,
    );
    expectRefusal(
      await server.call('abort_workflow', { explanation: 'x' }),
      new RegExp(`^Cannot save session '${id}': .*EROFS`),
    );
    // Reading still works, also in a server that starts now.
    const fresh = await connect(project.root);
    const seen = await fresh.ok('get_active_workflow', {});
    expect(seen.orphans).toEqual([]);
    expect((await server.ok('get_active_workflow')).begin_step.step_id).toBe('a');
    expect((await server.ok('validate_step_outputs', FINISH)).valid).toBe(true);
    expect(keptState(project)).toEqual(before);

    makeWritable();
    expect((await server.ok('finished_step', FINISH)).begin_step.step_id).toBe('b');
    expect(readView(project, id).revision).toBe(2);
  });

  test.skipIf(noMounts !== null)('a full disk does not change a session', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const journal = project.path('.deepwork/journal');
    mountSmallDisk(journal, '64k');
    const server = await connect(project.root);
    const id = await start(server);
    const view = readView(project, id);
    fill(project.path('.deepwork/journal/filler'));
    // Longer than the free space in the stream's last block.
    const long = { ...FINISH, notes: 'n'.repeat(8000) };
    const cannot = new RegExp(`^Cannot save session '${id}': .*ENOSPC`);
    expectRefusal(await server.call('finished_step', long), cannot);
    expectRefusal(await server.call('finished_step', long), cannot);
    expectRefusal(await server.call('start_workflow', START), /^Cannot save session .*ENOSPC/);
    expect(readView(project, id)).toEqual(view);
    expect((await server.ok('get_active_workflow')).stack).toMatchObject([
      { workflow: 'demo/main', step: 'a' },
    ]);

    rmSync(project.path('.deepwork/journal/filler'));
    expect((await server.ok('finished_step', long)).begin_step.step_id).toBe('b');
    expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'b' });
  });

  test.skipIf(noMounts !== null)('a half-written event does not count later', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const journal = project.path('.deepwork/journal');
    mountSmallDisk(journal, '64k');
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = await start(first);
    const huge = { ...FINISH, notes: 'n'.repeat(200_000) };
    expectRefusal(
      await first.call('finished_step', huge),
      new RegExp(`^Cannot save session '${id}': .*ENOSPC`),
    );
    await first.close();
    resizeSmallDisk(journal, '1m');
    const second = await connectToProcess(project.root, { closeAfterTest: false });
    expect((await second.ok('get_active_workflow')).begin_step.step_id).toBe('a');
    expect((await second.ok('finished_step', huge)).begin_step.step_id).toBe('b');
    expect(readView(project, id).step_progress.a.notes).toHaveLength(200_000);
    await second.close();
    const third = await connect(project.root);
    expect((await third.ok('get_active_workflow')).begin_step.step_id).toBe('b');
  });
});

describe('views that cannot be written', () => {
  test('cause only a warning: the work is saved and continues', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    project.write('.deepwork/tmp', 'In the way');
    const server = await connect(project.root);
    const started = await server.ok('start_workflow', START);
    const id = started.begin_step.session_id;
    expect(started.warnings.join()).toContain(`session '${id}'`);
    const answer = await server.ok('finished_step', FINISH);
    expect(answer.begin_step.step_id).toBe('b');
    expect(answer.warnings.join()).toContain(`session '${id}'`);
    await server.ok('finished_step', { outputs: {} });
    // A review cannot be requested without its file: the session waits.
    expect((await server.call('finished_step', { outputs: {} })).isError).toBe(true);
    rmSync(project.path('.deepwork/tmp'));
    mkdirSync(project.path('.deepwork/tmp'));
    const asked = await server.ok('finished_step', { outputs: {} });
    expect(asked).toMatchObject({ status: 'needs_work', warnings: [] });
    expect(readView(project, id)).toMatchObject({ current_step_id: 'c' });
  });
});

/** Uses up all free space on the disk of a file. */
function fill(file: string): void {
  const { bavail, bsize } = statfsSync(file.slice(0, file.lastIndexOf('/')));
  writeFileSync(file, Buffer.alloc(bavail * bsize));
}
