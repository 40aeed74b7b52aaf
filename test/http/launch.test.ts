// deepwork launch: one server for all, which starts and ends with them; the command keeps its
// signals and exit code.

import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { expect, test } from 'vitest';
import { authorizationOf, proofOf } from '../../src/environment/process/launch-proof.ts';
import { attach } from '../../src/launch/attach.ts';
import { openRegistry, type Registration } from '../../src/launch/registry.ts';
import { newHome, post, strangersHome } from '../support/http.ts';
import { IN_PROCESS_PASS, serveInProcess } from '../support/in-process-http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import {
  endServersAfterTest,
  launch,
  readRegistration,
  STAY,
  serversOf,
} from '../support/launch.ts';
import { newProject, type Project } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

function aProject(): Project {
  const project = newProject();
  endServersAfterTest(project.root);
  return project;
}

/** A home whose launches find a running server, for tests of what they do with their command. */
async function homeWithServer(project: Project): Promise<string> {
  return (await serveHttpInProcess(project.root)).home;
}

/** Prints where the server is and whether it answers, then waits for a signal. */
const AGENT = `
  const url = process.env.SGAI_MCP_URL;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'workflow_list' });
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    .then((response) => console.log(url, process.env.SGAI_AGENT_IDENTITY, response.status));
  ${STAY}
`;

test('the command gets the server, and its exit code is returned', async () => {
  verifies('TEAM-10');
  const project = aProject();
  const { url, home } = await serveHttpInProcess(project.root);
  const ends: [string, number][] = [
    ['process.exit(0)', 0],
    ['process.exit(42)', 42],
    ["process.kill(process.pid, 'SIGKILL')", 137],
    ["process.kill(process.pid, 'SIGTERM')", 143],
  ];
  for (const [script, code] of ends) {
    expect((await launch({ root: project.root, home, script }).ended).code, script).toBe(code);
  }
  const missing = launch({ root: project.root, home, args: ['--', 'no-such-command-here'] });
  expect((await missing.ended).code).toBe(127);
  const folder = launch({ root: project.root, home, args: ['--', project.root] });
  expect((await folder.ended).code).toBe(126);
  // A server that a person started is used, and stays.
  const script = 'console.log(process.env.SGAI_MCP_URL)';
  const launched = launch({ root: project.root, home, script });
  await launched.ended;
  expect(launched.out()).toBe(`${url}/mcp\n`);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('the command runs in the folder of the project that --path names', async () => {
  verifies('TEAM-10');
  const project = aProject();
  const elsewhere = newProject();
  // A relative path to a program is resolved from the person's current folder.
  const script = elsewhere.write('where.sh', '#!/bin/sh\necho "in $(pwd) $PWD"\n');
  chmodSync(script, 0o755);
  const { code, stdout } = await deepwork(['launch', '--path', project.root, '--', './where.sh'], {
    cwd: elsewhere.root,
    env: { HOME: newHome() },
  });
  expect([code, stdout]).toEqual([0, `in ${project.root} ${project.root}\n`]);
});

test('signals are passed on to the command', async () => {
  verifies('TEAM-10');
  const project = aProject();
  const script = `
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(name, () => {
      console.log(name);
      if (name === 'SIGTERM') process.exit(7);
    });
    ${STAY}
    console.log('ready');
  `;
  const home = await homeWithServer(project);
  const launched = launch({ root: project.root, home, script });
  await until(() => launched.out().includes('ready'));
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2', 'SIGTERM'] as const) {
    launched.child.kill(signal);
    await until(() => launched.out().includes(signal));
  }
  expect((await launched.ended).code).toBe(7);
});

test('variables of an outer agent are passed neither to the command nor to the server', async () => {
  const project = aProject();
  const outer = {
    SGAI_AGENT_IDENTITY: 'outer-identity',
    SGAI_MCP_URL: 'http://outer-url',
    DEEPWORK_AGENT_TOKEN: 'outer-token',
  };
  const script = `console.log(JSON.stringify(process.env)); ${STAY}`;
  const args = ['--agent', 'writer'];
  const launched = launch({ root: project.root, home: newHome(), args, script, env: outer });
  await until(() => launched.out().includes('\n'));
  expect(JSON.parse(launched.out())).toMatchObject({ SGAI_AGENT_IDENTITY: 'writer' });
  expect(launched.out()).not.toContain('outer-');
  const [server] = serversOf(project.root);
  expect(readFileSync(`/proc/${server}/environ`, 'utf8')).not.toContain('outer-');
});

test('Ctrl-C at a terminal reaches the command once', async () => {
  const project = aProject();
  const script = `
    let times = 0;
    process.on("SIGINT", () => console.log("interrupted", ++times));
    process.on("SIGTERM", () => { console.log("times: " + times); process.exit(); });
    console.log("launched by " + process.ppid + ".");
    setTimeout(() => {}, 20000);
  `.replaceAll('\n', ' ');
  const command = ['launch', '--path', project.root, '--', process.execPath, '-e', script];
  const env = { HOME: await homeWithServer(project) };
  const terminal = deepworkOnTerminal(command, { cwd: project.root, env });
  await terminal.sees('launched by ');
  await terminal.sees('.');
  terminal.type('\x03');
  await terminal.sees('interrupted');
  // Signals that arrive together count as one, so what a launch does with its own is seen only by
  // one that it alone gets. SIGTERM, which is passed on, comes after it.
  const launcher = Number(/launched by (\d+)/.exec(terminal.screen())?.[1]);
  process.kill(launcher, 'SIGINT');
  process.kill(launcher, 'SIGTERM');
  await terminal.sees('times: ');
  await terminal.ended;
  expect(terminal.screen()).toContain('times: 1');
});

test('if no server can be reached, the exit code is 125', async () => {
  verifies('TEAM-10');
  const project = aProject();
  const home = strangersHome();
  // A home in which nothing can be stored.
  writeFileSync(`${home}/.deepwork`, 'in the way');
  const launched = launch({ root: project.root, home, script: 'console.log("ran")' });
  expect((await launched.ended).code).toBe(125);
  expect(launched.out()).toBe('');
  const broken = newProject();
  rmSync(broken.path('.deepwork/config.yml'));
  symlinkSync(strangersHome(), broken.path('.deepwork/config.yml'));
  const refused = launch({ root: broken.root, home: newHome(), script: 'console.log("ran")' });
  expect((await refused.ended).code).toBe(125);
});

test('ten launches at once share one server, which ends with the last', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const home = newHome();
  const launches = Array.from({ length: 10 }, (_, index) =>
    launch({ root: project.root, home, args: ['--agent', `agent-${index}`], script: AGENT }),
  );
  await until(() => launches.every(({ out }) => out().includes('\n')));
  const said = launches.map(({ out }) => out().trim().split(' '));
  expect(new Set(said.map(([url]) => url)).size).toBe(1);
  expect(said.map(([, agent]) => agent).sort()).toEqual(launches.map((_, i) => `agent-${i}`));
  expect(new Set(said.map(([, , status]) => status))).toEqual(new Set(['200']));
  expect(serversOf(project.root)).toHaveLength(1);
  const [last, ...others] = launches;
  for (const { child, ended } of others) {
    child.kill('SIGTERM');
    await ended;
  }
  expect(serversOf(project.root)).toHaveLength(1);
  last?.child.kill('SIGTERM');
  await until(() => serversOf(project.root).length === 0);
}, 120_000);

