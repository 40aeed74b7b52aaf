// What the commands say of themselves, and of a line that they cannot read.

import { COMMAND_OPTIONS } from '../../src/cli/options.ts';
import { writeJob } from '../support/project.ts';
import { words } from './page.ts';
import { emptyStage, newStage } from './stage.ts';

const COMMANDS = Object.keys(COMMAND_OPTIONS);

words('help', async (page) => {
  const stage = newStage();
  page.part('the program');
  for (const args of [['--help'], ['--version'], ['help', 'lint'], ['hook']]) {
    await page.command(stage, args);
  }
  for (const name of COMMANDS) {
    page.part(name);
    await page.command(stage, [name, '--help']);
  }
});

/** What each command cannot do anything with. */
const BAD_LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  init: [
    ['one'],
    ['--template', 'fancy'],
    ['--clients', 'emacs'],
    ['--undo', '--clients', 'claude'],
    ['--port'],
  ],
  serve: [
    ['one'],
    ['--transport', 'pigeon'],
    ['--transport', 'http', '--port', 'many'],
    ['--transport', 'http', '--port', '70000'],
    ['--transport', 'http', '--host', '0.0.0.0', '--port', '0'],
    ['--transport', 'http', '--agent', 'writer'],
    ['--host', '127.0.0.1'],
    ['--external-runner', 'gpt'],
    ['--tools', 'jobs,magic'],
    ['--agent', 'two words'],
    ['--platform', 'amiga'],
  ],
  launch: [[]],
  run: [
    [],
    ['demo/main'],
    ['demo/main', '--goal', 'x'],
    ['nothing/main', '--goal', 'x', '--command', 'true'],
    ['demo/other', '--goal', 'x', '--command', 'true'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--max-turns', '0'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--max-minutes', 'ten'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--max-usd', '-1'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--on-limit', 'cry'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--agent', 'claude'],
    ['demo/main', '--goal', 'x', '--agent', 'gpt'],
    ['demo/main', '--goal', 'x', '--command', "'open"],
    ['demo/main', '--goal', 'x', '--command', 'no-such-program'],
    ['demo/main', '--goal', 'x', '--command', 'true', '--inputs', 'unnamed'],
    ['--resume', 'nothing'],
    ['--resume', 'nothing', '--goal', 'x'],
    ['--resume'],
    ['--team'],
    ['--team', 'demo/main'],
    ['--team', '--goal', 'x'],
    ['--team', '--worktree'],
  ],
  dashboard: [['one'], ['--port', 'x']],
  call: [
    ['no_such_tool'],
    ['start_work'],
    ['get_workflows', '--unknown', 'x'],
    ['get_workflows', 'extra'],
    ['start_workflow', '--gaol', 'x'],
    ['start_workflow', '--json', '{'],
    ['start_workflow', '--json', '[]'],
    ['start_workflow', '--json', '{}', '--goal', 'x'],
    ['start_workflow', '--goal'],
    ['start_workflow', '--goal', 'x', '--goal', 'y'],
    ['start_workflow', '--inputs', 'unnamed'],
    ['finished_step', '--outputs', '{"a":'],
    ['finished_step', '--outputs', 'a=1', '--outputs', 'a=2'],
    ['project_todowrite', '--todos', 'x'],
    ['start_workflow', '--help'],
    ['finished_step', '--help'],
    ['ask_user_question', '--help'],
    ['workflow_next', '--help'],
  ],
  answer: [
    ['q-1', 'q-2'],
    ['q-9'],
    ['q-9', '--choose', 'x', '--dismiss'],
    ['--choose', 'x'],
    ['q-9', '--by', 'a\nb', '--choose', 'x'],
  ],
  abort: [[], ['nothing'], ['nothing', '--reason', ' '], ['nothing', '--reason', 'x'], ['a', 'b']],
  redo: [[], ['nothing'], ['nothing', 'step'], ['nothing', 'step', '--reason', 'x']],
  stop: [[], ['nothing'], ['a', 'b']],
  trust: [['one'], ['--yes', '--revoke']],
  messages: [
    ['one'],
    ['prune'],
    ['prune', '--through', 'x'],
    ['prune', '--through', '9'],
    ['--through', 'x'],
    ['--through', '1', '--unread'],
    ['--through', '9'],
  ],
  repair: [['one'], ['--all'], ['--journal', 'one'], ['--journal', '--all', 'one']],
  export: [
    [],
    ['nothing'],
    ['nothing', '--to', 'x'],
    ['skills', '--output', 'x'],
    ['skills', 'nothing/main'],
  ],
  status: [['one']],
  history: [
    ['a', 'b'],
    ['today'],
    ['3d'],
    ['nothing'],
    ['--follow'],
    ['--since', 'noon'],
    ['--since', '2030-01-01'],
    ['--since', 'today', '--until', 'yesterday'],
    ['nothing', '--since', '3d'],
  ],
  doctor: [['one']],
  completion: [[], ['tcsh'], ['bash', 'zsh']],
  graph: [[], ['a', 'b'], ['demo/main', '--format', 'png'], ['nothing'], ['demo/other']],
  verify: [['a', 'b'], ['nothing']],
  prune: [['one'], ['--older-than', 'soon'], ['--older-than', '0d']],
  store: [
    [],
    ['one'],
    ['copy'],
    ['copy', '--from', 'file'],
    ['copy', '--from', 'file', '--to', 'file'],
    ['copy', '--from', 'paper', '--to', 'file'],
    ['migrate'],
  ],
  lint: [['one'], ['--format', 'xml']],
  simulate: [
    [],
    ['a', 'b'],
    ['nothing/main'],
    ['demo/main', '--agent', 'saint'],
    ['demo/main', '--runs', '0'],
    ['demo/main', '--seed', 'x'],
    ['demo/main', '--inputs', 'unnamed'],
    ['demo/main', '--inputs', 'a=1'],
  ],
};

