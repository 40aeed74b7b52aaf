// Messages between agents: who can receive them, who reads what, and in which order.

import { describe, expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { inboxOf, newTeam, readState, STATE, WAYS } from './support.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const timeless = (text: string) => text.replaceAll(TIME, '<time>');

describe.each(WAYS)('over %s', (_way, sit) => {
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
    expect(timeless(await a.says('check_outbox'))).toBe(
      'Pending messages (1):\n  1. To: coordinator | Subject: reply | ID: 3',
    );
    const bus = await boss.says('peek_message_bus');
    expect(timeless(bus)).toMatch(
      /^Total messages: 4\n\nMessage 1 \(ID: 4\): <time>\n {2}From: coordinator\n {2}To: a\n {2}Status: pending\n {2}Body: third\n\nMessage 2 \(ID: 3\)/,
    );
    expect(timeless(bus)).toMatch(
      /Message 4 \(ID: 1\): <time>\n {2}From: coordinator\n {2}To: a\n {2}Status: read\n {2}Read At: <time>\n {2}Body: first\nof two lines$/,
    );
    expect(readState(project).messages.map((each: { read: boolean }) => each.read)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('a misspelt target is answered with the agent that was probably meant', async () => {
    verifies('TEAM-18');
    const project = newTeam({ writer: ['m1'], editor: ['m1'] });
    const boss = await sit(project.root, 'coordinator');
    const said = await boss.fails('send_message', { toAgent: 'wrtier', body: 'x' });
    expect(said).toMatch(/\nNext: .* Or did you mean 'writer'\?$/);
    const far = await boss.fails('send_message', { toAgent: 'zzzzzz', body: 'x' });
    expect(far).not.toContain('did you mean');
  });

  test('invalid targets, messages to oneself and oversized bodies are refused', async () => {
    verifies('TEAM-18');
    const project = newTeam({ a: ['m1', 'm2'], b: ['solo'] });
    const boss = await sit(project.root, 'coordinator');
    const one = await sit(project.root, 'a|m1');
    const valid = 'a, a:m1, a:m2, b, b:solo, coordinator';
    for (const toAgent of ['nobody', 'A', 'a:m3', '', 'b:m1']) {
      const [first, second] = (await boss.fails('send_message', { toAgent, body: 'x' })).split(
        '\n',
      );
      expect(first).toBe(
        `Error: Agent '${toAgent}' is not in the workflow. Valid agents are: ${valid}`,
      );
      expect(second).toMatch(/^Next: send it to one of these[,;]/);
    }
    const self = (from: string) => `Error: Agent '${from}' cannot send a message to itself.`;
    expect(await boss.fails('send_message', { toAgent: 'coordinator', body: 'x' })).toBe(
      self('coordinator'),
    );
    expect(await one.fails('send_message', { toAgent: 'a', body: 'x' })).toBe(self('a:m1'));
    expect(await one.fails('send_message', { toAgent: 'a:m1', body: 'x' })).toBe(self('a:m1'));
    expect(await one.says('send_message', { toAgent: 'a:m2', body: 'x' })).toContain('(ID: 1)');
    const nobodySpecial = await sit(project.root, 'a');
    expect(await nobodySpecial.fails('send_message', { toAgent: 'a:m1', body: 'x' })).toBe(
      self('a'),
    );

    expect(await boss.fails('send_message', { toAgent: 'a', body: ' \n' })).toBe(
      'Error: Message body is empty.',
    );
    const full = 'é'.repeat(32 * 1024);
    expect(await boss.says('send_message', { toAgent: 'b', body: full })).toContain('(ID: 2)');
    expect(await boss.fails('send_message', { toAgent: 'b', body: `${full}x` })).toBe(
      'Error: Message body is 65537 bytes; the limit is 65536.',
    );
    expect(await boss.fails('send_message', { toAgent: 'b', body: 'x'.repeat(3_000_000) })).toBe(
      'Error: Message body is 3000000 bytes; the limit is 65536.',
    );
    // An agent with one model reads under its own name, whatever address was used.
    await boss.says('send_message', { toAgent: 'b:solo', body: 'to the only one' });
    const b = await sit(project.root, 'b|solo');
    expect(inboxOf(await b.says('check_inbox')).map(({ id }) => id)).toEqual([2, 3]);
  });

  test('a broken team definition stops only the message tools', async () => {
    verifies('TEAM-17');
    const project = newTeam();
    project.write('GOAL.md', '---\nflow: |\n  a -> b\n  b -> a\n---\n');
    const boss = await sit(project.root, 'coordinator');
    const calls: [string, object][] = [
      ['send_message', { toAgent: 'a', body: 'x' }],
      ['check_inbox', {}],
      ['check_outbox', {}],
      ['peek_message_bus', {}],
    ];
    for (const [tool, args] of calls) {
      expect(await boss.fails(tool, { ...args })).toMatch(
        /^Error: Could not read the team definition: GOAL\.md: /,
      );
    }
    await boss.says('update_workflow_state', { status: 'working' });
    await boss.says('project_todoread');
    project.write('GOAL.md', '---\nflow: a -> b\n---\n');
    expect(await boss.says('send_message', { toAgent: 'b', body: 'x' })).toContain('(ID: 1)');
  });

  test('every agent that has called can receive messages, even if it only looked something up', async () => {
    verifies('TEAM-17');
    const project = newTeam();
    project.write('.sgai/skills/x/SKILL.md', 'X');
    const [boss, reader] = await Promise.all(
      ['coordinator', 'reader'].map((identity) => sit(project.root, identity)),
    );
    expect(await boss?.fails('send_message', { toAgent: 'reader', body: 'x' })).toBe(
      "Error: Agent 'reader' is not in the workflow. Valid agents are: coordinator\nNext: list 'reader' under `team.agents` in `.deepwork/config.yml` (with everyone else who is in the team), or wait until it has called a team tool, such as check_inbox.",
    );
    await reader?.says('find_skills');
    expect(await boss?.says('send_message', { toAgent: 'reader', body: 'x' })).toContain('(ID: 1)');
  });

  test('the sender is the current model, the header before the file', async () => {
    verifies('TEAM-19');
    const project = newTeam({ a: ['m1', 'm2 (fast)'], b: [] });
    const boss = await sit(project.root, 'coordinator');
    const [one, two, plain, b] = await Promise.all(
      ['a|m1', 'a|m2|fast', 'a|other', 'b|m'].map((identity) => sit(project.root, identity)),
    );
    const sender = async (seat: typeof boss | undefined) =>
      /^From: (.*)$/m.exec(
        (await seat?.says('send_message', { toAgent: 'coordinator', body: 'x' })) ?? '',
      )?.[1];
    expect(await Promise.all([sender(one), sender(two)])).toEqual(['a:m1', 'a:m2 (fast)']);
    expect(await sender(plain)).toBe('a');
    project.write(STATE, JSON.stringify({ ...readState(project), currentModel: 'a:m9' }));
    expect(await sender(plain)).toBe('a:m9');
    expect(await sender(one)).toBe('a:m1');
    expect(await sender(b)).toBe('b');
    project.write(STATE, JSON.stringify({ ...readState(project), currentModel: 'b:m' }));
    expect(await sender(b)).toBe('b:m');
    // A caller finds it in its outbox under either name.
    expect(await b?.says('check_outbox')).toContain('Pending messages (2):');
  });

  test('simultaneous checks of one reader share the messages', async () => {
    verifies('TEAM-22');
    const project = newTeam({ a: [] });
    const boss = await sit(project.root, 'coordinator');
    const readers = await Promise.all([1, 2, 3, 4].map(() => sit(project.root, 'a')));
    const found: number[] = [];
    for (let round = 0; round < 5; round++) {
      const sent = Array.from({ length: 10 }, (_, index) =>
        boss.says('send_message', { toAgent: 'a', body: `${round}.${index}` }),
      );
      const checks = [...readers, ...readers].map((reader) => reader.says('check_inbox'));
      await Promise.all(sent);
      const inboxes = (await Promise.all(checks)).map(inboxOf);
      for (const each of inboxes.flat()) {
        expect(each.redelivered).toBe(false);
        found.push(each.id);
      }
    }
    found.push(...inboxOf((await readers[0]?.says('check_inbox')) ?? '').map(({ id }) => id));
    expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  test('a message to an agent reaches each of its models, one to a model only that', async () => {
    verifies('TEAM-24');
    const project = newTeam({ a: ['m1', 'm2'] });
    const boss = await sit(project.root, 'coordinator');
    const [one, two] = await Promise.all(['a|m1', 'a|m2'].map((name) => sit(project.root, name)));
    for (const toAgent of ['a', 'a:m1', 'a:m2', 'a']) {
      await boss.says('send_message', { toAgent, body: `to ${toAgent}` });
    }
    const ids = async (seat: typeof boss | undefined) =>
      inboxOf((await seat?.says('check_inbox')) ?? '').map(({ id }) => id);
    expect(await ids(one)).toEqual([1, 2, 4]);
    expect(await ids(one)).toEqual([]);
    expect(await boss.says('check_outbox')).toContain('Pending messages (3):');
    await boss.says('send_message', { toAgent: 'a', body: 'late' });
    expect(await ids(two)).toEqual([1, 3, 4, 5]);
    expect(await ids(one)).toEqual([5]);
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
    const boss = await sit(project.root, 'coordinator');
    const a = await sit(project.root, 'a');
    for (const toAgent of ['a', 'b', 'a', 'a']) {
      await boss.says('send_message', { toAgent, body: `to ${toAgent}` });
    }
    await a.says('check_inbox');
    const prune = (...args: string[]) =>
      command(['messages', 'prune', ...args], { cwd: project.root });
    expect(await prune('--through', '3')).toMatchObject({
      code: 0,
      stdout: 'Dropped 2 messages. Unread messages are kept; --unread drops them, too.\n',
    });
    expect(readState(project).messages.map(({ id }: { id: number }) => id)).toEqual([2, 4]);
    expect(await boss.says('peek_message_bus')).toContain('Total messages: 2');
    expect(await boss.says('check_outbox')).toContain('Delivered messages (1):');
    expect(await prune('--through', '9', '--unread')).toMatchObject({
      stdout: 'Dropped 2 messages.\n',
    });
    expect(await boss.says('send_message', { toAgent: 'a', body: 'x' })).toContain('(ID: 5)');
    expect(inboxOf(await a.says('check_inbox')).map(({ id }) => id)).toEqual([5]);
    expect(await prune()).toMatchObject({ code: 2 });
    expect(await prune('--through', 'x')).toMatchObject({ code: 2 });
    const list = await command(['messages'], { cwd: project.root });
    expect(list.stdout).toMatch(
      /^5 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}read {2}coordinator → a {2}x\n$/,
    );
  });
});