test('when launches are killed, their server ends', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const launched = launch({ root: project.root, home: newHome(), script: AGENT });
  await until(() => launched.out().includes('200'));
  const [server] = serversOf(project.root);
  expect(server).toBeDefined();
  launched.child.kill('SIGKILL');
  await until(() => serversOf(project.root).length === 0);
});

test('a stranger on the port of a dead server is not mistaken for it', async () => {
  verifies('TEAM-11');
  const project = aProject();
  const home = newHome();
  const pass = 'the-pass-of-the-dead-server';
  const proof = 'p'.repeat(43);
  const answers: ((req: http.IncomingMessage, res: http.ServerResponse) => void)[] = [
    (_req, res) => res.write(`${JSON.stringify({ proof, token: 't' })}\n`),
    (_req, res) => void res.socket?.end('what?\r\n\r\n'),
    (_req, res) => res.end('x'.repeat(100_000)),
    // Our own proof is no proof of theirs.
    ({ headers }, res) => {
      const shown = headers.authorization?.split(' ')[2];
      res.write(`${JSON.stringify({ proof: shown, token: 't' })}\n`);
    },
    (_req, res) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ error: { message: '\u001b]0;owned\u0007 stranger' } }));
    },
  ];
  for (const [index, answer] of answers.entries()) {
    let heard = '';
    const stranger = http.createServer((req, res) => {
      heard += JSON.stringify(req.headers);
      answer(req, res);
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as { port: number };
    const registry = openRegistry(project.root, home);
    const last = registry.current()?.number ?? 0;
    const dead = registry.add(last, { url: `http://127.0.0.1:${port}`, pass, launched: true });
    const options = { identity: 'ann', timeoutMs: 10_000 };
    expect(await attach(dead as Registration, options), String(answer)).toBeNull();
    // A whole launch takes long, so not for each.
    if (index === answers.length - 1) {
      const script = 'console.log(process.env.SGAI_MCP_URL)';
      const launched = launch({ root: project.root, home, script });
      expect((await launched.ended).code, String(answer)).toBe(0);
      expect(launched.out()).not.toContain(`:${port}/`);
      expect(launched.err()).not.toContain('owned');
    }
    expect(heard).toContain('authorization');
    expect(heard).not.toContain(pass);
    stranger.closeAllConnections();
    stranger.close();
  }
});

