// .sgai/state.json beside other programs that write to it.

import { spawn } from 'node:child_process';
import {
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { passTime } from '../support/pass-time.ts';
import type { Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import {
  inboxOf,
  inThisProcess,
  keptAside,
  LOG,
  newTeam,
  readState,
  STATE,
  teamFiles,
  WAYS,
} from './support.ts';

const WRITES = Number(process.env.DEEPWORK_STATE_WRITES ?? 1000);
const UPDATE = 'update_workflow_state';
const UNREADABLE = 'Error: Could not read state.json. Has the workflow been initialized?\nNext: ';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const repair = (project: Project) => command(['repair'], { cwd: project.root });

/**
 * A client's plugin: reads the file, increments its own field, and replaces the file. A file that
 * it cannot parse counts as torn.
 */
const PLUGIN = `
const fs = require('node:fs');
const [file] = process.argv.slice(1);
let n = 0, torn = 0, lost = 0;
const write = () => {
  let state;
  try { state = JSON.parse(fs.readFileSync(file, 'utf8')); }
  catch (error) { if (error.code !== 'ENOENT') torn += 1; return; }
  const theirs = JSON.stringify([state.other, state.currentModel, state.todos?.length]);
  if (theirs !== '[{"deep":"kept","list":[1,null,{}]},"a:m",2]') lost += 1;
  n += 1;
  state.plugin = { n, pad: 'x'.repeat(n % 50) };
  state.todos = [{ id: String(n), content: 'c', status: 'completed' }, { id: 'kept', status: 'cancelled' }];
  fs.writeFileSync(file + '.plugin', JSON.stringify(state));
  fs.renameSync(file + '.plugin', file);
};
setInterval(write, 5);
process.on('message', () => {
  write();
  process.send({ n, torn, lost }, () => process.exit(0));
});
`;

function startPlugin(file: string) {
  const child = spawn(process.execPath, ['-e', PLUGIN, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    stop: () =>
      new Promise<{ n: number; torn: number; lost: number }>((resolve) => {
        child.once('message', (told) => resolve(told as never));
        child.send('stop');
      }),
  };
}

test(`fields that others write survive ${WRITES} writes of ours, and nothing is torn`, {
  timeout: 180_000,
}, async () => {
  verifies('TEAM-40');
  const project = newTeam();
  const other = { deep: 'kept', list: [1, null, {}] };
  const kept = { id: 'kept', status: 'cancelled' };
  const theirs = { other, todos: [{ id: '0', status: 'completed' }, kept], currentModel: 'a:m' };
  project.write(STATE, JSON.stringify(theirs));
  const a = await inThisProcess(project.root, 'a');
  const plugin = startPlugin(project.path(STATE));
  let written = 0;
  // More if the plugin has hardly begun: its process may start late.
  while (written < WRITES || !(readState(project).plugin?.n > 20)) {
    written += 1;
    await a.says(UPDATE, { addProgress: `note ${written}` });
  }
  const { n, torn, lost } = await plugin.stop();
  expect([torn, lost]).toEqual([0, 0]);
  await a.says(UPDATE, { addProgress: 'last' });
  const state = readState(project);
  expect(state).toMatchObject({ other, currentModel: 'a:m', plugin: { n } });
  expect(state.todos).toEqual([{ id: String(n), content: 'c', status: 'completed' }, kept]);
  expect(state.progress).toHaveLength(Math.min(200, written + 1));
  expect(state.progress.at(-1).description).toBe('last');
});

describe.each(WAYS)('over %s', (_way, sit) => {
  test('fields of others are kept exactly, and todos that they add count at once', async () => {
    verifies('TEAM-40');
    const project = newTeam();
    const theirs = ['"odd": 12345678901234567890.10', '"list": [1.0, {"a" : "\\u00e9"}]'];
    project.write(STATE, `{${theirs}}`);
    const a = await sit(project.root, 'a');
    for (const addProgress of ['x', 'y']) await a.says(UPDATE, { addProgress });
    const text = readFileSync(project.path(STATE), 'utf8');
    for (const each of theirs) expect(text).toContain(each);
    const todos = [{ id: '1', status: 'pending' }];
    const next = project.write('.sgai/next', JSON.stringify({ ...readState(project), todos }));
    renameSync(next, project.path(STATE));
    expect(await a.fails(UPDATE, { status: 'agent-done' })).toContain('1 pending');
  });

  test.each([
    ['cut', Buffer.from('{"todos": [')],
    ['nested without end', Buffer.from(`{"messages": ${nested(100_000)}}`)],
    ['nested without end in what is not ours', Buffer.from(`{"x": ${nested(100_000)}}`)],
    ['not UTF-8', Buffer.from('{"theirs": "caf\xe9"}', 'latin1')],
  ])('a file that is %s stops every tool and stays until it is repaired', async (...given) => {
    verifies('TEAM-41');
    const [, content] = given;
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    await boss.says(UPDATE, { status: 'working', addProgress: 'before' });
    writeFileSync(project.path(STATE), content);
    const before = teamFiles(project);
    const args: Record<string, object> = {
      send_message: { toAgent: 'coordinator', body: 'x' },
      project_todowrite: { todos: [] },
    };
    const reading = ['check_inbox', 'check_outbox', 'peek_message_bus', 'project_todoread'];
    for (const tool of [UPDATE, ...Object.keys(args), ...reading]) {
      const said = await boss.fails(tool, { ...args[tool] });
      expect(said.slice(0, UNREADABLE.length)).toBe(UNREADABLE);
    }
    expect(teamFiles(project)).toEqual(before);
    expect(readFileSync(project.path(STATE)).equals(content)).toBe(true);
    expect(await repair(project)).toMatchObject({ code: 0 });
    const [kept] = readdirSync(project.path('.sgai/foreign'));
    expect(readFileSync(project.path(`.sgai/foreign/${kept}`)).equals(content)).toBe(true);
    expect(await boss.says(UPDATE, {})).toContain('notes: 1');
    expect(readState(project).progress).toHaveLength(1);
    expect((await repair(project)).stdout).toContain('Nothing to repair');
  });

  test('a file that becomes complete within a second stops no call', async () => {
    verifies('TEAM-41');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    project.write(STATE, '');
    // The second never ends, however busy the machine is.
    passTime(0);
    setTimeout(() => project.write(STATE, '{"mine": 1}'), 300);
    await a.says(UPDATE, { status: 'working' });
    expect(readState(project)).toMatchObject({ mine: 1, status: 'working' });
  });

  test('the journal wins over changes of our fields, and the changed bytes are kept', async () => {
    verifies('TEAM-42');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    await boss.says(UPDATE, { status: 'working', task: 'ours', addProgress: 'n' });
    expect(keptAside(project)).toEqual([]);
    const foreign = JSON.stringify({ ...readState(project), task: 'theirs', mine: 1 }, null, 2);
    project.write(STATE, foreign);
    expect(await boss.says('project_todoread')).toBe('0 todos');
    expect(readState(project)).toMatchObject({ task: 'ours', mine: 1 });
    expect(keptAside(project)).toEqual([foreign]);

    // An older view of ours that a client writes back is no change of our fields.
    const older = readFileSync(project.path(STATE), 'utf8');
    await boss.says(UPDATE, { status: 'working', task: 'newer' });
    project.write(STATE, older.replace('"mine": 1', '"mine": 2'));
    await boss.says(UPDATE, { status: 'working' });
    expect(readState(project)).toMatchObject({ task: 'newer', mine: 2 });
    // And a deleted file is written again.
    rmSync(project.path(STATE));
    await boss.says('project_todoread');
    expect(readState(project)).toMatchObject({ task: 'newer' });
    expect(keptAside(project)).toHaveLength(1);
  });

  test('a file from before the journal is imported', async () => {
    verifies('TEAM-43');
    const project = newTeam();
    const readAt = '2025-01-02T00:00:00.000Z';
    const message = (id: unknown, read: object = { read: false }) => {
      const text = { body: `body ${id}`, createdAt: '2025-01-01T00:00:00Z' };
      return { id, fromAgent: 'coordinator', toAgent: 'a', ...text, ...read };
    };
    const found = JSON.stringify({
      status: 'agent-done',
      task: 'old task',
      progress: [{ timestamp: '2025-01-01T00:00:00.000Z', agent: 'a', description: 'old' }],
      messages: [message(7, { read: true, readAt }), message(3), message(9)],
      projectTodos: [{ id: '1', content: 'old', status: 'pending', priority: 'low' }],
      todos: [{ id: '1', status: 'completed' }],
      unknown: true,
    });
    project.write(STATE, found);
    const boss = await sit(project.root, 'coordinator');
    const a = await sit(project.root, 'a');
    expect(await boss.says('project_todoread')).toBe('1 todos\n→ ○ old (low)');
    expect(inboxOf(await a.says('check_inbox')).map(({ id }) => id)).toEqual([3, 9]);
    const update = await a.says(UPDATE, { status: 'working' });
    expect(update).toContain('  Current task: old task\n  Total progress notes: 1');
    const sent = await a.says('send_message', { toAgent: 'coordinator', body: 'x' });
    expect(sent).toContain('(ID: 10)');
    expect(await boss.says('check_outbox')).toContain(`Read at ${readAt} | ID: 7`);
    expect(readState(project)).toMatchObject({ unknown: true, todos: [{ id: '1' }] });
    expect(keptAside(project)).toEqual([found]);
    const imports = readFileSync(project.path(LOG), 'utf8').match(/"type":"imported"/g);
    expect(imports).toHaveLength(1);
  });

  test('messages that cannot be imported are reported once, with where their bytes are', async () => {
    verifies('TEAM-43');
    const project = newTeam({ a: [] });
    const messages = [2 ** 60, -1, '4', 7].map((id) => ({
      id,
      fromAgent: 'x',
      toAgent: 'a',
      body: 'b',
    }));
    const found = JSON.stringify({ messages: [...messages, 'no message'] });
    project.write(STATE, found);
    const a = await sit(project.root, 'a');
    expect(await a.fails('check_inbox')).toMatch(/4 of 5 messages .*\.sgai\/foreign\//);
    expect(inboxOf(await a.says('check_inbox')).map(({ id }) => id)).toEqual([7]);
    expect(keptAside(project)).toEqual([found]);
  });

  test('a damaged journal is started over from the file, only by repair', async () => {
    verifies('TEAM-41');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    const a = await sit(project.root, 'a');
    await a.says('check_inbox');
    await boss.says('send_message', { toAgent: 'a', body: 'not lost' });
    await boss.close();
    await a.close();
    const log = readFileSync(project.path(LOG), 'utf8');
    writeFileSync(project.path(LOG), log.replace('not lost', 'not LOST'));
    const again = await sit(project.root, 'a');
    for (let calls = 0; calls < 2; calls++) {
      expect(await again.fails('check_inbox')).toMatch(/ \.deepwork\/journal\/damaged\/team\.log-/);
    }
    expect(await repair(project)).toMatchObject({ code: 0 });
    expect(readdirSync(project.path('.deepwork/journal/damaged'))).toHaveLength(1);
    expect(inboxOf(await again.says('check_inbox'))).toMatchObject([{ id: 1, body: 'not lost' }]);
    const sent = await again.says('send_message', { toAgent: 'coordinator', body: 'x' });
    expect(sent).toContain('(ID: 2)');
  });
});

test.each<[string, (folder: string) => void]>([
  ['a file', (folder) => writeFileSync(folder, 'mine')],
  ['a link to nowhere', (folder) => symlinkSync('nowhere', folder)],
])("%s in the folder's place is named by repair, and not changed", async (_what, make) => {
  verifies('TEAM-41');
  const project = newTeam();
  const way = project.path('.sgai');
  make(way);
  const before = lstatSync(way);
  const boss = await inThisProcess(project.root, 'coordinator');
  const repaired = await repair(project);
  expect(repaired.code).toBe(1);
  expect(repaired.stderr).toContain('.sgai is ');
  expect(lstatSync(way).ino).toBe(before.ino);
  rmSync(way);
  expect((await repair(project)).code).toBe(0);
  await boss.says('check_inbox');
});
