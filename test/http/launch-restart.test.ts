// A server that dies under a running launch: the command's address and token work again.

import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newHome, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { endServersAfterTest, type Launch, launch, STAY, serversOf } from '../support/launch.ts';
import { newProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

function aProject(files: Readonly<Record<string, string>> = {}): Project {
  const project = newProject(files);
  endServersAfterTest(project.root);
  return project;
}

/** Calls its server again and again, as the agent that it is, and prints the status of the answers. */
const AGENT = `
  const url = process.env.SGAI_MCP_URL;
  const token = process.env.DEEPWORK_AGENT_TOKEN;
  const headers = {
    'content-type': 'application/json',
    'x-sgai-agent-identity': process.env.SGAI_AGENT_IDENTITY,
    ...(token && { authorization: 'Bearer ' + token }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'workflow_list' });
  const call = () =>
    fetch(url, { method: 'POST', headers, body })
      .then(({ status }) => status, () => 'unreachable')
      .then((said) => console.log(url, said))
      .then(() => setTimeout(call, 50));
  call();
  ${STAY}
`;

function linesOf({ out }: Launch): string[] {
  return out().split('\n').slice(0, -1);
}

async function answered(each: Launch, after = 0): Promise<void> {
  await until(() => linesOf(each).slice(after).at(-1)?.endsWith(' 200') ?? false);
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

test('a killed server is restarted, and its agent continues with the token that it was given', async () => {
  verifies('TEAM-11');
  const project = aProject({ '.deepwork/config.yml': 'team:\n  tokens: true\n' });
  const args = ['--agent', 'worker'];
  const agent = launch({ root: project.root, home: newHome(), args, script: AGENT });
  await answered(agent);
  const [killed] = serversOf(project.root);
  process.kill(killed as number, 'SIGKILL');
  await until(() => agent.err().includes('has ended'));
  await answered(agent, linesOf(agent).length);
  expect(serversOf(project.root)).not.toContain(killed);
  agent.child.kill('SIGTERM');
  await agent.ended;
  await until(() => serversOf(project.root).length === 0);
});

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
});

test('if the port is taken, a message tells the person what to do', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const agent = launch({ root: project.root, home: newHome(), script: AGENT });
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
  expect(agent.err()).toContain(`port ${port} is taken`);
});

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
  expect(agent.err()).toContain(`--port ${port} --path ${project.root}`);
  expect(serversOf(project.root)).toEqual([]);
  await serveHttpInProcess(project.root, { home, args: ['--port', port] });
  await until(() => agent.err().includes('is back at'));
  await answered(agent, linesOf(agent).length);
});
