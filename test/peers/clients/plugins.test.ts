// The packages for Claude Code and Gemini CLI: valid for the client's own validator, installed as
// people install them, and at work: an agent that stops too early is sent back and finishes.

import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BINARY } from '../../support/connect.ts';
import { verifies } from '../../verifies.ts';
import { installPeers } from '../install.ts';
import { call, inOrder, say, write } from '../model/script.ts';
import { runClient } from './client-process.ts';
import { claudeCode } from './driven/claude-code.ts';
import { type DrivenClient, drive } from './driven/client.ts';
import { geminiCli } from './driven/gemini.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { historyOf } from './driven/session-view.ts';
import { clientEnv } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PLUGIN = path.join(ROOT, 'plugins/claude-code');
const EXTENSION = path.join(ROOT, 'plugins/gemini');
const PROMPT = 'Please write the report.';

/** Finishes, after it wanted to stop at the first step; `commands` install the package before. */
async function runWith(
  context: Parameters<typeof drive>[0],
  driven: DrivenClient,
  commands: readonly (readonly string[])[],
  { byInit = false } = {},
) {
  const project = projectWithReportJob();
  const script = inOrder(
    START_REPORT,
    say('All done!'),
    write(project.path('report.md'), 'Measured: 12 ms.'),
    call('finished_step', { outputs: { report: 'report.md' } }),
    write(project.path('page.md'), '# 12 ms'),
    call('finished_step', { outputs: { page: 'page.md' } }),
    say('The page is written.'),
  );
  // Nothing of deepwork is in the project or the home but what the package brings.
  const client: DrivenClient = {
    ...driven,
    configure: (scene) => driven.configure({ ...scene, serve: null }),
  };
  const scene = await drive(context, { client, script, project });
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const bin = path.join(scene.home, 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, path.join(bin, 'deepwork'));
  const base = { ...clientEnv(scene.home, peers), ...client.env(scene) };
  const env = { ...base, PATH: `${bin}${path.delimiter}${base.PATH}` };
  const program = peers.file(client.program);
  const [command, first] = client.needsNode ? [peers.node, [program]] : [program, []];
  for (const args of commands) {
    const { code, text } = await runClient({
      command,
      args: [...first, ...args],
      cwd: project.root,
      env,
    });
    expect(code, text).toBe(0);
  }
  if (byInit) {
    const args = [BINARY, 'init', '--clients', client.id, '--template', 'none', '--yes'];
    const made = await runClient({ command: process.execPath, args, cwd: project.root, env });
    expect(made.code, made.text).toBe(0);
  }
  const ran = await scene.ask(PROMPT, { env: { PATH: env.PATH } });
  expect(ran.code, ran.text).toBe(0);
  expect(historyOf(project)).toEqual(['started', 'nudged', 'accepted', 'accepted', 'completed']);
  return { ...scene, ran };
}

function withPlugin(...more: string[]): DrivenClient {
  return {
    ...claudeCode,
    args: (prompt) => [
      ...['-p', prompt, '--allowedTools', 'mcp__plugin_deepwork_deepwork,mcp__deepwork,Write'],
      ...['--output-format', 'stream-json', '--verbose', ...more],
    ],
  };
}

test('the plugin for Claude Code is valid, and at work from its folder', async (context) => {
  verifies('CLIENT-2');
  const { model } = await runWith(context, withPlugin('--plugin-dir', PLUGIN), [
    ['plugin', 'validate', '--strict', PLUGIN],
  ]);
  const [first] = model.requests;
  const tools = first?.conversation.tools.map(({ name }) => name);
  expect(tools).toContain('mcp__plugin_deepwork_deepwork__finished_step');
  const told = first?.conversation.texts.map(({ text }) => text).join('\n');
  expect(told).toContain('deepwork:deepwork');
});

test('the plugin for Claude Code is installed from the marketplace of this repository', async (context) => {
  verifies('CLIENT-2');
  await runWith(context, withPlugin(), [
    ['plugin', 'validate', '--strict', ROOT],
    ['plugin', 'marketplace', 'add', ROOT],
    ['plugin', 'install', 'deepwork@deepwork'],
  ]);
});

test('Claude Code with the plugin and what init wrote starts one server, and reminds once', async (context) => {
  verifies('CLIENT-2');
  const install = [
    ['plugin', 'marketplace', 'add', ROOT],
    ['plugin', 'install', 'deepwork@deepwork'],
  ];
  const client = withPlugin('--include-hook-events');
  const { ran } = await runWith(context, client, install, { byInit: true });
  const said = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const { mcp_servers } = said.find(({ subtype }) => subtype === 'init');
  expect(mcp_servers).toMatchObject([{ name: 'deepwork', status: 'connected' }]);
  const reminders = said.filter(
    ({ subtype, hook_event, stdout }) =>
      subtype === 'hook_response' && hook_event === 'Stop' && stdout !== '',
  );
  expect(reminders).toHaveLength(1);
});

test('Gemini CLI with the extension and what init wrote reminds once', async (context) => {
  verifies('CLIENT-4');
  const install = [['extensions', 'install', EXTENSION, '--consent']];
  const { model } = await runWith(context, geminiCli, install, { byInit: true });
  const texts = model.requests.at(-1)?.conversation.texts ?? [];
  expect(texts.filter(({ text }) => text.includes('the work is not done'))).toHaveLength(1);
});

test('the extension for Gemini CLI is valid, and at work once it is installed', async (context) => {
  verifies('CLIENT-4');
  await runWith(context, geminiCli, [
    ['extensions', 'validate', EXTENSION],
    ['extensions', 'install', EXTENSION, '--consent'],
  ]);
});