test('only a caller that knows the pass can launch, and no secret is revealed', async () => {
  const project = aProject();
  const home = newHome();
  const { url } = await serveHttpInProcess(project.root, { home });
  const { file, content } = readRegistration(home);
  expect(statSync(file).mode & 0o077).toBe(0);
  const pass = content.pass as string;
  const nonce = 'n'.repeat(43);
  const attempts = [
    undefined,
    `Bearer ${pass}`,
    `Launch ${nonce} ${nonce}`,
    `Launch ${nonce} ${proofOf('server', pass, nonce)}`,
    authorizationOf('guess', nonce),
  ];
  for (const authorization of attempts) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const { status, body } = await post(`${url}/launches`, { identity: 'mallory' }, headers);
    expect(status, authorization).toBe(403);
    expect(JSON.stringify(body)).not.toContain(pass);
    expect((await fetch(`${url}/launches`, { headers })).status, authorization).toBe(403);
  }
  // For `deepwork doctor`: the proof alone, which does not hold the server.
  const proved = await fetch(`${url}/launches`, {
    headers: { authorization: authorizationOf(pass, nonce) },
  });
  expect(await proved.json()).toEqual({ proof: proofOf('server', pass, nonce) });
  const lease = new AbortController();
  const attached = await fetch(`${url}/launches`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: authorizationOf(pass, nonce),
    },
    body: '{"identity":"ann"}',
    signal: lease.signal,
  });
  expect(attached.status).toBe(200);
  const first = await attached.body?.getReader().read();
  const line: unknown = JSON.parse(Buffer.from(first?.value ?? []).toString('utf8'));
  expect(line).toEqual({ proof: proofOf('server', pass, nonce), token: null });
  lease.abort();
});

test('a launch is admitted only on the path for launches', async () => {
  const { url } = await serveInProcess({
    tokens: { on: true, owners: ['the-token-of-the-owner'] },
  });
  const authorization = authorizationOf(IN_PROCESS_PASS, 'n'.repeat(43));
  const list = { jsonrpc: '2.0', id: 1, method: 'workflow_list' };
  expect((await post(`${url}/mcp`, list, { authorization })).status).toBe(401);
  expect((await fetch(`${url}/healthz`, { headers: { authorization } })).status).toBe(401);
});

test("without a command, the agent's trusted command is run", async () => {
  const command = `${process.execPath} -e "process.exit(9)"`;
  const config = (run: string) =>
    `team:\n  agents:\n    - name: worker\n      command: ${JSON.stringify(run)}\n`;
  const project = newProject({ '.deepwork/config.yml': config(command) });
  const home = newHome();
  const run = async (env: Record<string, string> = {}) => {
    const launched = launch({ root: project.root, home, args: ['--agent', 'worker'], env });
    return { code: (await launched.ended).code, err: launched.err() };
  };
  const untrusted = await run();
  expect(untrusted.code).toBe(1);
  expect(untrusted.err).toContain('deepwork trust');
  const trusted = await deepwork(['launch', '--agent', 'worker'], {
    cwd: project.root,
    env: { HOME: home, DEEPWORK_TRUST: '1' },
  });
  expect(trusted.code).toBe(9);
  expect((await launch({ root: project.root, home }).ended).code).toBe(2);
});

test('an agent that the team does not have is launched only if a person at the terminal wants it', async () => {
  verifies('TEAM-10');
  const project = newProject({ '.deepwork/config.yml': 'team:\n  agents: [{name: reviewer}]\n' });
  const env = { HOME: await homeWithServer(project) };
  const line = (agent: string) => [
    ...['launch', '--path', project.root, '--agent', agent, '--', process.execPath],
    ...['-e', 'console.log("launched")'],
  ];
  const refused = await deepwork(line('reviewr|opus'), { cwd: project.root, env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect((await deepwork(line('reviewer|opus'), { cwd: project.root, env })).code).toBe(0);
  for (const [answer, end, isLaunched] of [
    ['n', 2, false],
    ['y', 0, true],
  ] as const) {
    const terminal = deepworkOnTerminal(line('reviewr'), { cwd: project.root, env });
    await terminal.sees('[y/N]');
    terminal.type(answer);
    expect(await terminal.ended).toBe(end);
    expect(terminal.screen().includes('launched\r\n')).toBe(isLaunched);
  }
});
