// .sgai/state.json beside other programs that write to it.

import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { passTime } from '../support/pass-time.ts';
import type { Project } from '../support/project.ts';
import { until } from '../support/until.ts';
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

/** A few for each route; all of the promised thousand once. */
const WRITES = Number(process.env.DEEPWORK_STATE_WRITES ?? 50);
const MANY_WRITES = Math.max(WRITES, 1000);
const UNREADABLE =
  'Error: Could not read state.json. Has the workflow been initialized?\nNext: have your user run `deepwork repair`, which moves the file aside and writes it again.';

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/**
 * A client's plugin: reads the file, increments its own field, and writes it back, by renaming or
 * in place. A file that it cannot parse counts as torn.
 */
const PLUGIN = `
const fs = require('node:fs');
const [file, how] = process.argv.slice(1);
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
  if (how === 'in place') return fs.writeFileSync(file, JSON.stringify(state));
  fs.writeFileSync(file + '.plugin', JSON.stringify(state));
  fs.renameSync(file + '.plugin', file);
};
setInterval(write, 5);
process.on('message', () => {
  write();
  process.send({ n, torn, lost }, () => process.exit(0));
});
`;

function startPlugin(file: string, how: string) {
  const child = spawn(process.execPath, ['-e', PLUGIN, file, how], {
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

/** As far as it can be read: the plugin may be writing. */
function writesOfPlugin(project: Project): number {
  try {
    return readState(project).plugin?.n ?? 0;
  } catch {
    return 0;
  }
}

describe.each(WAYS)('over %s', (way, sit) => {
  test.each([
    ['by renaming', way === 'the library' ? MANY_WRITES : WRITES],
    ['in place', WRITES],
  ])(
    'fields that others write %s survive %i writes of ours, and nothing is torn',
    { timeout: 180_000 },
    async (how, writes) => {
      verifies('TEAM-40');
      const project = newTeam();
      const other = { deep: 'kept', list: [1, null, {}] };
      const todos = [
        { id: '0', status: 'completed' },
        { id: 'kept', status: 'cancelled' },
      ];
      project.write(STATE, JSON.stringify({ other, todos, currentModel: 'a:m' }));
      const a = await sit(project.root, 'a');
      const plugin = startPlugin(project.path(STATE), how);
      let written = 0;
      // More if the plugin has hardly begun: its process may start late.
      while (written < writes || writesOfPlugin(project) <= 20) {
        written += 1;
        await a.says('update_workflow_state', {
          status: 'working',
          addProgress: `note ${written}`,
        });
      }
      const { n, torn, lost } = await plugin.stop();
      expect(n).toBeGreaterThan(20);
      expect(torn).toBe(0);
      expect(lost).toBe(0);
      await a.says('update_workflow_state', { status: 'working', addProgress: 'last' });
      const state = readState(project);
      expect(state).toMatchObject({ other, currentModel: 'a:m', plugin: { n } });
      expect(state.todos).toEqual([
        { id: String(n), content: 'c', status: 'completed' },
        { id: 'kept', status: 'cancelled' },
      ]);
      expect(state.progress).toHaveLength(Math.min(200, written + 1));
      expect(state.progress.at(-1).description).toBe('last');
    },
  );
});

describe.each(WAYS)('over %s', (_way, sit) => {
  test('text written into a file while it is being replaced is not lost', async () => {
    verifies('TEAM-40');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    await a.says('update_workflow_state', { status: 'working', addProgress: 'one' });
    const found = readState(project);
    // Opened before our next write, written to after it.
    const file = openSync(project.path(STATE), 'r+');
    await a.says('update_workflow_state', { status: 'working', addProgress: 'two' });
    ftruncateSync(file);
    writeSync(file, JSON.stringify({ ...found, todos: [{ id: '1', status: 'pending' }] }));
    closeSync(file);
    await until(() => readState(project).todos !== undefined);
    expect(readState(project).progress).toHaveLength(2);
    expect(await a.fails('update_workflow_state', { status: 'agent-done' })).toContain('1 pending');
    expect(keptAside(project)).toEqual([]);
  });

  test('fields of others are kept exactly', async () => {
    verifies('TEAM-40');
    const project = newTeam();
    const theirs = '"odd": 12345678901234567890.10,\n "list": [1.0, {"a" : "\\u00e9"}]';
    project.write(STATE, `{${theirs}}`);
    const a = await sit(project.root, 'a');
    await a.says('update_workflow_state', { status: 'working', addProgress: 'x' });
    await a.says('update_workflow_state', { status: 'working', addProgress: 'y' });
    const text = readFileSync(project.path(STATE), 'utf8');
    expect(text).toContain('"odd": 12345678901234567890.10');
    expect(text).toContain('"list": [1.0, {"a" : "\\u00e9"}]');
  });

  test('an unreadable file stops every tool and is not changed until it is repaired', async () => {
    verifies('TEAM-41');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    await boss.says('update_workflow_state', { status: 'working', addProgress: 'before' });
    project.write(STATE, '{"todos": [');
    const before = teamFiles(project);
    const calls: [string, object][] = [
      ['update_workflow_state', { status: 'working' }],
      ['send_message', { toAgent: 'coordinator', body: 'x' }],
      ['check_inbox', {}],
      ['check_outbox', {}],
      ['peek_message_bus', {}],
      ['project_todowrite', { todos: [] }],
      ['project_todoread', {}],
    ];
    const waits: number[] = [];
    for (const [tool, args] of calls) {
      const began = performance.now();
      expect(await boss.fails(tool, { ...args })).toBe(UNREADABLE);
      waits.push(performance.now() - began);
    }
    // Half a file gets a second to become complete; after that no call waits for it again. A busy
    // machine may hold up some of them, but if they waited, each would.
    expect(waits[0]).toBeGreaterThan(900);
    expect(Math.min(...waits)).toBeLessThan(900);
    expect(teamFiles(project)).toEqual(before);
    const repaired = await command(['repair'], { cwd: project.root });
    expect(repaired).toMatchObject({ code: 0 });
    expect(repaired.stdout).toMatch(
      /^state\.json could not be read\. It is kept as \.sgai\/foreign\//,
    );
    expect(keptAside(project)).toEqual(['{"todos": [']);
    expect(await boss.says('update_workflow_state', { status: 'working' })).toContain('notes: 1');
    expect(readState(project).progress).toHaveLength(1);
    expect(await command(['repair'], { cwd: project.root })).toMatchObject({
      stdout: 'Nothing to repair: state.json and the journal can be read.\n',
    });
  });

  test.each([
    ['nested without end', () => Buffer.from(`{"messages": ${nested(100_000)}}`)],
    ['nested without end in what is not ours', () => Buffer.from(`{"x": ${nested(100_000)}}`)],
    ['not UTF-8', () => Buffer.from('{"theirs": "caf\xe9"}', 'latin1')],
  ])('a file that is %s counts as unreadable, and is kept', async (_what, contentOf) => {
    verifies('TEAM-41');
    const project = newTeam();
    const content = contentOf();
    const boss = await sit(project.root, 'coordinator');
    await boss.says('update_workflow_state', { status: 'working', addProgress: 'before' });
    writeFileSync(project.path(STATE), content);
    expect(await boss.fails('check_inbox')).toBe(UNREADABLE);
    expect(await boss.fails('update_workflow_state', { status: 'working' })).toBe(UNREADABLE);
    expect(readFileSync(project.path(STATE)).equals(content)).toBe(true);
    const repaired = await command(['repair'], { cwd: project.root });
    expect(repaired.stdout).toMatch(/^state\.json could not be read\. It is kept as /);
    const [kept] = readdirSync(project.path('.sgai/foreign'));
    expect(readFileSync(project.path(`.sgai/foreign/${kept}`)).equals(content)).toBe(true);
    expect(await boss.says('check_inbox')).toBe('You have no messages.');
    expect(readState(project).progress).toHaveLength(1);
  });

  test('a file that becomes complete within a second stops no call', async () => {
    verifies('TEAM-41');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    project.write(STATE, '');
    // The second never ends, however busy the machine is.
    passTime(0);
    setTimeout(() => project.write(STATE, '{"mine": 1}'), 300);
    await a.says('update_workflow_state', { status: 'working' });
    expect(readState(project)).toMatchObject({ mine: 1, status: 'working' });
  });

  test('the journal wins over changes of our fields, and the changed bytes are kept', async () => {
    verifies('TEAM-42');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    await boss.says('update_workflow_state', { status: 'working', task: 'ours', addProgress: 'n' });
    expect(keptAside(project)).toEqual([]);
    const foreign = JSON.stringify({ ...readState(project), task: 'theirs', mine: 1 }, null, 2);
    project.write(STATE, foreign);
    expect(await boss.says('project_todoread')).toBe('0 todos');
    expect(readState(project)).toMatchObject({ task: 'ours', mine: 1 });
    expect(keptAside(project)).toEqual([foreign]);

    // An older view of ours that a client writes back is no change of our fields.
    const older = readFileSync(project.path(STATE), 'utf8');
    await boss.says('update_workflow_state', { status: 'working', task: 'newer' });
    project.write(STATE, older.replace('"mine": 1', '"mine": 2'));
    await boss.says('update_workflow_state', { status: 'working' });
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
    const message = (id: number, read: boolean, toAgent = 'a') => ({
      id,
      fromAgent: 'coordinator',
      toAgent,
      body: `body ${id}`,
      createdAt: '2025-01-01T00:00:00Z',
      read,
      ...(read ? { readAt: '2025-01-02T00:00:00.000Z' } : {}),
    });
    const found = JSON.stringify({
      status: 'agent-done',
      task: 'old task',
      progress: [{ timestamp: '2025-01-01T00:00:00.000Z', agent: 'a', description: 'old' }],
      messages: [message(7, true), message(3, false), message(9, false)],
      projectTodos: [{ id: '1', content: 'old', status: 'pending', priority: 'low' }],
      todos: [{ id: '1', status: 'completed' }],
      unknown: true,
    });
    project.write(STATE, found);
    const [boss, a] = await Promise.all(
      ['coordinator', 'a'].map((name) => sit(project.root, name)),
    );
    expect(await boss?.says('project_todoread')).toBe('1 todos\n→ ○ old (low)');
    expect(inboxOf((await a?.says('check_inbox')) ?? '').map(({ id }) => id)).toEqual([3, 9]);
    expect(await a?.says('update_workflow_state', { status: 'working' })).toContain(
      '  Current task: old task\n  Total progress notes: 1',
    );
    expect(await a?.says('send_message', { toAgent: 'coordinator', body: 'x' })).toContain(
      '(ID: 10)',
    );
    expect(await boss?.says('check_outbox')).toContain('Read at 2025-01-02T00:00:00.000Z | ID: 7');
    expect(readState(project)).toMatchObject({ unknown: true, todos: [{ id: '1' }] });
    expect(keptAside(project)).toEqual([found]);
    const imports = readFileSync(project.path(LOG), 'utf8').match(/"type":"imported"/g);
    expect(imports).toHaveLength(1);
  });

  test('messages that cannot be imported are reported once, with where their bytes are', async () => {
    verifies('TEAM-43');
    const project = newTeam({ a: [] });
    const ids = [2 ** 53, 2 ** 60, -1, 0, 1.5, '4', null, 7, 7];
    const messages = ids.map((id) => ({ id, fromAgent: 'x', toAgent: 'a', body: `body ${id}` }));
    const found = JSON.stringify({ messages: [...messages, 'no message'] });
    project.write(STATE, found);
    const a = await sit(project.root, 'a');
    const said = await a.fails('check_inbox');
    expect(said).toMatch(/^Error: 9 of 10 messages .* were not imported.*make the call again/);
    const [, kept = ''] = /kept as (\.sgai\/foreign\/\S+\.json)/.exec(said) ?? [];
    expect(readFileSync(project.path(kept), 'utf8')).toBe(found);
    expect(inboxOf(await a.says('check_inbox')).map(({ id }) => id)).toEqual([7]);
    expect(keptAside(project)).toEqual([found]);
  });

  test('an id that leaves no room for others is renumbered, and messages still work', async () => {
    const project = newTeam({ a: [] });
    const message = { fromAgent: 'x', toAgent: 'a', body: 'first', createdAt: 'never' };
    project.write(STATE, JSON.stringify({ messages: [{ id: 2 ** 53 - 1, ...message }] }));
    const boss = await sit(project.root, 'coordinator');
    for (const [id, body] of [
      [2, 'second'],
      [3, 'third'],
    ]) {
      const sent = await boss.says('send_message', { toAgent: 'a', body });
      expect(sent).toContain(`(ID: ${id})`);
    }
    const a = await sit(project.root, 'a');
    expect(inboxOf(await a.says('check_inbox')).map(({ id, body }) => [id, body])).toEqual([
      [1, 'first'],
      [2, 'second'],
      [3, 'third'],
    ]);
    expect(await a.says('check_inbox')).toBe('You have no messages.');
  });

  test('a damaged journal is started over from the file, only by repair', async () => {
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
    expect(await again.fails('check_inbox')).toMatch(
      /journal is damaged and is kept as \.deepwork\/journal\/damaged\/team\.log-.* run `deepwork repair`/,
    );
    expect(await again.fails('check_inbox')).toMatch(/journal is damaged/);
    const repaired = await command(['repair'], { cwd: project.root });
    expect(repaired.stdout).toMatch(
      /journal was damaged\. It is kept as \.deepwork\/journal\/damaged\/team\.log-/,
    );
    expect(readdirSync(project.path('.deepwork/journal/damaged'))).toHaveLength(1);
    expect(inboxOf(await again.says('check_inbox'))).toMatchObject([{ id: 1, body: 'not lost' }]);
    expect(await again.says('send_message', { toAgent: 'coordinator', body: 'x' })).toContain(
      '(ID: 2)',
    );
  });

  test('a file moved into place between calls is seen by the next call', async () => {
    verifies('TEAM-40');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    await a.says('update_workflow_state', { status: 'working' });
    const moved = project.write(
      '.sgai/next.json',
      JSON.stringify({ ...readState(project), todos: [{ id: '1', status: 'pending' }] }),
    );
    renameSync(moved, project.path(STATE));
    expect(await a.fails('update_workflow_state', { status: 'agent-done' })).toContain('1 pending');
    await until(() => !existsSync(moved));
  });
});

test.each<[string, (project: Project) => string, string]>([
  [
    'a file',
    (project) => project.write('.sgai', 'mine'),
    '.sgai is in the way: it should be a folder, but is not\nNext: move it away or rename it, then run `deepwork repair` again.\n',
  ],
  [
    'a link to nowhere',
    (project) => linkToNowhere(project.path('.sgai')),
    '.sgai is a symbolic link that leads nowhere; remove the link, or put a folder in its place\nNext: do the same again once the link is gone.\n',
  ],
])("%s in the folder's place is named by repair, and not changed", async (...given) => {
  const [, make, said] = given;
  verifies('TEAM-41');
  const project = newTeam();
  const way = make(project);
  const before = lstatSync(way);
  const boss = await inThisProcess(project.root, 'coordinator');
  const repaired = await command(['repair'], { cwd: project.root });
  expect(repaired.code).toBe(1);
  expect(repaired.stderr).toMatch(/^deepwork: /);
  expect(repaired.stderr.endsWith(said)).toBe(true);
  expect(lstatSync(way).ino).toBe(before.ino);
  rmSync(way);
  expect((await command(['repair'], { cwd: project.root })).code).toBe(0);
  await boss.says('check_inbox');
});

function linkToNowhere(name: string): string {
  symlinkSync('nowhere', name);
  return name;
}
