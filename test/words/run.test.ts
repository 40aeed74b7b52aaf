// What a person reads of unattended runs and of simulations.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { post, stateless } from '../support/http.ts';
import { beginInProcess } from '../support/in-process-command.ts';
import { newRepository } from '../support/repository.ts';
import { type Page, words } from './page.ts';
import { newWork, type Work } from './project.ts';
import { newStage, type Stage } from './stage.ts';

const RULES = [{ type: 'contains', value: 'Done', message: 'Say something good' }];
const output = { type: 'file', description: 'It', required: true, rules: RULES };
const STEPS = {
  draft: { outputs: { 'draft.md': output } },
  publish: { outputs: { 'publish.md': output } },
};
const WORK: Work = { steps: STEPS };

/** Says where its server is, and stays until it is told how to end. */
const AGENT = `cat > prompt.txt
echo "$SGAI_MCP_URL $DEEPWORK_AGENT_TOKEN $SGAI_AGENT_IDENTITY" > turn.new
mv turn.new turn.txt
while [ ! -e end.sh ]; do sleep 0.01; done
mv end.sh ended.sh
exec sh ended.sh
`;

interface Turn {
  readonly stage: Stage;
  readonly prompt: string;
  call(tool: string, args: Record<string, unknown>): Promise<string>;
}

/** What the agent of a turn does; returns the shell commands with which it ends. */
type Act = (turn: Turn) => Promise<string>;

const ends =
  (script: string): Act =>
  async () =>
    script;

/** Hands in the step that the prompt asks for, with this text in its file. */
const hands =
  (text: string, end = ''): Act =>
  async ({ stage, prompt, call }) => {
    const [, json = '{}'] =
      /Next call, when the step is done: finished_step (\{.*\})/.exec(prompt) ?? [];
    const given = JSON.parse(json) as { outputs: Record<string, string> };
    for (const name of Object.keys(given.outputs)) {
      stage.write(name, text);
      given.outputs[name] = name;
    }
    await call('finished_step', given);
    return end;
  };

const honest = hands('Done\n');
const prints = (value: object): string => `echo '${JSON.stringify(value)}'`;

/** Plays the agents of a run, one act for each turn; the last one stays. */
async function play(stage: Stage, acts: readonly Act[], isOver: () => boolean, notes: string[]) {
  for (let turn = 0; !isOver(); ) {
    const file = stage.path('turn.txt');
    if (!existsSync(file)) {
      await soon();
      continue;
    }
    const [url = '', token = '', ...identity] = readFileSync(file, 'utf8').trim().split(' ');
    const prompt = readFileSync(stage.path('prompt.txt'), 'utf8');
    rmSync(file);
    notes.push(prompt);
    const headers = {
      authorization: `Bearer ${token}`,
      'x-sgai-agent-identity': identity.join(' '),
      ...MCP_HEADERS,
    };
    const call: Turn['call'] = async (name, args) => {
      const message = stateless('tools/call', { name, arguments: args });
      const { body } = await post(url, message, {
        ...headers,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      });
      return JSON.stringify(body);
    };
    const end = await acts[Math.min(turn++, acts.length - 1)]?.({ stage, prompt, call });
    stage.write('end.new', `${end}\n`);
    renameSync(stage.path('end.new'), stage.path('end.sh'));
  }
}

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

const MCP_HEADERS = { 'mcp-protocol-version': '2026-07-28' };

/** Runs with agents that act like this; returns what each was told. */
async function run(
  page: Page,
  stage: Stage,
  acts: readonly Act[],
  more: readonly string[] = [],
  what: readonly string[] = ['work/main', '--goal', 'Try it'],
): Promise<string[]> {
  const script = `${stage.home}/agent.sh`;
  writeFileSync(script, AGENT);
  let isOver = false;
  const notes: string[] = [];
  const args = ['run', ...what, '--command', `sh ${script}`, ...more];
  const { out, ended } = beginInProcess(args, { cwd: stage.root, env: stage.env });
  const whenWaiting = async () => {
    while (!isOver && !out().includes('Waiting for a person')) await soon();
    if (!isOver)
      await page.command(stage, ['answer', 'q-1', '--choose', 'Approve', '--by', 'ann'], {
        shown: false,
      });
  };
  const playing = [play(stage, acts, () => isOver, notes), whenWaiting()];
  page.ran(args, await ended);
  isOver = true;
  await Promise.all(playing);
  return notes;
}

