// What is published is checked by the tools of those who take it: publint and attw for npm, mcpb
// for the bundle of Claude Desktop and others, which is built here and started from its file.

import { execFile, spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { newProject, writeJob } from '../../support/project.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { initialize, request } from '../../support/wire.ts';
import { installPeers, type Peers } from '../install.ts';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let peers: Peers;

beforeAll(async () => {
  const installed = await installPeers('publishing');
  if (typeof installed === 'string') throw new Error(installed);
  peers = installed;
}, 15 * 60_000);

/** The package as it would be published. */
async function packed(): Promise<string> {
  const to = tempFolder();
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to];
  const { stdout } = await execute('npm', args, { cwd: ROOT });
  return path.join(to, JSON.parse(stdout)[0].filename);
}

/** Fails if the tool does. */
function run(program: string, ...args: string[]) {
  return execute(process.execPath, [peers.file(program), ...args], { cwd: tempFolder() });
}

test('publint has nothing to say about the package', async () => {
  const { stdout } = await run('publint/src/cli.js', 'run', await packed(), '--strict');
  expect(stdout).toContain('All good!');
});

test('attw finds the types, in every way in which an ESM package is imported', async () => {
  const args = ['--profile', 'esm-only', '--format', 'json'];
  const { stdout } = await run('@arethetypeswrong/cli/dist/index.js', await packed(), ...args);
  const { analysis } = JSON.parse(stdout);
  expect(analysis.types).toMatchObject({ kind: 'included' });
});

test('the bundle is valid, and the server in it starts', async () => {
  const mcpb = '@anthropic-ai/mcpb/dist/cli/cli.js';
  const staged = tempFolder();
  const tar = ['-xzf', await packed(), '-C', staged, '--strip-components=1'];
  await execute('tar', tar);
  const manifestFile = path.join(staged, 'manifest.json');
  copyFileSync(path.join(ROOT, 'plugins/mcpb/manifest.json'), manifestFile);
  await run(mcpb, 'validate', manifestFile);
  const bundle = path.join(tempFolder(), 'deepwork.mcpb');
  await run(mcpb, 'pack', staged, bundle);

  const installed = tempFolder();
  await run(mcpb, 'unpack', bundle, installed);
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { o: 'file' } } }, { main: ['a'] });
  const { server } = JSON.parse(readFileSync(path.join(installed, 'manifest.json'), 'utf8'));
  const args = (server.mcp_config.args as string[]).map((arg) =>
    arg
      .replace('$' + '{__dirname}', installed)
      .replace('$' + '{user_config.project}', project.root),
  );
  const listed = await tools(args);
  expect(listed).toContain('start_workflow');
  expect(listed).toContain('workflow_list');
});

/** The tools of a server over stdio, by their names. */
async function tools(args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  for (const line of [initialize(1), request(2, 'tools/list', {})]) {
    child.stdin.write(`${JSON.stringify(line)}\n`);
  }
  child.stdin.end();
  expect(await ended).toBe(0);
  const replies = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { result } = replies.find(({ id }) => id === 2);
  return result.tools.map(({ name }: { name: string }) => name);
}
