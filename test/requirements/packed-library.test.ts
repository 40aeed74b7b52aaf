// The package as its users get it: packed, installed in a separate folder, and imported there by
// its name.

import { execFile, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newProject, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { initialize, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TYPES = path.join(ROOT, 'node_modules/@types');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

let home: string;
let tarball: string;

beforeAll(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'deepwork-user-'));
  writeFileSync(path.join(home, 'package.json'), '{"name":"user","type":"module"}');
  const pack = ['pack', '--json', '--pack-destination', home, ...QUIET];
  const { stdout } = await execute('npm', pack, { cwd: ROOT });
  const [{ filename }] = JSON.parse(stdout);
  tarball = path.join(home, filename);
  // It has no dependencies, so this is what installing it means; npx, below, really installs it.
  const installed = path.join(home, 'node_modules/deepwork');
  mkdirSync(installed, { recursive: true });
  await execute('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
}, 120_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = path.join(home, name);
  writeFileSync(file, text);
  return file;
}

/** Runs a module of the user's; returns its output, parsed as JSON. */
async function run(name: string, text: string, ...args: string[]) {
  const { stdout, stderr } = await execute(process.execPath, [write(name, text), ...args], {
    cwd: home,
  });
  return { printed: JSON.parse(stdout), stderr };
}

/** A minimal client, as written by someone without an MCP library. */
const CLIENT = `
import { createServer, memoryTransport } from 'deepwork';

export async function open(options) {
  const server = createServer(options);
  const [ours, theirs] = memoryTransport();
  const waiting = new Map();
  ours.onmessage = (message) => waiting.get(message.id)?.(message);
  await server.connect(theirs);
  await ours.start();
  let last = 0;
  const ask = (method, params) => new Promise((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    ours.send({ jsonrpc: '2.0', id: last, method, params });
  });
  const clientInfo = { name: 'user', version: '1' };
  const hello = () => ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const call = async (name, args = {}) =>
    (await ask('tools/call', { name, arguments: args })).result.structuredContent;
  return { server, ours, ask, hello, call };
}
`;

function demo() {
  const project = newProject({ 'a.md': 'A\n' });
  writeJob(project, 'demo', { a: { outputs: { o: 'file' } } }, { main: ['a'] });
  return project;
}

const BAD_OPTIONS: readonly (readonly [options: string, problem: string])[] = [
  ['undefined', 'at least { projectRoot }'],
  ['{}', 'projectRoot is required'],
  ['{ projectRoot: 7 }', 'projectRoot must be the path of a folder'],
  ["{ projectRoot: '/no/such' }", 'projectRoot is not a folder'],
  ["{ projectRoot: '.', projectroot: '.' }", "unknown option 'projectroot'"],
  ["{ projectRoot: '.', enableQualityGate: 'no' }", 'enableQualityGate'],
  ["{ projectRoot: '.', qualityGateTimeout: 0 }", 'qualityGateTimeout'],
  ["{ projectRoot: '.', qualityGateMaxAttempts: 1.5 }", 'qualityGateMaxAtt'],
  ["{ projectRoot: '.', externalRunner: 'gpt' }", "'claude' or null"],
  ["{ projectRoot: '.', agentReviewCommand: ' ' }", 'agentReviewCommand'],
  ["{ projectRoot: '.', maxParallelReviews: 0 }", 'maxParallelReviews'],
  ["{ projectRoot: '.', gitBranch: 'maybe' }", "'create', 'checkout' or 'off'"],
  ["{ projectRoot: '.', tools: ['job'] }", "'jobs', 'guides' and 'team'"],
  ["{ projectRoot: '.', tools: [] }", "'jobs', 'guides' and 'team'"],
  ["{ projectRoot: '.', bundledJobs: 'yes' }", 'bundledJobs'],
  ["{ projectRoot: '.', standardJobsDir: [] }", 'standardJobsDir'],
  ["{ projectRoot: '.', agent: 7 }", 'agent must be'],
  ["{ projectRoot: '.', log: 'x' }", 'log must be a function'],
];

test('the package is small, without code caches, and passes on the licences of what it contains', () => {
  expect(statSync(tarball).size).toBeLessThan(3_000_000);
  const folder = path.join(home, 'node_modules/deepwork');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.cache'))).toEqual([]);
  const library = readFileSync(path.join(folder, 'dist/index.js'), 'utf8');
  expect(library.split('\n').length).toBeGreaterThan(10_000);
  const map = JSON.parse(readFileSync(path.join(folder, 'dist/index.js.map'), 'utf8'));
  const own = map.sources.indexOf('../src/index.ts');
  expect(map.sourcesContent[own]).toBe(readFileSync(path.join(ROOT, 'src/index.ts'), 'utf8'));
  const licences = readFileSync(path.join(folder, 'dist/LICENSES.txt'), 'utf8');
  const [, ...packages] = library.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm);
  const names = new Set([...packages.map(([, name = '']) => name), 'hono', 'preact', 'postgres']);
  expect(names.size).toBeGreaterThan(8);
  for (const name of names) expect(licences).toContain(`\n${name} `);
});

