// Names that look like another agent's are refused wherever a name comes in.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { INITIALIZE, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newTeam, overHttp, overStdio } from '../team/support.ts';

const CYRILLIC_O = 'c\u043eordinator';
const INVISIBLE = 'coordi\u200bnator';
const CYRILLIC_COPA = 'сора';

/** Header values are bytes; names in them are UTF-8. */
const inHeader = (name: string) => Buffer.from(name).toString('latin1');

test('a name that looks like the coordinator is a bad request, and no command starts with it', async () => {
  const { root } = newTeam({ a: [] });
  const server = await serveHttpInProcess(root);
  for (const [name, expected] of [
    [CYRILLIC_O, 400],
    [INVISIBLE, 400],
    ['coordinator', 200],
    ['Coordinator', 200],
    ['редактор', 200],
  ] as const) {
    const headers = { 'x-sgai-agent-identity': inHeader(name) };
    const { status } = await post(`${server.url}/mcp`, INITIALIZE, headers);
    expect(status, name).toBe(expected);
  }
  for (const words of [['serve'], ['call', 'check_inbox'], ['launch', '--', 'true']]) {
    const args = [words[0] as string, '--agent', CYRILLIC_O, ...words.slice(1)];
    expect((await command(args, { cwd: root })).code, args.join(' ')).not.toBe(0);
  }
});

test('a name that looks like a configured agent is neither a caller nor a target', async () => {
  const project = newTeam({ copa: [] });
  const twin = await overHttp(project.root, inHeader(CYRILLIC_COPA));
  for (const [tool, args] of [
    ['check_inbox', {}],
    ['send_message', { toAgent: 'coordinator', body: 'hello' }],
    ['update_workflow_state', { status: 'working' }],
  ] as const) {
    expect(await twin.fails(tool, args)).toContain("'copa'");
  }
  const boss = await overHttp(project.root, 'coordinator');
  const target = { toAgent: CYRILLIC_COPA, body: 'hello' };
  expect(await boss.fails('send_message', target)).toContain(CYRILLIC_COPA);
});

test('a configured name that looks like another is a broken team definition', async () => {
  for (const names of [[CYRILLIC_O], ['copa', CYRILLIC_COPA]]) {
    const agents = Object.fromEntries(names.map((name) => [name, []]));
    const boss = await overStdio(newTeam(agents).root, 'coordinator');
    expect(await boss.fails('check_inbox')).toContain('config.yml');
  }
});
