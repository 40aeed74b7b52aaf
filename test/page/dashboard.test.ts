// deepwork dashboard: prints the address of the page, serves it as long as it runs, and is for people.

import { spawn } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY, connect } from '../support/connect.ts';
import { cleanEnv, newHome } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { endServersAfterTest, serversOf } from '../support/launch.ts';
import { newProject, type Project } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { watchStalls } from '../support/stalls.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { getFrom, startDemo, writeDemoJob } from './support.ts';

interface Dashboard {
  readonly address: string;
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

async function dashboard(
  project: Project,
  home: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Dashboard> {
  endServersAfterTest(project.root);
  const { env: watched } = watchStalls();
  const child = spawn(process.execPath, [BINARY, 'dashboard', '--path', project.root, ...args], {
    env: { ...cleanEnv(home), ...watched, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => out.includes('Ctrl-C') || child.exitCode !== null);
  return {
    address: /http:\S+/.exec(out)?.[0] ?? '',
    out: () => out,
    err: () => err,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

const GIT_OFF = 'git: {branch: off}\n';

function aProject(config = GIT_OFF): Project {
  const project = newProject({ '.deepwork/config.yml': config });
  writeDemoJob(project);
  return project;
}

test('it shows the runs of agents over stdio, and ends with its server', async () => {
  verifies('BOARD-4');
  const project = aProject();
  const agent = await connect(project.root);
  const id = await startDemo(agent);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { address, kill, ended, err } = await dashboard(project, newHome());
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const { body } = await getFrom(address.slice(0, -1), '/api/board');
    expect(body.runs[0]).toMatchObject({ session_id: id, step: 'plan' });
    kill(signal);
    expect([await ended, err()]).toEqual([0, '']);
    await until(() => serversOf(project.root).length === 0);
  }
});

test('the server that is there is used, and stays', async () => {
  const project = aProject();
  const server = await serveHttpInProcess(project.root);
  const { address, kill, ended } = await dashboard(project, server.home, ['--port', '1']);
  expect(address).toBe(`${server.url}/`);
  kill('SIGINT');
  expect(await ended).toBe(0);
  expect((await getFrom(server.url, '/api/board')).status).toBe(200);
});

test('a server that was killed is started again at the same address', async () => {
  const project = aProject();
  const { address, err, kill, ended } = await dashboard(project, newHome());
  for (const pid of serversOf(project.root)) process.kill(pid, 'SIGKILL');
  await until(() => err().includes('Starting it again'));
  await until(async () => {
    const answer = await getFrom(address.slice(0, -1), '/api/board').catch(() => null);
    return answer?.status === 200;
  });
  kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('with tokens on, the address is good for one browser, once', async () => {
  verifies('BOARD-4');
  const project = aProject(`${GIT_OFF}team: {tokens: true}\n`);
  const { home } = await serveHttpInProcess(project.root);
  const { origin, pathname, search } = new URL((await dashboard(project, home)).address);
  const entered = await getFrom(origin, pathname + search);
  const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  expect((await getFrom(origin, '/api/board', { cookie })).status).toBe(200);
  expect((await getFrom(origin, pathname + search)).status).toBe(403);
});

test('--open hands the address to the system, and never to a program of the project', async () => {
  const project = aProject();
  const { home } = await serveHttpInProcess(project.root);
  const program = (folder: string, said: string) => {
    const file = newProject().write(
      'xdg-open',
      `#!/bin/sh\necho ${said} "$1" > ${folder}/opened\n`,
    );
    chmodSync(file, 0o755);
    return path.dirname(file);
  };
  const system = program(home, 'system');
  const own = project.write('bin/xdg-open', `#!/bin/sh\necho project > ${home}/opened\n`);
  chmodSync(own, 0o755);
  const PATH = [path.dirname(own), system, process.env.PATH].join(path.delimiter);
  const { address } = await dashboard(project, home, ['--open'], { PATH });
  const opened = path.join(home, 'opened');
  await until(() => {
    try {
      return readFileSync(opened, 'utf8').endsWith('\n');
    } catch {
      return false;
    }
  });
  expect(readFileSync(opened, 'utf8')).toBe(`system ${address}\n`);
});

test('a port that is taken, and a wrong one, are errors', async () => {
  const project = aProject();
  const taken = net.createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await until(() => taken.listening);
  const { port } = taken.address() as AddressInfo;
  const ran = (args: readonly string[]) =>
    deepwork(['dashboard', '--path', project.root, ...args], {
      cwd: project.root,
      env: { HOME: newHome() },
    });
  expect(await ran(['--port', String(port)])).toMatchObject({ code: 1, stdout: '' });
  expect((await ran(['--port', '65536'])).code).toBe(2);
});

test('an agent cannot open it', async () => {
  verifies('BOARD-4');
  const project = aProject();
  const ran = await deepwork(['dashboard', '--path', project.root], {
    cwd: project.root,
    env: { HOME: newHome(), CLAUDECODE: '1' },
  });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(serversOf(project.root)).toEqual([]);
});
