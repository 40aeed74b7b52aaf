// A journal that lost something under a running server: deleted (`git clean -fdx`), cut, or replaced
// by an older copy. The journal on disk is the truth. The server reports once what happened, to the
// caller whose work it is, and continues from what is left.

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connectToProcess } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { refusal } from '../support/refusal.ts';
import { readView, streamFile } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { inboxOf, newTeam, STATE, inThisProcess as sit } from '../team/support.ts';
import { verifies } from '../verifies.ts';

const JOURNAL = '.deepwork/journal';
const FINISH = { outputs: {} };

describe('a session', () => {
  async function running() {
    const project = newProject();
    writeJob(project, 'demo', { a: {}, b: {}, c: {}, d: {} }, { main: ['a', 'b', 'c', 'd'] });
    const server = await connectToProcess(project.root);
    const start = () =>
      server.ok('start_workflow', { goal: 'x', job_name: 'demo', workflow_name: 'main' });
    const id: string = (await start()).begin_step.session_id;
    const finish = async () => (await server.ok('finished_step', FINISH)).begin_step.step_id;
    const codeOf = async (args: object = {}) =>
      (await refusal(server, 'finished_step', { ...FINISH, ...args })).code;
    return { project, server, start, id, finish, codeOf, file: project.path(streamFile(id)) };
  }

  test('whose journal was deleted is lost, which is said once, and work starts over', async () => {
    verifies('JOBS-X.20');
    const { project, server, start, id, finish, codeOf } = await running();
    await finish();
    for (const named of [false, true]) {
      const session = named ? (await start()).begin_step.session_id : id;
      removeFolder(project.path(JOURNAL));
      removeFolder(project.path('.deepwork/tmp'));
      expect(await codeOf(named ? { session_id: session } : {})).toBe('session_lost');
      await until(() => server.log().includes(`journal of session '${session}'`));
      expect(await codeOf()).toBe('no_session');
    }
    await start();
    expect(await finish()).toBe('b');
  });

  test('whose journal was cut or rolled back continues from what is left, and reports it', async () => {
    verifies('JOBS-X.20');
    const { project, server, id, finish, codeOf, file } = await running();
    await finish();
    copyFileSync(file, `${file}.old`);
    await finish();
    const lines = readFileSync(file, 'latin1').split('\n');
    truncateSync(file, lines.slice(0, 2).join('\n').length + 1);
    // It is meant for step c, and must not finish step b.
    expect(await codeOf()).toBe('session_went_back');
    await until(() => server.log().includes(`journal of session '${id}'`));
    expect((await server.ok('get_active_workflow')).begin_step.step_id).toBe('b');
    expect(await finish()).toBe('c');
    expect(readView(project, id)).toMatchObject({ revision: 3 });
    await finish();
    renameSync(`${file}.old`, file);
    const back = await refusal(server, 'get_active_workflow', { session_id: id });
    expect(back.code).toBe('session_went_back');
    expect(await finish()).toBe('c');
  });

  test('whose journal was cut inside a line does not make the server spin', async () => {
    verifies('JOBS-X.20');
    const { id, finish, codeOf, file } = await running();
    await finish();
    truncateSync(file, readFileSync(file, 'latin1').indexOf('\n') + 80);
    expect(await codeOf({ session_id: id })).toBe('session_went_back');
  });
});

describe('a team', () => {
  const send = (n: number) => ({ toAgent: 'a', body: `message ${n}` });

  test('whose journal was deleted continues from its state file, ids included', async () => {
    const project = newTeam({ a: [] });
    const boss = await sit(project.root, 'coordinator');
    for (const n of [1, 2]) await boss.says('send_message', send(n));
    removeFolder(project.path(JOURNAL));
    expect(await boss.fails('send_message', send(3))).toContain('was deleted');
    expect(await boss.says('send_message', send(3))).toContain('(ID: 3)');
    const a = await sit(project.root, 'a');
    const bodies = inboxOf(await a.says('check_inbox')).map(({ body }) => body);
    expect(bodies).toEqual([1, 2, 3].map((n) => `message ${n}`));
  });

  test('whose journal and state file were deleted starts empty', async () => {
    // Alone: another server might still write the state file that is being removed.
    const project = newTeam({ a: [] });
    const boss = await sit(project.root, 'coordinator');
    for (const n of [1, 2]) await boss.says('send_message', send(n));
    removeFolder(project.path(JOURNAL));
    rmSync(project.path(STATE));
    await boss.fails('send_message', send(1));
    expect(await boss.says('send_message', send(1))).toContain('(ID: 1)');
    expect(existsSync(project.path(STATE))).toBe(true);
  });
});
