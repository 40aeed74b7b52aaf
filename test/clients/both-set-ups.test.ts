// A client that has deepwork twice: as its plugin or extension, and by what `deepwork init` wrote
// into the project. Each moment is answered once, and init does not write what a plugin brings.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY, connect } from '../support/connect.ts';
import { claudeInput } from '../support/hook.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { run } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { newSetting } from './init-project.ts';

const SETTINGS = { claude: '.claude/settings.json', gemini: '.gemini/settings.json' } as const;
type Both = keyof typeof SETTINGS;
const CLIENTS: readonly Both[] = ['claude', 'gemini'];

async function openRun(): Promise<Project> {
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  const agent = await connect(project.root);
  await agent.ok('start_workflow', { goal: 'G', job_name: 'demo', workflow_name: 'main' });
  return project;
}

const settingsWith = (command: string) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }, null, 2);

/** What the plugin's hook prints. */
async function pluginHook(
  client: Both,
  moment: string,
  { root }: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const input = JSON.stringify(claudeInput('c', root));
  const args = [BINARY, 'hook', client, moment, '--plugin'];
  const { code, stdout } = await run(process.execPath, args, { cwd: root, env, input });
  expect(code).toBe(0);
  return stdout;
}

test.each(CLIENTS)("%s: a plugin's hook speaks where the settings have none", async (client) => {
  verifies('CLIENT-2');
  const project = await openRun();
  expect(await pluginHook(client, 'stop', project)).toContain('the work is not done');
  // Another moment, another client, a comment, and what the plugin itself would be written as.
  const other = client === 'claude' ? 'gemini' : 'claude';
  for (const text of [
    settingsWith(`deepwork hook ${client} stop`),
    settingsWith(`deepwork hook ${other} start`),
    `{\n  // "command": "deepwork hook ${client} start"\n}\n`,
    settingsWith(`deepwork hook ${client} start --plugin`),
  ]) {
    project.write(SETTINGS[client], text);
    expect(await pluginHook(client, 'start', project)).toContain('in the middle of a workflow');
  }
});

test.each(CLIENTS)(
  "%s: it stands back where the project's or the user's have it",
  async (client) => {
    verifies('CLIENT-2');
    for (const command of ['deepwork', '/usr/bin/node /opt/main.cjs', "'/a b/deepwork'"]) {
      const project = await openRun();
      project.write(SETTINGS[client], settingsWith(`${command} hook ${client} stop`));
      expect(await pluginHook(client, 'stop', project)).toBe('');
    }
    const home = tempFolder(path.dirname(SETTINGS[client]));
    writeFileSync(path.join(home, SETTINGS[client]), settingsWith(`deepwork hook ${client} stop`));
    expect(await pluginHook(client, 'stop', await openRun(), { HOME: home })).toBe('');
  },
);

test("what a file tool may not write is refused by a plugin's hook all the same", async () => {
  verifies('CLIENT-6');
  const project = await openRun();
  project.write(SETTINGS.claude, settingsWith('deepwork hook claude tool'));
  const tool_input = { file_path: project.path('.deepwork/journal/x') };
  const input = claudeInput('c', project.root, { tool_name: 'Write', tool_input });
  const args = [BINARY, 'hook', 'claude', 'tool', '--plugin'];
  const options = { cwd: project.root, input: JSON.stringify(input) };
  expect((await run(process.execPath, args, options)).stdout).toContain('deny');
});

/** As the clients write it when a person installs the package. */
function installPackages(home: string): void {
  mkdirSync(path.join(home, '.claude'), { recursive: true });
  const enabledPlugins = { 'other@x': true, 'deepwork@deepwork': true };
  writeFileSync(path.join(home, SETTINGS.claude), JSON.stringify({ enabledPlugins }));
  const extension = path.join(home, '.gemini/extensions/deepwork');
  mkdirSync(extension, { recursive: true });
  writeFileSync(path.join(extension, 'gemini-extension.json'), '{}');
}

test('init leaves clients to the plugin or extension that they have, and says so', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { 'CLAUDE.md': '', 'GEMINI.md': '', '.cursorrules': '' } });
  installPackages(setting.home);
  const { code, stdout } = await setting.init('--yes');
  expect(code).toBe(0);
  expect(stdout).toContain(
    'Claude Code has deepwork as a plugin already (~/.claude/settings.json)',
  );
  expect(stdout).toContain(
    'Gemini CLI has deepwork as a plugin already (~/.gemini/extensions/deepwork)',
  );
  const files = Object.keys(setting.snapshot());
  expect(files).toContain('.cursor/mcp.json');
  expect(files).not.toContain('.mcp.json');
  for (const file of Object.values(SETTINGS)) expect(files).not.toContain(file);
});

test('a client that is named is set up nevertheless, for the others in the project', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  installPackages(setting.home);
  const { code, stdout } = await setting.init('--yes', '--clients', 'claude');
  expect(code).toBe(0);
  expect(stdout).not.toContain('already');
  const files = Object.keys(setting.snapshot());
  for (const file of ['.mcp.json', SETTINGS.claude]) expect(files).toContain(file);
});

test('a plugin that is switched off is none', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { 'CLAUDE.md': '' } });
  mkdirSync(path.join(setting.home, '.claude'));
  const enabledPlugins = { 'deepwork@deepwork': false };
  writeFileSync(path.join(setting.home, SETTINGS.claude), JSON.stringify({ enabledPlugins }));
  await setting.init('--yes');
  expect(Object.keys(setting.snapshot())).toContain('.mcp.json');
});
