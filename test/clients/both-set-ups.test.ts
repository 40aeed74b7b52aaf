// A client that has deepwork twice: as its plugin or extension, and by what `deepwork init` wrote
// into the project. Each moment is answered once, and init does not write what a plugin brings.

import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { claudeInput, runHook } from '../support/hook.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
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

/** How each client names the moments. */
const EVENTS = {
  claude: { start: 'SessionStart', stop: 'Stop', tool: 'PreToolUse' },
  gemini: { start: 'SessionStart', stop: 'AfterAgent', tool: 'BeforeTool' },
} as const;

const settingsWith = (event: string, command: string, group: object = {}) =>
  JSON.stringify({ hooks: { [event]: [{ ...group, hooks: [{ type: 'command', command }] }] } });

/** What the plugin's hook prints. */
async function pluginHook(
  client: Both,
  moment: string,
  { root }: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const input = JSON.stringify(claudeInput('c', root));
  const args = [client, moment, '--plugin'];
  const { code, stdout } = await runHook(args, { cwd: root, env, input });
  expect(code).toBe(0);
  return stdout;
}

test.each(CLIENTS)("%s: a plugin's hook speaks where the settings have none", async (client) => {
  verifies('CLIENT-2');
  const project = await openRun();
  expect(await pluginHook(client, 'stop', project)).toContain('the work is not done');
  // Another moment, another client, a comment, and what the plugin itself would be written as.
  const other = client === 'claude' ? 'gemini' : 'claude';
  const { start, stop } = EVENTS[client];
  const own = `deepwork hook ${client} start`;
  for (const text of [
    settingsWith(stop, `deepwork hook ${client} stop`),
    settingsWith(start, `deepwork hook ${other} start`),
    `{\n  // ${settingsWith(start, own)}\n}\n`,
    `{ /* ${settingsWith(start, own)} */ }`,
    settingsWith(start, `${own} --plugin`),
  ]) {
    project.write(SETTINGS[client], text);
    expect(await pluginHook(client, 'start', project), text).toContain('middle of a workflow');
  }
});

test.each(CLIENTS)('%s: text that is not a hook of ours does not silence it', async (client) => {
  verifies('CLIENT-2');
  const project = await openRun();
  const { start, stop } = EVENTS[client];
  const own = `deepwork hook ${client} start`;
  for (const text of [
    JSON.stringify({ note: { command: own } }),
    JSON.stringify({ hooks: { [start]: [{ command: own }] } }),
    JSON.stringify({ hooks: { [start]: [{ hooks: [{ type: 'prompt', command: own }] }] } }),
    settingsWith(start, `echo hook ${client} start`),
    settingsWith(start, `echo ${own}`),
    settingsWith(start, `true; # ${own}`),
    settingsWith(start, `node -e 0 deepwork hook ${client} start`),
    // The client never calls these.
    settingsWith(stop, own),
    settingsWith('Never', own),
    settingsWith(start, own, { matcher: 'never' }),
  ]) {
    project.write(SETTINGS[client], text);
    expect(await pluginHook(client, 'start', project), text).toContain('middle of a workflow');
  }
});

test.each(CLIENTS)(
  "%s: it stands back where the project's or the user's have it",
  async (client) => {
    verifies('CLIENT-2');
    const { stop } = EVENTS[client];
    const programs = ['deepwork', '/usr/bin/node /opt/main.cjs', "'/a b/deepwork'"];
    const plain = settingsWith(stop, `deepwork hook ${client} stop`);
    const project = await openRun();
    for (const text of [
      ...programs.map((program) => settingsWith(stop, `${program} hook ${client} stop`)),
      settingsWith(stop, `deepwork hook ${client} stop`, { matcher: '*' }),
      `\ufeff// Comments, and commas at the end, are common.\n${plain.replace(/\}\}$/, ',/**/},}')}`,
    ]) {
      project.write(SETTINGS[client], text);
      expect(await pluginHook(client, 'stop', project), text).toBe('');
    }
    const home = tempFolder(path.dirname(SETTINGS[client]), 'dotfiles');
    const settings = path.join(home, SETTINGS[client]);
    writeFileSync(settings, plain);
    const other = await openRun();
    expect(await pluginHook(client, 'stop', other, { HOME: home })).toBe('');
    // Many people keep their settings elsewhere.
    renameSync(settings, path.join(home, 'dotfiles', 'settings.json'));
    symlinkSync('../dotfiles/settings.json', settings);
    expect(await pluginHook(client, 'stop', other, { HOME: home })).toBe('');
  },
);

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
