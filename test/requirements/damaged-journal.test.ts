// A journal that was altered behind the server's back. The stream is reported and set aside with
// every byte it had; other sessions continue as if nothing had happened.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal, refusal } from '../support/refusal.ts';
import { readView, streamFile } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const FINISH = { outputs: {} };

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {}, c: {}, d: {} }, { main: ['a', 'b', 'c', 'd'] });
  return project;
}

/** A session with three events: started, a done, b done. */
async function threeEvents(server: Connection): Promise<string> {
  const start = { goal: 'The goal', job_name: 'demo', workflow_name: 'main' };
  const id = (await server.ok('start_workflow', start)).begin_step.session_id;
  for (const _ of 'ab') await server.ok('finished_step', { ...FINISH, session_id: id });
  return id;
}

type Change = (lines: string[]) => string[];

/** Changes a stream's file; returns its new bytes. */
function alter(project: Project, id: string, change: Change): Buffer {
  const file = project.path(streamFile(id));
  const lines = readFileSync(file, 'latin1').split('\n');
  writeFileSync(file, change(lines).join('\n'), 'latin1');
  return readFileSync(file);
}

/** What was set aside, in any order. */
function keptAside(project: Project): Buffer[] {
  const folder = project.path('.deepwork/journal/damaged');
  return readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`))
    .sort(Buffer.compare);
}

const line =
  (at: number, text: (line: string) => string | undefined): Change =>
  (lines) =>
    lines.flatMap((each, index) => (index === at ? (text(each) ?? []) : each));
const LOST = line(1, () => undefined);

test('a stream is set aside completely and reported, whatever was altered', async () => {
  verifies('JOBS-X.20');
  const project = newDemo();
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  const changes = [
    line(1, (text) => text.replace('"arrival":1', '"arrival":7')),
    LOST,
    line(1, () => '\0'.repeat(300)),
    line(0, () => undefined),
  ];
  const hurt: string[] = [];
  for (const _ of changes) hurt.push(await threeEvents(first));
  const well = await threeEvents(first);
  await first.close();
  const before = readFileSync(project.path(streamFile(well)));
  const altered = hurt.map((id, at) => alter(project, id, changes[at] ?? LOST));

  const second = await connectToProcess(project.root);
  // The other session is the only one left, and is taken over without an id.
  const answer = await second.ok('finished_step', FINISH);
  expect(answer.begin_step).toMatchObject({ session_id: well, step_id: 'd' });
  expect(readFileSync(project.path(streamFile(well))).subarray(0, before.length)).toEqual(before);
  for (const session_id of hurt) {
    expect(second.log()).toContain(session_id);
    for (const [tool, args] of [
      ['finished_step', FINISH],
      ['get_active_workflow', {}],
      ['abort_workflow', { explanation: 'x' }],
    ] as const) {
      const { code, message } = await refusal(second, tool, { ...args, session_id });
      expect(code).toBe('session_damaged');
      expect(message).toContain('.deepwork/journal/damaged/');
    }
  }
  expect(keptAside(project)).toEqual(altered.sort(Buffer.compare));
});

test('damage is noticed by a server that knew the session before, and its other work continues', async () => {
  verifies('JOBS-X.20');
  const project = newDemo();
  const server = await connect(project.root);
  for (const change of [
    line(0, (text) => text.replace('The goal', 'Our goal')),
    (lines: string[]) => [...lines.slice(0, -1), 'rubbish', ''],
  ]) {
    const session_id = await threeEvents(server);
    const view = readView(project, session_id);
    const altered = alter(project, session_id, change);
    const { code } = await refusal(server, 'finished_step', { ...FINISH, session_id });
    expect(code).toBe('session_damaged');
    expect(keptAside(project)).toContainEqual(altered);
    expect(readView(project, session_id)).toEqual(view);
  }
  await threeEvents(server);
  expect((await server.ok('finished_step', FINISH)).stack).toMatchObject([{ step: 'd' }]);
});

test('it is named if no work is found, also after a restart, with the command that helps; not if it had ended', async () => {
  verifies('JOBS-X.20', 'JOBS-X.22');
  const project = newDemo();
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  const ended = await threeEvents(first);
  await first.ok('abort_workflow', { explanation: 'Enough', session_id: ended });
  const hurt = await threeEvents(first);
  await first.close();
  for (const id of [ended, hurt]) alter(project, id, LOST);
  const told = expect.stringMatching(`'${hurt}'.*deepwork repair`);
  for (const _ of ['the server that finds it', 'the next one']) {
    const server = await connect(project.root);
    const seen = await server.ok('get_active_workflow');
    expect(seen).toMatchObject({ active: false, orphans: [], warnings: [told] });
    const refused = readRefusal(await server.call('finished_step', FINISH));
    expect(refused).toMatchObject({ code: 'no_session', next: told });
    await server.close();
  }
  expect(keptAside(project)).toHaveLength(2);
  const { stdout } = await command(['repair', '--path', project.root], {
    cwd: project.root,
    env: cleanEnv(os.homedir()),
  });
  expect(stdout).toMatch(new RegExp(`session/${hurt} .*damaged/session\\.${hurt}`));
});
