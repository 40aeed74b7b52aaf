// Names that look like another agent's are refused wherever a name comes in.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { INITIALIZE, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newTeam, overHttp, overStdio } from '../team/support.ts';

const CYRILLIC_O = 'c\u043eordinator';
const INVISIBLE = 'coordi\u200bnator';

/** Header values are bytes; names in them are UTF-8. */
function as(name: string) {
  return { 'x-sgai-agent-identity': Buffer.from(name).toString('latin1') };
}

test('over HTTP a name that looks like the coordinator is a bad request', async () => {
  const server = await serveHttpInProcess(newTeam({ a: [] }).root);
  for (const name of [CYRILLIC_O, INVISIBLE]) {
    const { status, body } = await post(`${server.url}/mcp`, INITIALIZE, as(name));
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/mixes letters|invisible/);
  }
  for (const name of ['coordinator', 'Coordinator', 'редактор']) {
    expect((await post(`${server.url}/mcp`, INITIALIZE, as(name))).status).toBe(200);
  }
});

test('over stdio and at a terminal the command does not start', async () => {
  const { root } = newTeam({ a: [] });
  for (const words of [['serve'], ['call', 'check_inbox'], ['launch']]) {
    const after = words[0] === 'launch' ? ['--', 'true'] : [];
    const args = [...words, '--agent', CYRILLIC_O, ...after];
    const { code, stderr } = await command(args, { cwd: root });
    expect(code, args.join(' ')).not.toBe(0);
    expect(stderr).toContain('mixes letters of different alphabets');
  }
});

test('a name that looks like a configured agent is neither a caller nor a target', async () => {
  const project = newTeam({ copa: [] });
  const twin = await overHttp(project.root, Buffer.from('сора').toString('latin1'));
  for (const [tool, args] of [
    ['check_inbox', {}],
    ['send_message', { toAgent: 'coordinator', body: 'hello' }],
    ['update_workflow_state', { status: 'working' }],
  ] as const) {
    expect(await twin.fails(tool, args)).toContain("looks like 'copa'");
  }
  const boss = await overHttp(project.root, 'coordinator');
  expect(await boss.fails('send_message', { toAgent: 'сора', body: 'hello' })).toMatch(
    /Agent 'сора' is not in the workflow\. Valid agents are: coordinator, copa\nNext: /,
  );
});

test('a configured name that looks like another is a broken team definition', async () => {
  for (const names of [[CYRILLIC_O], ['copa', 'сора']]) {
    const agents = Object.fromEntries(names.map((name) => [name, []]));
    const boss = await overStdio(newTeam(agents).root, 'coordinator');
    expect(await boss.fails('check_inbox')).toMatch(
      /Could not read the team definition: .*config\.yml: .*(?:mixes letters|looks like 'copa')/,
    );
  }
});