words('usage', async (page) => {
  const stage = newStage();
  writeJob(stage, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  page.part('unknown');
  for (const word of ['statsu', 'resume', 'zzzzzz', '--halp', '-x', 'sta\u001b[1mtus']) {
    await page.command(stage, [word]);
  }
  for (const name of COMMANDS.filter((each) => each !== 'hook')) {
    page.part(name);
    const usual = name === 'call' ? [] : [['--unknown'], ['--path'], ['--path', 'nowhere']];
    for (const line of [...usual, ...(BAD_LINES[name] ?? [])]) {
      await page.command(stage, [name, ...line]);
    }
  }
  page.part('no project');
  const nowhere = emptyStage();
  for (const name of COMMANDS.filter(
    (each) => !['hook', 'launch', 'serve', 'init', 'dashboard', 'doctor'].includes(each),
  )) {
    await page.command(nowhere, [name]);
  }
  await page.command(nowhere, []);
  await page.command(nowhere, ['status']);
});

words('completion', async (page) => {
  const stage = newStage();
  for (const shell of ['bash', 'zsh', 'fish']) {
    page.part(shell);
    await page.command(stage, ['completion', shell]);
  }
});

words('tools', async (page) => {
  const agent = await newStage().agent({ args: ['--agent', 'coordinator'] });
  page.part('instructions of the server');
  page.text(agent.client.getInstructions() ?? '');
  page.part('tools');
  const { tools } = await agent.client.listTools();
  page.value(
    tools.map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      description,
      ...parametersOf(inputSchema),
    })),
  );
  page.part('prompts');
  const { prompts } = await agent.client.listPrompts();
  page.value(prompts);
});

/** What is said of each parameter, of whatever depth. */
function parametersOf({ properties = {} }: { readonly properties?: object | undefined }) {
  return { parameters: descriptionsIn(properties) };
}

function descriptionsIn(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { description, ...rest } = schema as { readonly description?: string };
  const inside = Object.entries(rest)
    .map(([key, value]) => [key, descriptionsIn(value)] as const)
    .filter(([, value]) => value !== undefined);
  if (inside.length === 0) return description;
  return { ...(typeof description === 'string' && { description }), ...Object.fromEntries(inside) };
}
