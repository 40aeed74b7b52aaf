// Builds dist/:
//   main.cjs        the command: small, starts at once
//   engine.cjs      everything heavy, loaded by main when needed, with its code cache
//   engine-http.cjs the same for a server over HTTP
//   index.js        the library, and its types

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
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
import vm from 'node:vm';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
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

// Built beside and moved into place, so that a server started meanwhile finds whole files.
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
  }),
  ...['engine', 'engine-http'].map((name) =>
    build({
      ...common,
      entryPoints: [`src/bundles/${name}.ts`],
      outfile: path.join(fresh, `${name}.cjs`),
      format: 'cjs',
      // As src/bundles/load-engine.ts calls it.
      banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
      footer: { js: '})' },
    }),
  ),
  build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: path.join(fresh, 'index.js'),
    format: 'esm',
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
  }),
]);

declareTypes(fresh);
chmodSync(path.join(fresh, 'main.cjs'), 0o755);
const project = mkdtempSync(path.join(os.tmpdir(), 'deepwork-build-'));
const speak = process.stderr.write;
process.stderr.write = () => true;
try {
  await recordEngine(fresh);
  await recordHttpEngine(fresh);
} finally {
  process.stderr.write = speak;
  rmSync(project, { recursive: true, force: true });
}

// File by file, the command last: a server that is started meanwhile always finds one.
mkdirSync(dist, { recursive: true });
const files = readdirSync(fresh).sort(
  (a, b) => Number(a === 'main.cjs') - Number(b === 'main.cjs'),
);
for (const file of files) renameSync(path.join(fresh, file), path.join(dist, file));
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(path.join(dist, file), { recursive: true });
}

/** The library's types stand in one file; what it is made of is nobody's business. */
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

/** Runs the engine once, and keeps the code that V8 compiled for it. */
async function recordEngine(folder) {
  const { script, engine } = runBundle(folder, 'engine');
  const workspace = openProject(engine);
  const clientInfo = { name: 'build', version: '1' };
  const protocolVersion = '2025-11-25';
  await converse(engine, workspace, [
    request('initialize', { protocolVersion, capabilities: {}, clientInfo }),
    request('tools/list', {}),
    request('tools/call', { name: 'get_workflows', arguments: {} }),
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

/** The same over HTTP: one session, greeted and called. */
async function recordHttpEngine(folder) {
  const { script, engine } = runBundle(folder, 'engine-http');
  const server = createServer();
  const service = engine.openHttpService(server, {
    workspace: openProject(engine),
    faces: ['jobs', 'guides', 'team'],
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

function runBundle(folder, name) {
  const file = path.join(folder, `${name}.cjs`);
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, folder);
  return { script, engine: module.exports };
}

function keepCode(folder, name, script) {
  const file = path.join(folder, `${name}-${process.version}-${process.arch}.cache`);
  writeFileSync(file, script.createCachedData());
}

function openProject(engine) {
  return engine.openWorkspace({
    projectRoot: project,
    standardJobsDir: path.join(root, 'standard_jobs'),
    standardGuidesDir: path.join(root, 'standard_workflows'),
  });
}

function request(method, params) {
  return { jsonrpc: '2.0', id: method, method, params };
}

/** One connection: sends the requests, each when the one before is answered. */
async function converse(engine, workspace, requests) {
  const replies = [];
  let close;
  let deliver;
  let arrived = (_) => {};
  const door = {
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
  const serving = engine.serveOverStdio(workspace, door, {
    speaker: engine.stdioCaller({}),
    faces: engine.TOOLSETS,
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