describe('A user who installs deepwork', () => {
  test('runs a server in memory, with tools and direct methods', async () => {
    verifies('JOBS-REQ-001.1.1', 'GUIDE-1');
    write('client.mjs', CLIENT);
    const { printed, stderr } = await run(
      'memory.mjs',
      `import { open } from './client.mjs';
      const { server, ask, hello, call } = await open({ projectRoot: process.argv[2], log: null });
      const early = await ask('workflow_list', null);
      const opened = await hello();
      const { stack } = await call('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'main' });
      const done = await call('finished_step', { outputs: { o: 'a.md' } });
      const unknown = await ask('workflow_nothing');
      const bad = await ask('tools/list', 7);
      await server.close();
      console.log(JSON.stringify({ early, opened, stack, done, unknown, bad }));`,
      demo().root,
    );
    expect(printed.early.result).toEqual({ workflows: [] });
    expect(printed.opened.result.serverInfo.name).toBe('deepwork');
    expect(printed.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    expect(printed.done).toMatchObject({ status: 'workflow_complete', stack: [] });
    expect(printed.unknown.error.code).toBe(-32601);
    expect(printed.bad.error.code).toBe(-32602);
    expect(stderr).toBe('');
  });

  test('runs twenty separate servers in one process, on one project and on several', async () => {
    verifies('JOBS-REQ-001.1.1');
    write('client.mjs', CLIENT);
    const { printed } = await run(
      'many.mjs',
      `import { open } from './client.mjs';
      const environment = JSON.stringify(process.env);
      const handlers = () => ['exit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException']
        .map((event) => process.listenerCount(event));
      const servers = [];
      const counts = [];
      const lines = [];
      for (let at = 0; at < 20; at++) {
        const projectRoot = process.argv[2 + (at % 2)];
        const each = await open({ projectRoot, agent: at === 2 ? 'writer' : undefined, log: (line) => lines.push([at, line]) });
        await each.hello();
        servers.push(each);
        await each.call('get_workflows');
        counts.push(handlers());
      }
      await servers[0].call('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'main' });
      const stacks = [];
      for (const { call } of servers) stacks.push((await call('get_active_workflow')).stack.length);
      const { result } = await servers[2].ask('tools/list');
      await servers[0].server.close();
      const other = await servers[1].call('get_workflows');
      await Promise.all(servers.map(({ server }) => server.close()));
      const refused = await servers[1].server.connect({}).catch((error) => error.message);
      console.log(JSON.stringify({
        stacks, counts, other, refused, lines: lines.filter(([at]) => at === 0).length,
        writer: result.tools.map(({ name }) => name),
        unchanged: JSON.stringify(process.env) === environment,
      }));`,
      demo().root,
      demo().root,
    );
    expect(printed.stacks).toEqual([1, ...Array(19).fill(0)]);
    // With the first server of each project everything is there that a process has once.
    expect(printed.counts.at(-1)).toEqual(printed.counts[1]);
    expect(printed.writer).not.toContain('peek_message_bus');
    expect(printed.other.jobs).toHaveLength(1);
    expect(printed.lines).toBe(3);
    expect(printed.unchanged).toBe(true);
    expect(printed.refused).toContain('closed');
  });

  test('runs a server over stdio that ends with its client', async () => {
    verifies('JOBS-REQ-001.1.1', 'GUIDE-5');
    const file = write(
      'stdio.mjs',
      `import { createServer, stdioTransport } from 'deepwork';
      const server = createServer({ projectRoot: process.argv[2] });
      await server.connect(stdioTransport());`,
    );
    const child = spawn(process.execPath, [file, demo().root], { cwd: home });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const call = request(2, 'tools/call', { name: 'get_workflows' });
    for (const line of [initialize(1), call, request(3, 'workflow_list', null)]) {
      child.stdin.write(`${JSON.stringify(line)}\n`);
    }
    child.stdin.end('what?\n');
    expect(await ended).toBe(0);
    const replies = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(replies.map(({ id }) => id).sort()).toEqual([1, 2, 3, null].sort());
    expect(replies.find(({ id }) => id === null).error.code).toBe(-32700);
    expect(replies.find(({ id }) => id === 2).result.structuredContent.jobs).toHaveLength(1);
  });

  test('starts the program with npx from the tarball, without a network and without a cache', async () => {
    verifies('JOBS-REQ-001.1.1');
    const cwd = tempFolder();
    const npx = ['--yes', '--offline', '--cache', path.join(cwd, 'cache'), '--package', tarball];
    const project = demo();
    const child = spawn('npx', [...npx, 'deepwork', 'serve', '--path', project.root], { cwd });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const calls = ['get_workflows', 'workflow_list'].map((name, at) =>
      request(at + 2, 'tools/call', { name }),
    );
    for (const line of [initialize(1), ...calls]) child.stdin.write(`${JSON.stringify(line)}\n`);
    child.stdin.end();
    expect(await ended).toBe(0);
    const replies = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const answer = (id: number) =>
      replies.find((reply) => reply.id === id).result.structuredContent;
    // What ships with it is found: its own job, and its guides.
    expect(answer(2).jobs).toHaveLength(2);
    expect(answer(3).workflows).toHaveLength(3);
    const init = ['init', '--clients', 'claude,opencode', '--template', 'bug_fix', '--dry-run'];
    // The program that npx has installed; npx itself takes longer than all the rest.
    const [place = ''] = readdirSync(path.join(cwd, 'cache/_npx'));
    const installed = path.join(cwd, 'cache/_npx', place, 'node_modules/.bin/deepwork');
    const planned = await execute(installed, init, { cwd });
    expect(planned.stdout).toContain('.deepwork/jobs/bug_fix/job.yml');
    expect(planned.stdout).toContain('.opencode/plugins/deepwork.js');
  });

  test('chooses the tools, and whether the bundled jobs and guides are there', async () => {
    write('client.mjs', CLIENT);
    const { printed } = await run(
      'chosen.mjs',
      `import { open } from './client.mjs';
      const projectRoot = process.argv[2];
      const counts = async (options) => {
        const { server, ask, hello, call } = await open({ projectRoot, log: null, ...options });
        await hello();
        const { jobs } = await call('get_workflows');
        const guides = await ask('workflow_list', null);
        const { tools } = (await ask('tools/list')).result;
        await server.close();
        const names = tools.map(({ name }) => name);
        return { jobs: jobs.length, guides: guides.result?.workflows.length, team: names.includes('send_message') };
      };
      console.log(JSON.stringify([
        await counts({}),
        await counts({ bundledJobs: true }),
        await counts({ tools: ['jobs'] }),
      ]));`,
      newProject().root,
    );
    expect(printed).toEqual([
      { jobs: 0, guides: 0, team: true },
      { jobs: 1, guides: 3, team: true },
      { jobs: 0, team: false },
    ]);
  });

  test('finds the schemas and the package by name', async () => {
    const { printed } = await run(
      'by-name.mjs',
      `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const { title } = require('deepwork/schemas/job.schema.json');
      console.log(JSON.stringify([title, require('deepwork/package.json').name]));`,
    );
    expect(printed).toEqual([expect.any(String), 'deepwork']);
  });

  test('gets an error that names the invalid option', async () => {
    const { printed } = await run(
      'options.mjs',
      `import { createServer } from 'deepwork';
      const said = (options) => {
        try { createServer(options); } catch (error) { return [error.name, error.message]; }
      };
      console.log(JSON.stringify([${BAD_OPTIONS.map(([options]) => `said(${options})`)}]));`,
    );
    for (const [at, [options, problem]] of BAD_OPTIONS.entries()) {
      expect(printed[at]?.[0], options).toBe('TypeError');
      expect(printed[at]?.[1], options).toContain(problem);
    }
  });

  // Users without Node types can compile against the package, too.
  test.each([
    [
      'with the types of Node',
      ['--types', 'node', '--typeRoots', TYPES],
      'process.stdin, process.stdout',
    ],
    ['without them', ['--types', '', '--typeRoots', 'none'], ''],
  ])('has types for all of it, %s', async (_how, types, streams) => {
    write(
      'typed.ts',
      `import { createServer, create_server, memoryTransport, stdioTransport } from 'deepwork';
      import type { DeepworkServer, ServerOptions, Transport } from 'deepwork';
      const options: ServerOptions = { projectRoot: '.', gitBranch: 'off', log: null, tools: ['jobs'] };
      const server: DeepworkServer = create_server(options);
      const [client, other]: readonly [Transport, Transport] = memoryTransport();
      await server.connect(other);
      await server.connect(stdioTransport(${streams}));
      await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      // @ts-expect-error: no such option
      createServer({ projectRoot: '.', projectroot: '.' });
      // @ts-expect-error: no such toolset
      createServer({ projectRoot: '.', tools: ['job'] });
      // @ts-expect-error: not a transport
      await server.connect({});
      // @ts-expect-error: a message is an object
      await client.send('ping');
      await server.close();`,
    );
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
    // Types of browsers are most of what a compiler reads, and none of them is needed.
    flags.push('--lib', 'es2022', '--skipDefaultLibCheck');
    const how = ['--module', 'nodenext', ...flags, ...types, '--ignoreConfig', 'typed.ts'];
    const { stdout } = await execute(process.execPath, [tsc, ...how], { cwd: home }).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  });
});
