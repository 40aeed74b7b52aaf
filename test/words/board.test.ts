// What people see of runs: status, history, drawings, what happened lately, and what they can do about it.

import { rmSync, writeFileSync } from 'node:fs';
import type { Connection } from '../support/connect.ts';
import { claudeInput, hook } from '../support/hook.ts';
import { REVIEW } from '../support/project.ts';
import { type Page, words } from './page.ts';
import { newWork, START, type Work } from './project.ts';
import { newStage, type Stage } from './stage.ts';

const DONE = { outputs: { notes: 'notes.md' } };
const PAGE = { outputs: { page: 'page.md' } };

const STEPS = {
  draft: { outputs: { notes: 'file' } },
  check: {
    outputs: {
      page: {
        type: 'file',
        description: 'The page',
        required: true,
        rules: [{ type: 'contains', value: 'Four', message: 'It has to speak of four bugs' }],
      },
    },
  },
  publish: { outputs: { page: 'file' }, reviews: [REVIEW] },
};

const approve = { name: 'go_ahead', question: 'Is this page good enough?', show: ['draft.notes'] };
const loop = { name: 'until_green', steps: ['check'], until: { when: { var: 'green' } }, max: 3 };

const WORK: Work = { steps: STEPS, entries: ['draft', { approve }, 'check', 'publish'] };

interface Scene {
  readonly stage: Stage;
  readonly agent: Connection;
  readonly id: string;
}

async function running(spec: Work = { steps: STEPS }): Promise<Scene> {
  const stage = newWork(spec);
  const agent = await stage.agent({ args: ['--agent', 'writer|opus'] });
  const { begin_step } = await agent.ok('start_workflow', START);
  return { stage, agent, id: begin_step.session_id };
}

/** Each brings a project into the state of its name. */
const STATES: Readonly<Record<string, (page: Page) => Promise<Scene | null>>> = {
  nothing: async () => null,
  running: async (page) => {
    const scene = await running();
    page.minutes(3);
    await scene.agent.ok('finished_step', { ...DONE, notes: 'It was easy.' });
    page.minutes(95);
    return scene;
  },
  'turned down': async (page) => {
    const scene = await running();
    await scene.agent.ok('finished_step', DONE);
    page.minutes(2);
    await scene.agent.ok('finished_step', PAGE);
    page.minutes(1);
    await scene.agent.ok('finished_step', PAGE);
    return scene;
  },
  'waiting for a person': async (page) => {
    const scene = await running(WORK);
    page.minutes(5);
    await scene.agent.ok('finished_step', DONE);
    page.minutes(60 * 26);
    return scene;
  },
  ended: async (page) => {
    const scene = await running();
    const { stage, agent } = scene;
    await agent.ok('finished_step', DONE);
    stage.write('page.md', 'Four bugs are fixed.\n');
    page.minutes(4);
    await agent.ok('finished_step', PAGE);
    await agent.ok('go_to_step', { step_id: 'check' });
    await agent.ok('finished_step', PAGE);
    await agent.ok('finished_step', {
      ...PAGE,
      quality_review_override_reason: 'My user has read it and is happy',
    });
    page.minutes(30);
    return scene;
  },
  aborted: async (page) => {
    const scene = await running();
    await scene.agent.ok('finished_step', DONE);
    page.minutes(4);
    await scene.agent.ok('abort_workflow', {
      explanation: 'The release was called off\nby everyone',
    });
    return scene;
  },
};

async function inEachState(page: Page, show: (scene: Scene) => Promise<unknown>): Promise<void> {
  for (const [name, enter] of Object.entries(STATES)) {
    page.part(name);
    const scene = await enter(page);
    await show(scene ?? { stage: newWork({ steps: STEPS }), agent: null as never, id: 'last' });
  }
}