words('run', async (page) => {
  page.part('complete, and what its agents are told');
  const stage = newWork(WORK);
  for (const prompt of await run(page, stage, [honest])) page.text(`${prompt}\n\n`);
  await page.command(stage, ['status']);
  await page.command(stage, ['history', 'last']);
  await page.command(stage, ['history']);
  await run(
    page,
    newWork(WORK),
    [hands('Done', prints({ type: 'result', total_cost_usd: 0.1 }))],
    ['--max-usd', '1'],
  );
  await run(page, newWork(WORK), [honest], ['--json', '--max-turns', '5']);

  page.part('turned down, and no work');
  const trouble = newWork(WORK);
  const told = await run(page, trouble, [
    hands('bad'),
    hands('bad'),
    ends('true'),
    ends('echo it broke >&2; exit 3'),
    ends('echo All is done.'),
    honest,
  ]);
  for (const prompt of told) page.text(`${prompt}\n\n`);
  await page.command(trouble, ['history', 'last']);
  await run(page, newWork(WORK), [hands('bad')]);
  await run(page, newWork(WORK), [ends('true')]);
  await run(page, newWork(WORK), [ends('echo it broke >&2; exit 3')]);
  await run(page, newWork(WORK), [ends('kill -9 $$')]);
  await page.command(newWork(WORK), [
    'run',
    'work/main',
    '--goal',
    'x',
    '--command',
    '/nowhere/agent',
  ]);

  page.part('budgets');
  await run(page, newWork(WORK), [honest], ['--max-turns', '1']);
  await run(
    page,
    newWork(WORK),
    [hands('Done', prints({ type: 'result', total_cost_usd: 0.8 }))],
    ['--max-usd', '0.5'],
  );
  await run(page, newWork(WORK), [honest], ['--max-usd', '0.5']);
  await run(
    page,
    newWork(WORK),
    [
      async () => {
        page.minutes(10);
        return 'exec sleep 60';
      },
    ],
    ['--max-minutes', '0.01'],
  );
  const limited = (status: string) =>
    prints({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt: Math.ceil(Date.now() / 1000) + 3600 },
    });
  await run(page, newWork(WORK), [ends(`${limited('rejected')}; exit 1`)], ['--on-limit', 'stop']);
  await run(
    page,
    newWork(WORK),
    [ends(`${prints({ type: 'result', is_error: true, api_error_status: 429 })}; exit 1`)],
    ['--on-limit', 'stop'],
  );
  await run(page, newWork(WORK), [hands('Done', limited('allowed_warning'))]);

  page.part('people');
  const approve = { name: 'go_ahead', question: 'Is it good?', show: ['draft.draft.md'] };
  const approving = newWork({ ...WORK, entries: ['draft', { approve }, 'publish'] });
  await run(page, approving, [honest]);
  await page.command(approving, ['history', 'last']);

  page.part('steered');
  const steered = newWork(WORK);
  const stop: Act = async () => {
    await page.command(steered, ['stop', 'last', '--by', 'ann']);
    return 'exec sleep 60';
  };
  await run(page, steered, [stop]);
  await page.command(steered, ['history', 'last']);
  const aborted = newWork(WORK);
  const abort: Act = async () => {
    await page.command(aborted, ['abort', 'last', '--reason', 'Enough', '--by', 'ann']);
    return 'exec sleep 60';
  };
  await run(page, aborted, [abort]);
  await page.command(aborted, ['history', 'last']);

  page.part('resumed');
  const resumed = newWork(WORK);
  await run(page, resumed, [honest], ['--max-turns', '1']);
  await run(page, resumed, [honest]);
  await page.command(resumed, ['status']);
  await run(page, resumed, [honest], ['--max-turns', '9'], ['--resume']);
  await page.command(resumed, ['run', '--resume']);
  const given = newWork(WORK);
  await run(page, given, [honest], ['--max-turns', '1']);
  await page.command(given, ['abort', 'last', '--reason', 'Enough', '--by', 'ann']);
  await page.command(given, ['run', '--resume']);
  const { stdout } = await page.command(given, ['history', 'last'], { shown: false });
  await page.command(given, ['run', '--resume', stdout.slice(0, 8)]);

  page.part('what is told before the first turn');
  const reviews = [{ run_each: 'step', quality_criteria: { good: 'It is good' } }];
  await run(
    page,
    newWork({ steps: { draft: { outputs: { 'draft.md': output }, reviews } } }),
    [honest],
    ['--max-turns', '1'],
  );
  await run(
    page,
    newWork({
      steps: {
        draft: { outputs: { 'draft.md': output }, checks: [{ name: 'tests', run: 'true' }] },
      },
    }),
    [honest],
  );
  const inputs = newWork({
    ...WORK,
    inputs: {
      version: { description: 'Which' },
      count: { description: 'How many', type: 'number', required: false },
    },
  });
  await run(page, inputs, [honest]);
  await run(page, inputs, [honest], ['--inputs', 'version=1', '--inputs', 'count=many']);
  await run(page, inputs, [honest], ['--inputs', 'version=1', '--inputs', 'count=3']);

  page.part('worktrees');
  await run(page, newWork(WORK), [honest], ['--worktree']);
  const versioned = newWork(WORK);
  newRepository(versioned.root);
  await run(page, versioned, [honest], ['--worktree']);
});

