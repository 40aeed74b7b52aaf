// A server that dies under a running launch: the command's address and token work again.

import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newHome, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { endServersAfterTest, type Launch, launch, serversOf } from '../support/launch.ts';
import { newProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

function aProject(config?: string): Project {
  const project = newProject();
  if (config !== undefined) project.write('.deepwork/config.yml', config);
  endServersAfterTest(project.root);
  return project;
}

/** Calls a team tool under its identity, repeatedly, and prints the answers. */
const AGENT = `
  const url = process.env.SGAI_MCP_URL;
  const token = process.env.DEEPWORK_AGENT_TOKEN;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'send_message',
    ...(token ? { authorization: 'Bearer ' + token } : { 'x-sgai-agent-identity': process.env.SGAI_AGENT_IDENTITY }),
  };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  let n = 0;
  async function call() {
    const params = { name: 'send_message', arguments: { toAgent: 'coordinator', body: 'hello' }, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++n, method: 'tools/call', params });
    const said = await fetch(url, { method: 'POST', headers, body }).then(
      async (response) => response.status + ' ' + (await response.text()),
      () => 'unreachable',
    );
    console.log(url, said.replaceAll('\\n', ' '));
  }
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(), 50);
  (async () => { for (;;) { await call(); await new Promise((go) => setTimeout(go, 50)); } })();
`;

function linesOf({ out }: Launch): string[] {
  return out().split('\n').slice(0, -1);
}

async function answered(each: Launch, after = 0): Promise<void> {
  const last = () => linesOf(each).slice(after).at(-1) ?? '';
  await until(() => /sent successfully/.test(last()));
}

/** Kills the only server, and waits until every agent has noticed. */
async function killServer(root: string, agents: readonly Launch[]): Promise<number> {
  const [server, ...others] = serversOf(root);
  expect(others).toEqual([]);
  process.kill(server as number, 'SIGKILL');
  await until(() => agents.every(({ err }) => err().includes('has ended')));
  return server as number;
}

/** False: someone still has it. */
function holdPort(port: number): Promise<boolean> {
  const stranger = createServer((socket) => socket.destroy());
  onTestFinished(() => void stranger.close());
  return new Promise((resolve) => {
    stranger.once('error', () => resolve(false));
    stranger.listen(port, '127.0.0.1', () => resolve(true));
  });
}

for (const [words, config] of [
  ['without tokens', undefined],
  ['with the token that it was given', 'team:\n  tokens: true\n'],
] as const) {
  test(`a killed server is restarted, and its agent continues ${words}`, async () => {
    verifies('TEAM-11');
    const project = aProject(config);
    const args = ['--agent', 'worker'];
    const agent = launch({ root: project.root, home: newHome(), args, script: AGENT });
    await answered(agent);
    const killed = await killServer(project.root, [agent]);
    const before = linesOf(agent).length;
    await answered(agent, before);
    expect(serversOf(project.root)).not.toContain(killed);
    expect(linesOf(agent).at(-1)).toContain('From: worker');
    const url = linesOf(agent)[0]?.split(' ')[0];
    expect(agent.err()).toContain(`deepwork: the server at ${url} has ended. Starting it again.\n`);
    await until(() => agent.err().includes(`deepwork: the server is back at ${url}.\n`));
    agent.child.kill('SIGTERM');
    await agent.ended;
    await until(() => serversOf(project.root).length === 0);
  }, 90_000);
}

test('launches that shared a killed server share the next one, and so do new ones', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const home = newHome();
  const start = (name: string) =>
    launch({ root: project.root, home, args: ['--agent', name], script: AGENT });
  const agents: Launch[] = [];
  for (const name of ['a', 'b']) {
    const agent = start(name);
    agents.push(agent);
    // The next one finds the server, so that no other is started for it.
    await answered(agent);
  }
  const [killed] = serversOf(project.root);
  process.kill(killed as number, 'SIGKILL');
  const late = start('late');
  await until(() => agents.every(({ err }) => err().includes('is back at')));
  for (const agent of [...agents, late]) await answered(agent, linesOf(agent).length);
  expect(new Set([...agents, late].map((agent) => linesOf(agent)[0]?.split(' ')[0])).size).toBe(1);
  await until(() => serversOf(project.root).length === 1);
}, 120_000);

test('if the port is taken, a message tells the person what to do', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const agent = launch({
    root: project.root,
    home: newHome(),
    script: AGENT,
    args: ['--agent', 'a'],
  });
  await answered(agent);
  const port = Number(new URL(linesOf(agent)[0]?.split(' ')[0] ?? '').port);
  const [server] = serversOf(project.root);
  // The launch must not notice before the stranger has the port.
  agent.child.kill('SIGSTOP');
  process.kill(server as number, 'SIGKILL');
  await until(() => !serversOf(project.root).includes(server as number));
  await until(() => holdPort(port));
  agent.child.kill('SIGCONT');
  await until(() => agent.err().includes('could not be started again'));
  expect(agent.err()).toMatch(
    new RegExp(
      `at http://127.0.0.1:${port}/mcp: .*port ${port} is taken.*end it and launch it again\\.\n$`,
    ),
  );
}, 90_000);

test('a server that a person started is waited for, not replaced', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const home = newHome();
  const first = await serveOverHttp(project.root, { home });
  const agent = launch({ root: project.root, home, script: AGENT, args: ['--agent', 'worker'] });
  await answered(agent);
  first.child.kill('SIGKILL');
  await first.ended;
  await until(() => agent.err().includes('has ended'));
  const port = new URL(first.url).port;
  expect(agent.err()).toContain(
    `To go on, start it again: deepwork serve --transport http --port ${port} --path ${project.root}\n`,
  );
  expect(serversOf(project.root)).toEqual([]);
  await serveHttpInProcess(project.root, { home, args: ['--port', port] });
  await until(() => agent.err().includes('is back at'));
  await answered(agent, linesOf(agent).length);
}, 90_000);