words('status', async (page) => {
  await inEachState(page, async ({ stage }) => {
    await page.command(stage, []);
    await page.command(stage, ['status']);
    await page.command(stage, ['status', '--all']);
    await page.command(stage, ['status'], { terminal: 60 });
  });
  page.part('a loop, a list and a nested run');
  const many = await running({
    steps: { ...STEPS, port: { outputs: { notes: 'file' } }, list: { outputs: { list: 'file' } } },
    entries: [
      { loop },
      'list',
      { for_each: { name: 'each', items: 'list.list', step: 'port' } },
      { run: { name: 'sub', job: 'other', workflow: 'main' } },
    ],
    jobs: { other: { steps: { look: {} } } },
    files: { 'list.json': '["one", "two"]', 'page.md': 'Four\n' },
  });
  await many.agent.ok('finished_step', PAGE);
  await page.command(many.stage, ['status']);
  await many.agent.ok('finished_step', { ...PAGE, context: { green: true } });
  await many.agent.ok('finished_step', { outputs: { list: 'list.json' } });
  await page.command(many.stage, ['status']);
  await many.agent.ok('finished_step', { ...DONE, step_id: 'port#1' });
  await many.agent.ok('finished_step', { ...DONE, step_id: 'port#2' });
  await page.command(many.stage, ['status']);
  await page.command(many.stage, ['history', 'last']);

  page.part('agents that are gone, without a name, at a terminal, let go');
  const left = newWork({ steps: STEPS });
  await left.leave(START, ['--agent', 'writer']);
  await left.leave({ ...START, goal: 'Another' });
  await page.command(left, ['call', 'start_workflow', '--json', JSON.stringify(START)], {
    env: { CLAUDECODE: '1' },
    shown: false,
  });
  await page.command(left, ['status']);
  const stalled = newWork({ steps: STEPS });
  const client = await stalled.agent({ env: { CLAUDE_CODE_SESSION_ID: 'conversation' } });
  await client.ok('start_workflow', START);
  for (let nth = 1; nth <= 4; nth++) {
    await hook('stop', claudeInput('conversation', stalled.root), {
      cwd: stalled.root,
      env: stalled.env,
    });
  }
  await page.command(stalled, ['status']);
  await page.command(stalled, ['history']);

  page.part('questions');
  const asking = newWork({ steps: STEPS });
  const asker = await asking.agent();
  await asker.ok('start_workflow', START);
  const questions = [
    {
      question: 'Which colour should the page have?',
      choices: ['red', 'blue'],
      multiSelect: false,
    },
    {
      question: `Which of these ${'very '.repeat(30)}long words?`,
      choices: ['this', 'that'],
      multiSelect: true,
    },
  ];
  await asker.call('ask_user_question', { questions });
  await page.command(asking, ['status']);
  await page.command(asking, ['status', '--all']);

  page.part('a gate that runs');
  const slow = newWork({
    steps: {
      draft: {
        outputs: { notes: 'file' },
        checks: [{ name: 'slow', run: 'while [ ! -e go ]; do sleep 0.02; done' }],
      },
    },
  });
  const waiting = await slow.agent({ args: ['--trust'] });
  await waiting.ok('start_workflow', START);
  const finishing = waiting.call('finished_step', DONE);
  for (let tries = 0; tries < 200; tries++) {
    const { stdout } = await page.command(slow, ['status'], { shown: false });
    if (stdout.includes('being checked')) break;
  }
  await page.command(slow, ['status']);
  slow.write('go', '');
  await finishing;

  page.part('a long list');
  const full = newWork({ steps: STEPS });
  const worker = await full.agent();
  for (let nth = 1; nth <= 13; nth++) {
    await worker.ok('start_workflow', { ...START, goal: `Goal ${nth}` });
    await worker.ok('abort_workflow', { explanation: `Enough ${nth}` });
  }
  await page.command(full, ['status']);

  page.part('what went wrong');
  const hurt = await running();
  await hurt.agent.close();
  writeFileSync(
    hurt.stage.path(`.deepwork/journal/session/${hurt.id}.jsonl`),
    'nonsense\nnonsense\n',
  );
  await page.command(hurt.stage, ['status']);
  await page.command(hurt.stage, ['history']);
  await page.command(hurt.stage, ['history', hurt.id]);
  await (await hurt.stage.agent()).call('get_active_workflow', { session_id: hurt.id });
  await page.command(hurt.stage, ['status']);
  await page.command(hurt.stage, ['history', hurt.id]);
  hurt.stage.write('.deepwork/config.yml', 'git: [');
  await page.command(hurt.stage, ['status']);
});

