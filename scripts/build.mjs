// Builds dist/:
//   main.cjs        the command and its hooks: small, starts at once
//   commands.cjs    every other command, with its code cache
//   engine.cjs      everything heavy, loaded by main when needed, with its code cache
//   engine-http.cjs the same for an HTTP server
//   engine-hook.cjs what a client's hook needs while a session is open
//   init.cjs        what only `deepwork init` needs
//   doctor.cjs      what only `deepwork doctor` needs, with its code cache
//   postgres.cjs    the client of a database, read only where one is configured
//   board.cjs       what `deepwork status` and `deepwork history` need, with its code cache
//   run.cjs         what only `deepwork run` needs, with its code cache
//   index.js        the library, and its types
//   page/           the web page: index.html, the service worker, and files with hashed names

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
/** Only the bundles, into the dist/ that is there: for test/mutants. */
const bundlesOnly = process.argv.includes('--bundles');
/** @satisfies {import('esbuild').BuildOptions} */
const common = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  alias: { '@modelcontextprotocol/server/_shims': './src/server/sdk-shims.ts' },
  logLevel: 'warning',
});

if (process.stdout.isTTY) process.stdout.write('Building deepwork …\n');

// Built in a folder beside it and moved into place, so that a server started meanwhile finds
// complete files.
const fresh = `${dist}.${process.pid}`;
rmSync(fresh, { recursive: true, force: true });
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));

await Promise.all([
  build({
    ...common,
    entryPoints: ['src/main.ts'],
    outfile: path.join(fresh, 'main.cjs'),
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    // `require` instead: `import()` of a file starts the loader of modules, which is slow.
    supported: { 'dynamic-import': false },
  }),
  ...['commands', 'engine', 'engine-http', 'engine-hook', 'init', 'doctor', 'board', 'run'].map(
    (name) =>
      build({
        ...common,
        // jsonc-parser's other build loads its parts by names that no bundler sees.
        mainFields: ['init', 'doctor'].includes(name) ? ['module', 'main'] : ['main', 'module'],
        entryPoints: [name === 'commands' ? 'src/cli/commands.ts' : `src/bundles/${name}.ts`],
        outfile: path.join(fresh, `${name}.cjs`),
        format: 'cjs',
        // The client of the database is read only where one is configured.
        supported: { 'dynamic-import': false },
        plugins: [apart('driver', 'postgres')],
        // As src/bundles/load-bundle.ts calls it.
        banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
        footer: { js: '})' },
      }),
  ),
  build({
    ...common,
    entryPoints: ['src/journal/postgres/driver.ts'],
    outfile: path.join(fresh, 'postgres.cjs'),
    format: 'cjs',
  }),
  build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: path.join(fresh, 'index.js'),
    format: 'esm',
    plugins: [apart('driver', 'postgres')],
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
  }),
  bundlesOnly
    ? null
    : buildWithVite({
        configFile: path.join(root, 'src/page/front/vite.config.ts'),
        build: { outDir: path.join(fresh, 'page') },
      }),
]);

if (bundlesOnly) {
  chmodSync(path.join(fresh, 'main.cjs'), 0o755);
  for (const file of readdirSync(fresh)) renameSync(path.join(fresh, file), path.join(dist, file));
  // A cache is taken for that of any source of the same length.
  for (const file of readdirSync(dist)) if (file.endsWith('.cache')) rmSync(path.join(dist, file));
  process.exit();
}

const bundled = {
  standardJobsDir: path.join(root, 'standard_jobs'),
  standardGuidesDir: path.join(root, 'standard_workflows'),
};
/** As a client would name its conversation. */
const SESSION = 'build';
/** What the agent of the build's own run calls. */
const HAND_IN = ['call', 'finished_step', '--outputs', 'result=result.txt'];

declareTypes(fresh);
chmodSync(path.join(fresh, 'main.cjs'), 0o755);
const project = mkdtempSync(path.join(os.tmpdir(), 'deepwork-build-'));
// What is kept for a user, the key of the journal among it, is not kept in this one's home.
const home = process.env.HOME;
process.env.HOME = project;
const speak = process.stderr.write;
process.stderr.write = () => true;
try {
  await recordEngine(fresh);
  await recordHttpEngine(fresh);
  await recordHookEngine(fresh);
  await recordBoard(fresh);
  await recordCommands(fresh);
  await recordDoctor(fresh);
  await recordRun(fresh);
} finally {
  process.stderr.write = speak;
  if (home !== undefined) process.env.HOME = home;
  rmSync(project, { recursive: true, force: true });
}

