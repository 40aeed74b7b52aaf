// Messages between agents: who can receive them, who reads what, and in which order.

import { describe, expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { inboxOf, newTeam, readState, type Seat, STATE, WAYS } from './support.ts';

const timeless = (text: string) =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>');

const idsFor = async (seat: Seat | undefined) =>
  inboxOf((await seat?.says('check_inbox')) ?? '').map(({ id }) => id);

describe.each(WAYS)('over %s', (_way, sit) => {
  /** A seat for each. */
  const sitAll = (root: string, ...names: string[]) =>
    Promise.all(names.map((name) => sit(root, name))) as Promise<[Seat, ...Seat[]]>;

  test('a message is sent, received and read, with the promised texts', async () => {
    verifies('TEAM-25');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    const a = await sit(project.root, 'a');
    expect(await a.says('check_inbox')).toBe('You have no messages.');
    expect(await a.says('check_outbox')).toBe('You have not sent any messages.');
    expect(await boss.says('peek_message_bus')).toBe('No messages in the system.');

    const send = (body: string) => boss.says('send_message', { toAgent: 'a', body });
    expect(await send('first\nof two lines')).toBe(
      'Message sent successfully to a. (ID: 1)\nFrom: coordinator\nTo: a\nBody: first\nof two lines',
    );
    await send('second');
    expect(await a.says('send_message', { toAgent: 'coordinator', body: 'reply' })).toBe(
      "Message sent successfully to coordinator. (ID: 3)\nFrom: a\nTo: coordinator\nBody: reply\n\nIMPORTANT: Yield with status 'agent-done' to let replies arrive.",
    );
    expect(timeless(await a.says('check_inbox'))).toBe(
      'You have 2 message(s):\n\nMessage 1: (ID: 1, <time>)\n  From: coordinator\n  Body: first\nof two lines\n\nMessage 2: (ID: 2, <time>)\n  From: coordinator\n  Body: second',
    );
    expect(await a.says('check_inbox')).toBe('You have no messages.');
    await send('third');
    expect(timeless(await boss.says('check_outbox'))).toBe(
      'Pending messages (1):\n  1. To: a | Subject: third | ID: 4\n\nDelivered messages (2):\n  1. To: a | Subject: first | Read at <time> | ID: 1\n  2. To: a | Subject: second | Read at <time> | ID: 2',
    );
    const bus = timeless(await boss.says('peek_message_bus'));
    expect(bus).toMatch(
      /^Total messages: 4\n\nMessage 1 \(ID: 4\): <time>\n {2}From: coordinator\n {2}To: a\n {2}Status: pending\n {2}Body: third\n\nMessage 2 \(ID: 3\)/,
    );
    expect(bus).toMatch(
      /Message 4 \(ID: 1\): <time>\n {2}From: coordinator\n {2}To: a\n {2}Status: read\n {2}Read At: <time>\n {2}Body: first\nof two lines$/,
    );
    const { messages } = readState(project);
    expect(messages.map(({ read }: { read: boolean }) => read)).toEqual([true, true, false, false]);
  });

  test('invalid targets, messages to oneself and oversized bodies are refused', async () => {
    verifies('TEAM-18');
    const project = newTeam({ a: ['m1', 'm2'], b: ['solo'], writer: [] });
    const [boss, one, plain, b] = (await sitAll(
      project.root,
      'coordinator',
      'a|m1',
      'a',
      'b|solo',
    )) as [Seat, Seat, Seat, Seat];
    const valid = 'a, a:m1, a:m2, b, b:solo, coordinator, writer';
    for (const toAgent of ['nobody', 'A', 'a:m3', '', 'b:m1', 'wrtier']) {
      const said = await boss.fails('send_message', { toAgent, body: 'x' });
      const [first, next] = said.split('\n');
      expect(first).toBe(
        `Error: Agent '${toAgent}' is not in the workflow. Valid agents are: ${valid}`,
      );
      expect(next?.includes("'writer'")).toBe(toAgent === 'wrtier');
    }
    const self = async (seat: Seat, toAgent: string, name: string) =>
      expect(await seat.fails('send_message', { toAgent, body: 'x' })).toBe(
        `Error: Agent '${name}' cannot send a message to itself.`,
      );
    await self(boss, 'coordinator', 'coordinator');
    await self(one, 'a', 'a:m1');
    await self(one, 'a:m1', 'a:m1');
    await self(plain, 'a:m1', 'a');
    expect(await one.says('send_message', { toAgent: 'a:m2', body: 'x' })).toContain('(ID: 1)');

    const full = 'é'.repeat(32 * 1024);
    expect(await boss.says('send_message', { toAgent: 'b', body: full })).toContain('(ID: 2)');
    for (const [body, why] of [
      [' \n', 'is empty.'],
      [`${full}x`, 'is 65537 bytes; the limit is 65536.'],
      ['x'.repeat(3_000_000), 'is 3000000 bytes; the limit is 65536.'],
    ] as const) {
      const said = await boss.fails('send_message', { toAgent: 'b', body });
      expect(said).toBe(`Error: Message body ${why}`);
    }
    // An agent with one model reads under its own name, whatever address was used.
    await boss.says('send_message', { toAgent: 'b:solo', body: 'to the only one' });
    expect(await idsFor(b)).toEqual([2, 3]);
  });

  test('a broken team definition stops only the message tools', async () => {
    verifies('TEAM-17');
    const project = newTeam();
    project.write('GOAL.md', '---\nflow: |\n  a -> b\n  b -> a\n---\n');
    const boss = await sit(project.root, 'coordinator');
    const message = { toAgent: 'b', body: 'x' };
    for (const tool of ['send_message', 'check_inbox', 'check_outbox', 'peek_message_bus']) {
      expect(await boss.fails(tool, tool === 'send_message' ? message : {})).toMatch(
        /^Error: Could not read the team definition: GOAL\.md: /,
      );
    }
    await boss.says('update_workflow_state', { status: 'working' });
    await boss.says('project_todoread');
    project.write('GOAL.md', '---\nflow: a -> b\n---\n');
    expect(await boss.says('send_message', message)).toContain('(ID: 1)');
  });

  test('every agent that has called can receive messages, even if it only looked something up', async () => {
    verifies('TEAM-17');
    const project = newTeam();
    project.write('.sgai/skills/x/SKILL.md', 'X');
    const [boss, reader] = await sitAll(project.root, 'coordinator', 'reader');
    const message = { toAgent: 'reader', body: 'x' };
    await boss.fails('send_message', message);
    await reader?.says('find_skills');
    expect(await boss.says('send_message', message)).toContain('(ID: 1)');
  });

  test('the sender is the current model, the header before the file', async () => {
    verifies('TEAM-19');
    const project = newTeam({ a: ['m1', 'm2 (fast)'], b: [] });
    const names = ['a|m1', 'a|m2|fast', 'a|other', 'b|m'];
    const [one, two, plain, b] = await sitAll(project.root, ...names);
    const sender = async (seat: Seat | undefined) => {
      const said = await seat?.says('send_message', { toAgent: 'coordinator', body: 'x' });
      return /^From: (.*)$/m.exec(said ?? '')?.[1];
    };
    const inFile = (currentModel: string) =>
      project.write(STATE, JSON.stringify({ ...readState(project), currentModel }));
    expect(await sender(one)).toBe('a:m1');
    expect(await sender(two)).toBe('a:m2 (fast)');
    expect(await sender(plain)).toBe('a');
    inFile('a:m9');
    expect(await sender(plain)).toBe('a:m9');
    expect(await sender(one)).toBe('a:m1');
    expect(await sender(b)).toBe('b');
    inFile('b:m');
    expect(await sender(b)).toBe('b:m');
    // A caller finds it in its outbox under either name.
    expect(await b?.says('check_outbox')).toContain('Pending messages (2):');
  });

  test('simultaneous checks of one reader share the messages', async () => {
    verifies('TEAM-22');
    const project = newTeam({ a: [] });
    const boss = await sit(project.root, 'coordinator');
    const readers = await sitAll(project.root, 'a', 'a', 'a', 'a');
    const found: number[] = [];
    for (let round = 0; round < 5; round++) {
      const sent = Array.from({ length: 10 }, (_, index) =>
        boss.says('send_message', { toAgent: 'a', body: `${round}.${index}` }),
      );
      const checks = [...readers, ...readers].map((reader) => reader.says('check_inbox'));
      await Promise.all(sent);
      for (const each of (await Promise.all(checks)).flatMap(inboxOf)) {
        expect(each.redelivered).toBe(false);
        found.push(each.id);
      }
    }
    found.push(...(await idsFor(readers[0])));
    expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  test('a message to an agent reaches each of its models, one to a model only that', async () => {
    verifies('TEAM-24');
    const project = newTeam({ a: ['m1', 'm2'] });
    const [boss, one, two] = await sitAll(project.root, 'coordinator', 'a|m1', 'a|m2');
    const send = (toAgent: string) => boss.says('send_message', { toAgent, body: 'x' });
    for (const toAgent of ['a', 'a:m1', 'a:m2', 'a']) await send(toAgent);
    expect(await idsFor(one)).toEqual([1, 2, 4]);
    expect(await idsFor(one)).toEqual([]);
    expect(await boss.says('check_outbox')).toContain('Pending messages (3):');
    await send('a');
    expect(await idsFor(two)).toEqual([1, 3, 4, 5]);
    expect(await idsFor(one)).toEqual([5]);
    // A message is read once its answer was sent, so the file shows it slightly later.
    await vi.waitFor(() => {
      const [first] = readState(project).messages;
      const readers = first.readBy.map(({ reader }: { reader: string }) => reader);
      expect(readers).toEqual(['a:m1', 'a:m2']);
      expect(first).toMatchObject({ read: true, readAt: first.readBy[1].at });
    }, 60_000);
  });

  test('pruning keeps unread messages, and ids are never reused', async () => {
    verifies('TEAM-26');
    const project = newTeam({ a: [], b: [] });
    const [boss, a] = await sitAll(project.root, 'coordinator', 'a');
    const send = (toAgent: string) => boss.says('send_message', { toAgent, body: 'x' });
    for (const toAgent of ['a', 'b', 'a', 'a']) await send(toAgent);
    await a?.says('check_inbox');
    const prune = async (...args: string[]) =>
      (await command(['messages', 'prune', ...args], { cwd: project.root })).code;
    const kept = () => readState(project).messages.map(({ id }: { id: number }) => id);
    expect(await prune('--through', '3')).toBe(0);
    expect(kept()).toEqual([2, 4]);
    expect(await prune('--through', '9', '--unread')).toBe(0);
    expect(kept()).toEqual([]);
    expect(await send('a')).toContain('(ID: 5)');
    expect(await idsFor(a)).toEqual([5]);
    expect([await prune(), await prune('--through', 'x')]).toEqual([2, 2]);
    const list = await command(['messages'], { cwd: project.root });
    expect(list.stdout).toMatch(/^5 .* read +coordinator → a +x\n$/);
  });
});