words('history', async (page) => {
  await inEachState(page, async ({ stage, id }) => {
    await page.command(stage, ['history']);
    await page.command(stage, ['history', id]);
    await page.command(stage, ['history', id], { terminal: 60 });
  });
  page.part('checks, sends back, and a person');
  const checks = [{ name: 'tests', run: 'sh check.sh' }];
  const work = {
    steps: { draft: { outputs: { notes: 'file' }, checks }, next: {} },
    files: { 'check.sh': 'echo red; exit 1\n' },
  };
  const stage = newWork(work);
  const agent = await stage.agent({ args: ['--trust'] });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', DONE);
  stage.write('check.sh', 'exit 0\n');
  await agent.ok('finished_step', DONE);
  page.minutes(10);
  await page.command(stage, ['redo', id, 'draft', '--reason', 'Too short', '--by', 'ann'], {
    shown: false,
  });
  await agent.call('finished_step', DONE);
  await page.command(stage, ['history', id]);
  page.minutes(10);
  await page.command(stage, ['abort', id, '--reason', 'Never mind', '--by', 'ann'], {
    shown: false,
  });
  await page.command(stage, ['history', id]);

  page.part('a loop and approvals');
  const looped = await running({
    steps: STEPS,
    entries: [
      'draft',
      { approve: { ...approve, on_reject: { go_to: 'draft', max: 2 } } },
      { loop: { ...loop, max: 1 } },
      'publish',
    ],
    files: { 'page.md': 'Four\n' },
  });
  const person = async (question: string, ...how: string[]) => {
    page.minutes(1);
    await page.command(looped.stage, ['answer', question, ...how, '--by', 'ann'], { shown: false });
    page.minutes(1);
  };
  await looped.agent.ok('finished_step', DONE);
  await person('q-1', '--choose', 'Reject', '--other', 'Too long');
  await looped.agent.ok('finished_step', { outputs: {} });
  looped.stage.write('notes.md', 'Short.\n');
  await looped.agent.ok('finished_step', DONE);
  await person('q-2', '--choose', 'Approve');
  await looped.agent.ok('finished_step', { outputs: {} });
  await looped.agent.ok('finished_step', PAGE);
  await person('q-3', '--choose', 'One pass more');
  await looped.agent.ok('finished_step', PAGE);
  await looped.agent.ok('finished_step', PAGE);
  await person('q-4', '--choose', 'Go on as it is');
  await looped.agent.ok('finished_step', PAGE);
  await page.command(looped.stage, ['history', looped.id]);

  page.part('ids that are not clear');
  const several = newWork({ steps: STEPS });
  const worker = await several.agent();
  const ids: string[] = [];
  for (let nth = 0; nth < 17; nth++) {
    ids.push((await worker.ok('start_workflow', START)).begin_step.session_id);
    await worker.ok('abort_workflow', { explanation: 'Enough' });
  }
  const digits = ids.map((each) => each[0] ?? '');
  const shared = digits.find((digit, at) => digits.indexOf(digit) !== at) ?? '';
  const { stderr } = await page.command(several, ['history', shared], { shown: false });
  page.text(stderr.replaceAll(/'[0-9a-f]'/g, "'x'").replace(/(begin with 'x': ).*/, '$1…'));
});

words('graph', async (page) => {
  const spec: Work = {
    steps: {
      ...STEPS,
      port: { outputs: { notes: 'file' } },
      list: { outputs: { list: 'file' } },
      deep: { when: { var: 'deep' } },
    },
    entries: [
      'draft',
      { approve },
      { loop },
      ['deep', 'publish'],
      'list',
      { for_each: { name: 'each', items: 'list.list', step: 'port' } },
      { run: { name: 'sub', job: 'other', workflow: 'main' } },
    ],
    jobs: { other: { steps: { look: {} } } },
  };
  const stage = newWork(spec);
  page.part('a workflow');
  for (const format of ['text', 'mermaid', 'dot']) {
    await page.command(stage, ['graph', 'work/main', '--format', format]);
  }
  await page.command(stage, ['graph', 'adaptive-development']);
  await page.command(stage, ['graph', 'work/main'], { terminal: 50 });
  await inEachState(page, async ({ stage: own, id }) => {
    for (const format of ['text', 'mermaid', 'dot']) {
      await page.command(own, ['graph', id, '--format', format]);
    }
  });
  page.part('what cannot be drawn');
  const broken = newWork({ steps: STEPS });
  broken.write('.deepwork/jobs/work/job.yml', 'name: work\n');
  await page.command(broken, ['graph', 'work/main']);
  await page.command(broken, ['graph', 'nothing/main']);
  const gone = await running();
  rmSync(gone.stage.path('.deepwork/jobs/work'), { recursive: true });
  await page.command(gone.stage, ['graph', gone.id]);
});

words('recent', async (page) => {
  page.part('nothing');
  await page.command(newStage(), ['history', '--since', '3d']);
  const stage = newWork({ ...WORK, files: { 'page.md': 'Four\n' } });
  const agent = await stage.agent({ args: ['--agent', 'coordinator|opus'] });
  await agent.ok('start_workflow', START);
  await agent.ok('finished_step', DONE);
  page.minutes(60 * 30);
  await page.command(stage, ['answer', 'q-1', '--choose', 'Approve', '--by', 'ann'], {
    shown: false,
  });
  await agent.ok('finished_step', { outputs: {} });
  stage.write('page.md', 'Three\n');
  await agent.ok('finished_step', PAGE);
  stage.write('page.md', 'Four\n');
  await agent.ok('finished_step', PAGE);
  page.minutes(20);
  await agent.ok('finished_step', { ...PAGE, quality_review_override_reason: 'Read by the user' });
  await agent.ok('start_workflow', { ...START, goal: 'Something else' });
  await agent.ok('abort_workflow', { explanation: 'Not needed' });
  await agent.call('ask_user_question', {
    questions: [{ question: 'Which colour?', choices: ['red', 'blue'], multiSelect: false }],
  });
  page.minutes(5);
  page.part('a day and a half');
  await page.command(stage, ['history']);
  for (const since of ['today', 'yesterday', '3d', '10m', '2026-03-01']) {
    await page.command(stage, ['history', '--since', since]);
  }
  await page.command(stage, ['history', '--since', 'yesterday', '--until', 'today']);
  await page.command(stage, ['history', '--since', '3d'], { terminal: 60 });
});