// File by file, the command last, so that a server started meanwhile always finds one.
mkdirSync(dist, { recursive: true });
const files = readdirSync(fresh).sort(
  (a, b) => Number(a === 'main.cjs') - Number(b === 'main.cjs'),
);
for (const file of files) {
  if (file === 'page') replacePage(path.join(fresh, file), path.join(dist, file));
  else renameSync(path.join(fresh, file), path.join(dist, file));
}
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(path.join(dist, file), { recursive: true });
}

/** What the new index.html names is there before it, and what only the old one named goes last. */
function replacePage(from, to) {
  const assets = readdirSync(path.join(from, 'assets'));
  cpSync(path.join(from, 'assets'), path.join(to, 'assets'), { recursive: true });
  for (const file of readdirSync(from)) {
    if (file !== 'assets') renameSync(path.join(from, file), path.join(to, file));
  }
  for (const file of readdirSync(path.join(to, 'assets'))) {
    if (!assets.includes(file)) rmSync(path.join(to, 'assets', file));
  }
}

/** Leaves a module out of a bundle: it is loaded from the file of that name beside it. */
function apart(name, file = name) {
  return {
    name: 'apart',
    setup: ({ onResolve }) =>
      onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, () => ({
        path: `./${file}.cjs`,
        external: true,
      })),
  };
}

/** The library's types are in one file; its internals are not declared. */
function declareTypes(folder) {
  const types = path.join(folder, 'types');
  execFileSync(
    process.execPath,
    [
      path.join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      'tsconfig.build.json',
      '--outDir',
      types,
    ],
    { stdio: 'inherit', cwd: root },
  );
  renameSync(path.join(types, 'src/index.d.ts'), path.join(folder, 'index.d.ts'));
  rmSync(types, { recursive: true });
}

/** Runs the engine once and stores the code that V8 compiled for it. */
async function recordEngine(folder) {
  const { script, engine } = runBundle(folder, 'engine');
  const workspace = openProject(engine);
  const clientInfo = { name: 'build', version: '1' };
  const protocolVersion = '2025-11-25';
  await converse(engine, workspace, [
    request('initialize', { protocolVersion, capabilities: {}, clientInfo }),
    request('tools/list', {}),
    request('tools/call', { name: 'get_workflows', arguments: {} }),
    request('tools/call', {
      name: 'start_workflow',
      arguments: { job_name: 'deepwork_jobs', workflow_name: 'new_job', goal: 'Build' },
    }),
  ]);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  await converse(engine, workspace, [
    request('server/discover', { _meta }),
    request('tools/list', { _meta }),
    request('tools/call', { name: 'get_workflows', arguments: {}, _meta }),
  ]);
  keepCode(folder, 'engine', script);
}

/** The same over HTTP: one session, initialized and called. */
async function recordHttpEngine(folder) {
  const { script, engine } = runBundle(folder, 'engine-http');
  const server = createServer();
  const service = engine.openHttpService(server, {
    workspace: openProject(engine),
    toolsets: ['jobs', 'guides', 'team'],
    instance: 'build',
    tokens: { on: false, owners: [] },
    allowedHosts: async () => [],
  });
  server.on('request', service.handle);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = async (message) => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
    });
    if (!response.ok) throw new Error(`The build's own server refused: ${await response.text()}`);
    await response.arrayBuffer();
    return response;
  };
  const clientInfo = { name: 'build', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const greeting = await post(request('initialize', params));
  headers['mcp-session-id'] = greeting.headers.get('mcp-session-id');
  await post(request('tools/list', {}));
  await post(request('tools/call', { name: 'get_workflows', arguments: {} }));
  await service.stop();
  keepCode(folder, 'engine-http', script);
}

/** A hook with a session open: the one that `recordEngine` started. */
async function recordHookEngine(folder) {
  const { script, engine } = runBundle(folder, 'engine-hook');
  const client = { name: 'build', identityPrefix: 'claude-code' };
  const call = { sessionId: SESSION, cwd: project, writes: [] };
  for (const moment of ['start', 'stop']) {
    const answer = await engine.answerHook({
      project,
      bundled,
      client,
      moment,
      call,
      cwd: project,
    });
    if (answer === null) throw new Error(`The build's own hook said nothing at '${moment}'`);
  }
  keepCode(folder, 'engine-hook', script);
}

/** The status of a project with a session, and that session's history. */
async function recordBoard(folder) {
  const { script, engine } = runBundle(folder, 'board');
  const board = engine.openProjectBoard({ projectRoot: project, ...bundled });
  const { runs } = await board.board();
  if (runs.length === 0) throw new Error("The build's own board shows no run");
  await board.run('last');
  keepCode(folder, 'board', script);
}

