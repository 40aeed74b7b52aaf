// `npm run demo:team`: a coordinator and two agents, three processes under `deepwork
// launch`, work on one page; a person is asked something and answers with `deepwork answer`.
// They work on a copy of this workspace. Each agent checks its exchanges, so this is a test as
// well: the exit code is 1 if one is not as it should be.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { calls, chapter, ending, quotes, remark, says, title } from '../screen.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const DEEPWORK = path.join(here, '..', '..', 'dist', 'main.cjs');
const LONG_ENOUGH_MS = 60_000;

const workspace = copyOfWorkspace();
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(workspace, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
process.stdout.on('error', () => process.exit(1));

try {
  await tellStory();
} catch (error) {
  process.stderr.write(`\nThe demo did not go as it should: ${error.message}\n`);
  process.exit(1);
}

async function tellStory() {
  title(
    'Three agents, one page, and a person who is asked',
    `Scripted agents, a real deepwork server. They work in a copy of this example: ${workspace}`,
  );

  chapter('Each agent is launched under its own name');
  const team = ['coordinator', 'writer', 'reviewer'].map(launch);
  remark('The first launch starts the server of the workspace; the others find it.');

  chapter('The coordinator plans, and asks what only a person knows');
  const question = await untilAsked();
  says('coordinator', `asks: ${question.question}`);
  says('person', `deepwork answer ${question.id} --choose '${question.choices[0]}'`);
  await run(['answer', question.id, '--choose', question.choices[0], '--by', 'Ada']);

  chapter('The agents work, and are held to their todos');
  await Promise.all(team);
  remark('`0 todos` counts those that are not completed; the list shows all of them.');

  chapter('What is left behind');
  const state = readState();
  expect(state.status === 'complete', 'the work is complete', state.status);
  expect(state.messages.length === 4, 'four messages were sent', state.messages);
  expect(
    state.messages.every((message) => message.read),
    'every message was read',
    state.messages,
  );
  remark('.sgai/state.json: status complete, 4 messages, all read. And the page:');
  quotes(readFileSync(path.join(workspace, 'page.md'), 'utf8').trimEnd().split('\n'));
  ending('Next: write a GOAL.md for your own team, then: deepwork launch -- claude');
}

/** Runs one agent to its end and shows its exchanges as they happen. */
function launch(name) {
  const script = path.join(here, 'agents', `${name}.mjs`);
  says('$', `deepwork launch --agent ${name} -- node agents/${name}.mjs`);
  const child = start(['launch', '--agent', name, '--', process.execPath, script]);
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const { tool, input, text, refused } = JSON.parse(line);
    calls(tool, input, name);
    for (const part of text
      .split('\n')
      .filter((each) => each.trim() !== '')
      .slice(0, 6)) {
      says(refused ? 'refuses' : '', part, !refused);
    }
  });
  return ended(child, name);
}

async function untilAsked() {
  const until = Date.now() + LONG_ENOUGH_MS;
  while (Date.now() < until) {
    const state = existsSync(path.join(workspace, '.sgai/state.json')) ? readState() : {};
    const [asked] = state.multiChoiceQuestion?.questions ?? [];
    if (asked !== undefined) {
      expect(state.status === 'waiting-for-human', 'the team waits for a person', state.status);
      return { id: 'q-1', ...asked };
    }
    await pause(50);
  }
  throw new Error('Nothing was asked.');
}

async function run(args) {
  const child = start(args);
  child.stdout.on('data', (chunk) => says('deepwork', String(chunk).trimEnd()));
  await ended(child, args[0]);
}

function start(args) {
  const child = spawn(process.execPath, [DEEPWORK, ...args], {
    cwd: workspace,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.log = '';
  child.stderr.on('data', (chunk) => {
    child.log = (child.log + chunk).slice(-4000);
  });
  children.add(child);
  return child;
}

function ended(child, name) {
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      children.delete(child);
      if (code === 0) resolve();
      else reject(new Error(`${name} ended with ${code}\n\nIts last words:\n${child.log}`));
    });
  });
}

/** The user may already have a server running; the agents of the demo get their own. */
function plainEnvironment() {
  const { SGAI_AGENT_IDENTITY: _who, SGAI_MCP_URL: _where, ...env } = process.env;
  return env;
}

function readState() {
  return JSON.parse(readFileSync(path.join(workspace, '.sgai/state.json'), 'utf8'));
}

function copyOfWorkspace() {
  const copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'deepwork-team-')));
  for (const part of ['GOAL.md', '.sgai/skills', '.sgai/snippets']) {
    cpSync(path.join(here, part), path.join(copy, part), { recursive: true });
  }
  return copy;
}

function expect(kept, what, found) {
  if (!kept) throw new Error(`Expected that ${what}, but found: ${JSON.stringify(found)}`);
}
