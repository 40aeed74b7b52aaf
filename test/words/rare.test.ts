// What is said seldom: of gates that are weakened in several ways, of runs that change hands, of what
// is too much.

import { readdirSync, readFileSync } from 'node:fs';
import { claudeInput, hook } from '../support/hook.ts';
import { REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { REVIEW_COMMAND } from '../support/reviewer.ts';
import { words } from './page.ts';
import { newWork, START, type Work } from './project.ts';
import { emptyStage, newStage } from './stage.ts';

const DONE = { outputs: { notes: 'notes.md' } };
const FILE = { outputs: { notes: 'file' } };

words('rare', async (page) => {
  page.part('a gate that was made weaker');
  const rules = [{ type: 'contains', value: 'bugs', message: 'Name them' }];
  const ruled = { type: 'file', description: 'Notes', required: true, rules };
  const strict = {
    draft: { outputs: { notes: ruled }, reviews: [REVIEW] },
    next: { outputs: { page: 'file' } },
  };
  const weaker: readonly (readonly [Record<string, StepSpec>, readonly string[]])[] = [
    [{ ...strict, draft: { ...FILE, reviews: [REVIEW] } }, ['draft', 'next']],
    [{ ...strict, draft: { outputs: { notes: ruled } } }, ['draft', 'next']],
    [
      {
        ...strict,
        draft: { outputs: { notes: { ...ruled, required: false } }, reviews: [REVIEW] },
      },
      ['draft', 'next'],
    ],
    [strict, ['next', 'draft']],
    [strict, ['draft']],
  ];
  for (const [steps, order] of weaker) {
    const stage = newWork({ steps: strict, config: { quality_gate: { overrides: 'never' } } });
    const agent = await stage.agent();
    await agent.ok('start_workflow', START);
    writeJob(stage, 'work', steps, { main: order });
    await page.call(agent, 'finished_step', DONE);
  }

  page.part('reviews of several steps');
  const reviewed = { ...FILE, reviews: [REVIEW] };
  const both = newWork({
    entries: [['one', 'two']],
    steps: {
      one: reviewed,
      two: { outputs: { page: 'file' }, reviews: [{ ...REVIEW, run_each: 'page' }] },
    },
    reviews: [{ answer: { passed: false, feedback: 'Too vague' } }],
  });
  const fan = await both.agent({ args: ['--quality-gate', REVIEW_COMMAND] });
  await fan.ok('start_workflow', START);
  await page.call(fan, 'finished_step', { outputs: { notes: 'notes.md', page: 'page.md' } });
  const absent = await newWork({ steps: { draft: reviewed } }).agent({
    args: ['--external-runner', 'claude'],
  });
  await absent.ok('start_workflow', START);
  await page.call(absent, 'finished_step', DONE);

  page.part('a review that said two things');
  const own = newWork({ steps: { draft: reviewed, next: {} } });
  const author = await own.agent();
  const { begin_step } = await author.ok('start_workflow', START);
  await author.ok('finished_step', DONE);
  const file =
    readdirSync(own.path('.deepwork/tmp')).find((name) => name.startsWith('quality_review')) ?? '';
  const code = /`([0-9a-f]{8})`/.exec(readFileSync(own.path(`.deepwork/tmp/${file}`), 'utf8'))?.[1];
  for (const verdict of ['FAILED', 'PASSED']) {
    await page.call(author, 'finished_step', {
      ...DONE,
      quality_review_override_reason: `${code}\n${verdict}`,
    });
  }
  await page.command(own, ['history', begin_step.session_id]);

  page.part('runs that change hands');
  const left = newWork({ steps: { draft: FILE, skipped: { when: { var: 'deep' } }, next: FILE } });
  await left.leave({ ...START, instance_id: 'one', context: { deep: false } }, [
    '--agent',
    'writer',
  ]);
  const heir = await left.agent({ args: ['--agent', 'writer'] });
  await heir.ok('finished_step', { ...DONE, context: { deep: false } });
  const id = (await heir.ok('get_active_workflow')).session_id as string;
  await page.command(left, ['redo', id, 'next', '--reason', 'Once more', '--by', 'ann']);
  await page.command(left, ['call', 'get_active_workflow', '--session_id', id], { shown: false });
  await page.command(left, ['history', id]);
  const stopped = newWork({ steps: { draft: FILE } });
  const client = await stopped.agent({ env: { CLAUDE_CODE_SESSION_ID: 'c' } });
  await client.ok('start_workflow', START);
  await hook('stop', claudeInput('c', stopped.root), { cwd: stopped.root, env: stopped.env });
  await page.command(stopped, ['history', 'last']);
  await page.command(stopped, ['history']);
  const typed = newWork({ steps: { draft: FILE } });
  await page.command(typed, ['call', 'start_workflow', '--json', JSON.stringify(START)]);
  await page.command(typed, ['call', 'get_active_workflow'], { terminal: 80 });
  await page.command(typed, ['status']);

  page.part('nested runs that are complete');
  const run = { name: 'sub', job: 'other', workflow: 'main' };
  const nested: Work = {
    entries: [{ run }, 'next'],
    steps: { next: {} },
    jobs: { other: { steps: { look: {} } } },
  };
  const outer = newWork(nested);
  const walker = await outer.agent();
  const inner = (await walker.ok('start_workflow', START)).begin_step.session_id as string;
  await walker.ok('finished_step', { outputs: {} });
  await page.command(outer, ['redo', inner, 'look', '--reason', 'x', '--by', 'ann']);
  const stacked = newWork(nested);
  const climber = await stacked.agent();
  const started = await climber.ok('start_workflow', START);
  await page.command(stacked, [
    'abort',
    started.stack[0].session_id,
    '--reason',
    'x',
    '--by',
    'ann',
  ]);
  await page.command(stacked, ['history', started.begin_step.session_id]);
  await page.command(stacked, ['history', started.stack[0].session_id]);

  page.part('an approval whose files changed');
  const approve = { name: 'go_ahead', question: 'Good?', show: ['draft.notes'] };
  const approving = newWork({ entries: ['draft', { approve }], steps: { draft: FILE } });
  const asker = await approving.agent();
  await asker.ok('start_workflow', START);
  await asker.ok('finished_step', DONE);
  approving.write('notes.md', 'Changed.\n');
  await page.command(approving, ['answer', 'q-1', '--choose', 'Approve', '--by', 'ann']);
  await asker.ok('finished_step', { outputs: {} });
  await page.command(approving, ['answer', 'q-2', '--choose', 'Approve', '--by', 'ann']);
  await page.command(approving, ['answer']);

  page.part('too much');
  const asking = newStage({ team: { question_wait_seconds: 1 } });
  const curious = await asking.agent();
  for (let nth = 0; nth < 6; nth++) {
    const questions = Array.from({ length: 20 }, (_each, at) => ({
      question: `Question ${nth} ${at}?`,
      choices: ['yes', 'no'],
      multiSelect: false,
    }));
    const answer = await curious.call('ask_user_question', { questions });
    if (answer.isError) page.text(`${answer.text}\n`);
  }
  const many = newWork();
  const wrong = Array.from({ length: 60 }, (_each, at) => `k${at}: 1`).join('\n');
  many.write('.deepwork/jobs/work/job.yml', `name: work\n${wrong}\n`);
  await page.call(await many.agent(), 'start_workflow', START);
  const large = newWork({
    entries: ['list', { for_each: { name: 'each', items: 'list.list', step: 'next' } }],
    steps: { list: { outputs: { list: 'file' } }, next: {} },
  });
  large.write('list.json', `["${'x'.repeat(6 * 1024 * 1024)}"]`);
  const lister = await large.agent();
  await lister.ok('start_workflow', START);
  await page.call(lister, 'finished_step', { outputs: { list: 'list.json' } });
  const undeclared = Object.fromEntries(
    Array.from({ length: 14 }, (_each, at) => [`s${at}`, { when: { var: `v${at}` } }]),
  );
  await page.call(
    await newWork({ steps: { draft: {}, ...undeclared } }).agent(),
    'start_workflow',
    START,
  );

  page.part('git');
  const detached = newWork({ config: { git: { branch: 'create' } }, steps: { draft: {} } });
  const repository = newRepository(detached.root);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  repository.git('checkout', '--quiet', '--detach');
  await page.call(await detached.agent(), 'start_workflow', { ...START, instance_id: 'x' });
  const part = emptyStage();
  newRepository(part.root);
  part.write('sub/readme.md', 'x');
  await page.command(part, ['init', '--dry-run', '--clients', 'none', '--template', 'none'], {
    cwd: part.path('sub'),
  });

  page.part('notes of progress');
  const busy = newStage();
  const writer = await busy.agent();
  for (const addProgress of ['Half of it', 'All of it'])
    await writer.call('update_workflow_state', { addProgress });
  await page.command(busy, ['history']);
  await page.command(busy, ['status']);
  busy.write('.sgai/state.json', JSON.stringify({ status: 'waiting-for-human' }));
  await page.call(writer, 'update_workflow_state', { status: 'working', task: 'x' });

  page.part('guides');
  const guided = newWork({ steps: { draft: FILE } });
  const reader = await guided.agent();
  await page.call(reader, 'workflow_next', { workflowId: 'auth-implementation' });
  await page.call(reader, 'workflow_next', { workflowId: 'work/main', completedSteps: [] });
  await page.call(reader, 'workflow_validate', {
    workflowId: 'work/main',
    stepId: 'draft',
    output: 'x',
  });
  await page.call(reader, 'workflow_validate', {
    workflowId: 'work/main',
    stepId: 'draft',
    output: 'x',
    outputName: 'other',
  });
  await page.call(reader, 'start_workflow', {
    ...START,
    job_name: 'auth-implementation',
    workflow_name: 'other',
  });
  await page.call(reader, 'start_workflow', { ...START, context: { goal: 'x' } });
});