/** A command that shows something, and one that calls a tool: most others share code with them. */
async function recordCommands(folder) {
  const { script, engine: commands } = runBundle(folder, 'commands');
  const write = process.stdout.write;
  process.stdout.write = () => true;
  try {
    for (const command of [['status'], ['call', 'get_workflows']]) {
      const code = await commands.runNamedCommand([...command, '--path', project]);
      if (code !== 0) throw new Error(`The build's own ${command.join(' ')} ended with ${code}`);
    }
  } finally {
    process.stdout.write = write;
  }
  keepCode(folder, 'commands', script);
}

/** All checks, on the build's own project. */
async function recordDoctor(folder) {
  const { script, engine } = runBundle(folder, 'doctor');
  const checks = await engine.runChecks({
    root: project,
    home: project,
    env: process.env,
    bundled,
    script: path.join(folder, 'main.cjs'),
  });
  if (checks.length === 0) throw new Error("The build's own doctor checks nothing");
  keepCode(folder, 'doctor', script);
}

/** A run of one step, which its agent hands in with `deepwork call`. */
async function recordRun(folder) {
  const { script, engine } = runBundle(folder, 'run');
  writeJobOfRun(path.join(project, '.deepwork/jobs/build'));
  const openWorkspace = () => openProject(engine);
  const { reason, detail } = await engine.runUnattended(
    {
      openWorkspace,
      openBoard: () => engine.openProjectBoard({ projectRoot: project, ...bundled }),
      openServer: (workspace) => openServerOfRun(engine, workspace),
      report: engine.openReport({ isJson: true, forPeople: String, print() {} }),
      stop: new AbortController().signal,
    },
    {
      what: { kind: 'workflow', workflow: 'build/run', goal: 'Build', inputs: {}, worktree: false },
      agent: {
        kind: 'command',
        words: [process.execPath, path.join(folder, 'main.cjs'), ...HAND_IN],
        from: project,
      },
      budgets: { max_turns: 1 },
      onLimit: 'stop',
      continues: false,
    },
  );
  if (reason !== 'complete') throw new Error(`The build's own run stopped: ${reason}, ${detail}`);
  keepCode(folder, 'run', script);
}

function writeJobOfRun(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'job.yml'),
    `name: build
version: 1.0.0
summary: One step
common_job_info_provided_to_all_steps_at_runtime: Nothing
workflows: [{name: run, summary: One step, steps: [step]}]
steps:
  - id: step
    name: Step
    description: One step
    instructions_file: step.md
    outputs: {result: {type: file, description: It, required: true}}
    reviews: []
`,
  );
  writeFileSync(path.join(folder, 'step.md'), 'Do it.\n');
  writeFileSync(path.join(project, 'result.txt'), 'Done\n');
}

/** As src/cli/run/own-server.ts opens it. */
async function openServerOfRun(engine, workspace) {
  const server = createServer();
  const service = engine.openHttpService(server, {
    workspace,
    toolsets: ['jobs', 'guides', 'team'],
    forms: false,
    pass: 'build',
    tokens: { on: true, owners: ['build'] },
    allowedHosts: async () => [],
    log: { call() {}, fault: () => '' },
  });
  server.on('request', service.handle);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    answered: service.answered,
    stop: service.stop,
    issueToken({ identity, stack }) {
      const [name, model, variant] = identity.split('|');
      return { ...service.issueToken({ name, model, variant }, stack), refused: () => null };
    },
  };
}

function runBundle(folder, name) {
  const file = path.join(folder, `${name}.cjs`);
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: `deepwork/${name}.cjs`,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, folder);
  return { script, engine: module.exports };
}

function keepCode(folder, name, script) {
  const tag = v8.cachedDataVersionTag().toString(16);
  const file = path.join(folder, `${name}-${process.version}-${process.arch}-${tag}.cache`);
  writeFileSync(file, script.createCachedData());
}

function openProject(engine) {
  return engine.openWorkspace({ projectRoot: project, ...bundled });
}

function request(method, params) {
  return { jsonrpc: '2.0', id: method, method, params };
}

/** One connection: sends the requests, each after the previous answer. */
async function converse(engine, workspace, requests) {
  const replies = [];
  let close;
  let deliver;
  let arrived = (_) => {};
  const connection = {
    closed: new Promise((resolve) => {
      close = resolve;
    }),
    handOver(handler) {
      deliver = handler;
    },
    async send(message) {
      replies.push(message);
      arrived();
    },
  };
  const serving = engine.serveOverStdio(workspace, connection, {
    identity: engine.stdioCaller({ CLAUDE_CODE_SESSION_ID: SESSION }),
    toolsets: engine.TOOLSETS,
  });
  for (const message of requests) {
    const reply = new Promise((resolve) => {
      arrived = resolve;
    });
    deliver(message);
    await reply;
  }
  close();
  await serving;
  for (const reply of replies) {
    if (reply.error) throw new Error(`The build's own server refused: ${JSON.stringify(reply)}`);
  }
}