words('run-team', async (page) => {
  const runTeam = (
    stage: Stage,
    acts: readonly (readonly (readonly [string, object])[])[],
    more: readonly string[] = [],
  ) => {
    const each = acts.map(
      (calls): Act =>
        async ({ call }) => {
          for (const [tool, args] of calls) await call(tool, { ...args });
          return prints({ type: 'result', total_cost_usd: 0.1 });
        },
    );
    return run(page, stage, each, more, ['--team']);
  };
  const newTeam = (front = '') => {
    const stage = newStage();
    stage.write(
      'GOAL.md',
      `---\nflow: |\n  coordinator -> writer\n  writer -> reviewer\n${front}---\n# Write a book\nOf ten pages.\n`,
    );
    return stage;
  };
  const status = (word: string) => ['update_workflow_state', { status: word }] as const;
  const send = (toAgent: string) => ['send_message', { toAgent, body: 'Please do it' }] as const;
  const read = ['check_inbox', {}] as const;
  page.part('complete');
  const stage = newTeam();
  const told = await runTeam(stage, [
    [send('writer')],
    [read, send('coordinator'), status('agent-done')],
    [read, status('complete')],
  ]);
  for (const prompt of told) page.text(`${prompt}\n\n`);
  await page.command(stage, ['status']);
  await page.command(stage, ['history']);
  await page.command(stage, ['history', 'last']);
  page.part('nothing left to do');
  await runTeam(newTeam(), [[send('writer')], []]);
  await runTeam(newTeam(), [[]]);
  await runTeam(newTeam(), [[send('writer')]], ['--max-turns', '1']);
  page.part('a gate that fails');
  const gated = newTeam('completionGateScript: "exit 1"\n');
  await runTeam(gated, [[status('complete')], [status('complete')]]);
  await page.command(gated, ['trust', '--yes']);
  await runTeam(gated, [[status('complete')], [status('complete')]], ['--max-turns', '3']);
  page.part('todos');
  const todos = [{ id: '1', content: 'Write', status: 'pending', priority: 'high' }];
  await runTeam(
    newTeam(),
    [[['project_todowrite', { todos }], status('complete')]],
    ['--max-turns', '2'],
  );
  page.part('a team that cannot be read');
  const broken = newStage();
  broken.write('GOAL.md', '---\nflow: [\n---\n');
  await runTeam(broken, [[]]);
  const empty = newStage();
  empty.write('GOAL.md', '\n');
  await runTeam(empty, [[]]);
});

words('simulate', async (page) => {
  const simulate = (stage: Stage, ...args: string[]) =>
    page.command(stage, ['simulate', ...args, '--seed', '1', '--runs', '3']);
  page.part('a gate that holds');
  const strict = newWork({
    steps: {
      draft: {
        outputs: {
          notes: { ...output, rules: [{ type: 'contains', value: 'verdict', message: 'Say it' }] },
        },
      },
      next: { outputs: { page: 'file' } },
    },
  });
  await simulate(strict, 'work/main');
  await simulate(strict, 'work/main', '--agent', 'liar');
  await page.command(strict, ['simulate', 'work/main', '--seed', '1', '--runs', '2', '--json']);
  page.part('a gate that does not');
  const loose = newWork({
    steps: {
      draft: { outputs: { notes: 'file' } },
      next: {
        outputs: { page: 'file' },
        reviews: [{ run_each: 'step', quality_criteria: { good: 'It is' } }],
      },
    },
  });
  await simulate(loose, 'work/main');
  page.part('checks and entries');
  const loop = {
    name: 'green',
    steps: ['fix'],
    until: { check: { name: 'tests', run: 'true' } },
    max: 2,
  };
  const approve = { name: 'go_ahead', question: 'Good?', show: ['fix.notes'] };
  const entries = newWork({
    entries: [{ loop }, { approve }, 'next'],
    steps: {
      fix: { outputs: { notes: 'file' }, checks: [{ name: 'lint', run: 'true' }] },
      next: {},
    },
    inputs: { version: { description: 'Which' }, log: { description: 'A log', type: 'file' } },
  });
  await simulate(entries, 'work/main');
  await simulate(entries, 'work/main', '--inputs', 'version=1', '--inputs', 'log=notes.md');
  await simulate(entries, 'work/main', '--inputs', 'version=1', '--inputs', 'log=nowhere.md');
  await simulate(entries, 'work/main', '--run-checks');
  page.part('what cannot be played');
  const broken = newWork();
  broken.write('.deepwork/jobs/work/job.yml', 'name: work\n');
  await simulate(broken, 'work/main');
  await simulate(newWork({ steps: { draft: { when: { var: 'never' } } } }), 'work/main');
  await simulate(newWork(), 'auth-implementation', '--agent', 'honest');
});
