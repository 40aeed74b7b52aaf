// What an agent reads on its way through a workflow: starting, steps, moves, and what it is told of
// its work.

import { readdirSync, readFileSync } from 'node:fs';
import { REVIEW } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { REVIEW_COMMAND } from '../support/reviewer.ts';
import { words } from './page.ts';
import { newWork, START } from './project.ts';

const DONE = { outputs: { notes: 'notes.md' } };
const PAGE = { outputs: { page: 'page.md' } };
const GATE = ['--quality-gate', REVIEW_COMMAND];

words('start', async (page) => {
  page.part('a workflow');
  const stage = newWork();
  const agent = await stage.agent();
  await page.call(agent, 'get_workflows');
  await page.call(agent, 'get_active_workflow', {});
  await page.call(agent, 'start_workflow', { ...START, instance_id: 'acme' }, 'whole');
  page.part('nested');
  await page.call(agent, 'start_workflow', { ...START, goal: 'Something else' });
  await page.call(agent, 'start_workflow', { ...START, goal: 'And again' });
  await page.call(agent, 'get_active_workflow', {});
  await page.call(agent, 'abort_workflow', { explanation: 'Not needed' });
  await page.call(agent, 'abort_workflow', { explanation: 'Not needed either' });
  await page.call(agent, 'abort_workflow', { explanation: 'Nothing of it' });

  page.part('names that are nearly right');
  for (const names of [
    { job_name: 'worc' },
    { job_name: 'something' },
    { workflow_name: 'mian' },
    { job_name: 'Work' },
    { job_name: 'work/main' },
  ]) {
    await page.call(agent, 'start_workflow', { ...START, ...names });
  }
  const two = newWork({ jobs: { other: { steps: { a: {} } } } });
  two.write('.deepwork/jobs/broken/job.yml', 'name: broken\nsteps: 3\n');
  const looking = await two.agent();
  await page.call(looking, 'get_workflows', {});
  await page.call(looking, 'start_workflow', { ...START, job_name: 'broken' });

  page.part('contexts');
  const strange = await newWork().agent();
  await page.call(strange, 'start_workflow', { ...START, context: { a: 'x\u0000' } });
  const logged = await newWork({
    inputs: {
      log: { description: 'A log', type: 'file' },
      mark: { description: 'A mark', pattern: '^(x+x+)+y', required: false },
    },
  }).agent();
  await page.call(logged, 'start_workflow', { ...START, inputs: { log: 'a\nb' } });
  await page.call(logged, 'start_workflow', {
    ...START,
    inputs: { log: 'page.md', mark: 'x'.repeat(60) },
  });

  page.part('left behind');
  const left = newWork();
  await left.leave({ ...START, instance_id: 'one' }, ['--agent', 'writer'], 2);
  const next = await left.agent({ args: ['--agent', 'writer'] });
  await page.call(next, 'get_active_workflow', {});
  await page.call(next, 'start_workflow', START);
  const stranger = await left.agent({ args: ['--agent', 'reader'] });
  await page.call(stranger, 'get_active_workflow', {});
  await page.call(stranger, 'finished_step', DONE);

  page.part('inputs');
  const inputs = {
    issue: { description: 'The address of the issue', pattern: '^https://' },
    severity: { description: 'How bad it is', enum: ['low', 'high'], default: 'low' },
    count: { description: 'How many', type: 'number', required: false },
    strict: { description: 'Is it strict?', type: 'boolean', required: false },
    log: { description: 'A log', type: 'file', required: false },
  };
  const triage = await newWork({ inputs }).agent();
  await page.call(triage, 'get_workflows');
  for (const given of [
    undefined,
    {},
    { isue: 'https://x' },
    { issue: 'http://x' },
    { issue: 3 },
    { issue: 'https://x', severity: 'medium' },
    { issue: 'https://x', count: 'many' },
    { issue: 'https://x', strict: 'yes' },
    { issue: 'https://x', log: 'nowhere.md' },
    { issue: 'https://x', log: '../../etc/passwd' },
    { issue: 'https://x', log: ['page.md'] },
    { issue: 'https://x', extra: 1 },
    { issue: 'https://x', severity: null },
    { issue: 'https://x\u0000' },
  ]) {
    await page.call(triage, 'start_workflow', { ...START, ...(given && { inputs: given }) });
  }
  await page.call(triage, 'start_workflow', {
    ...START,
    inputs: { issue: 'https://x' },
    context: { issue: 'y' },
  });
  await page.call(await newWork().agent(), 'start_workflow', { ...START, inputs: { issue: 'x' } });

  page.part('several left behind');
  const crowd = newWork();
  await crowd.leave({ ...START, instance_id: 'one' }, ['--agent', 'writer']);
  await crowd.leave({ ...START, instance_id: 'two' }, ['--agent', 'writer'], 2);
  const again = await crowd.agent({ args: ['--agent', 'writer'] });
  const { data } = await page.call(again, 'get_active_workflow');
  await page.call(again, 'finished_step', DONE);
  const nested = data.orphans.find((each: { nested_in?: string }) => each.nested_in !== undefined);
  await page.call(again, 'get_active_workflow', { session_id: nested.session_id });
  const lower = await again.ok('get_active_workflow');
  await page.call(again, 'get_active_workflow', { session_id: lower.stack[0].session_id });

  page.part('git');
  const config = { git: { branch: 'create' } };
  const versioned = newWork({ config });
  const repository = newRepository(versioned.root);
  const brancher = await versioned.agent();
  await page.call(brancher, 'start_workflow', { ...START, instance_id: 'one' });
  repository.git('add', '-A');
  repository.git('commit', '--quiet', '-m', 'First');
  await page.call(brancher, 'start_workflow', { ...START, instance_id: 'two' });
  await page.call(brancher, 'start_workflow', { ...START, instance_id: 'two' });
  await page.call(brancher, 'start_workflow', { ...START, instance_id: 'a..b' });
  for (const branch of ['checkout', 'off']) {
    const other = newWork({ config: { git: { branch } } });
    newRepository(other.root).git('commit', '--quiet', '--allow-empty', '-m', 'First');
    await page.call(await other.agent(), 'start_workflow', { ...START, instance_id: 'x' });
  }
  await page.call(await newWork({ config }).agent(), 'start_workflow', START);
});

words('step', async (page) => {
  page.part('one after the other');
  const agent = await newWork().agent();
  await agent.ok('start_workflow', START);
  await page.call(agent, 'finished_step', DONE);
  await page.call(agent, 'finished_step', DONE);
  await page.call(agent, 'go_to_step', { step_id: 'draft' });
  await page.call(agent, 'go_to_step', { step_id: 'publish' });
  await page.call(agent, 'go_to_step', { step_id: 'nothing' });
  await page.call(agent, 'finished_step', { ...DONE, step_id: 'publish' });
  await page.call(agent, 'finished_step', { ...DONE, step_id: 'nothing' });
  await page.call(agent, 'finished_step', { ...DONE, session_id: '00000000' });
  await page.call(agent, 'validate_step_outputs', { outputs: { page: 'x' } });
  await page.call(agent, 'validate_step_outputs', DONE);
  await page.call(agent, 'finished_step', DONE);
  await page.call(agent, 'finished_step', { ...DONE, step_id: 'draft' });
  await page.call(agent, 'validate_step_outputs', { ...PAGE, step_id: 'draft' });
  await page.call(agent, 'finished_step', {
    ...PAGE,
    quality_review_override_reason: 'Read by the user',
  });
  await page.call(agent, 'finished_step', PAGE);
  await page.call(agent, 'get_active_workflow', {});

  page.part('side by side');
  const both = await newWork({
    entries: [['one', 'two'], 'three'],
    steps: { one: { outputs: { notes: 'file' } }, two: { outputs: { page: 'file' } }, three: {} },
  }).agent();
  await page.call(both, 'start_workflow', START);
  await page.call(both, 'finished_step', { ...DONE, step_id: 'one' });
  await page.call(both, 'finished_step', { ...DONE, step_id: 'one' });
  await page.call(both, 'finished_step', { outputs: { ...DONE.outputs, ...PAGE.outputs } });

  page.part('outputs');
  const outputs = { notes: 'file', pages: 'files', more: 'file?' };
  const writing = await newWork({ steps: { draft: { outputs }, next: {} } }).agent();
  await writing.ok('start_workflow', START);
  for (const given of [
    {},
    { notes: 'notes.md' },
    { notes: 'notes.md', pages: 'page.md' },
    { notes: ['notes.md'], pages: ['page.md'] },
    { notes: 'notes.md', pages: [] },
    { notes: 'nowhere.md', pages: ['page.md'] },
    { notes: '../out.md', pages: ['page.md'] },
    { notes: '/etc/passwd', pages: ['page.md'] },
    { notes: '.', pages: ['page.md'] },
    { notes: '', pages: ['page.md'] },
    { notes: 'a\u0000b', pages: ['page.md'] },
    { notes: 'notes.md', pages: ['page.md'], extra: 'x.md' },
    { nots: 'notes.md', pages: ['page.md'] },
    { notes: 3, pages: ['page.md'] },
    { notes: 'notes.md', pages: [3] },
    { notes: 'notes.md', pages: { a: 1 } },
    { notes: 'notes.md', pages: ['page.md', 'page.md'] },
  ]) {
    await page.call(writing, 'finished_step', { outputs: given });
    await page.call(writing, 'validate_step_outputs', { outputs: given });
  }

  page.part('reports and conditions');
  const reporting = await newWork({
    steps: {
      assess: {
        reports: {
          regression: { type: 'boolean', description: 'Did it work before?' },
          cause: { description: 'What broke it', required: false },
          level: { type: 'number', description: 'How bad', required: false },
          kind: { description: 'Which', enum: ['a', 'b'], required: false },
        },
      },
      bisect: { when: { var: 'regression' } },
      fix: { outputs: { notes: 'file' } },
    },
  }).agent();
  await page.call(reporting, 'start_workflow', START);
  for (const context of [
    undefined,
    {},
    { regression: 'yes' },
    { regresion: true },
    { regression: true, level: 'high' },
    { regression: true, kind: 'c' },
    { regression: true, extra: 1 },
    { regression: false, cause: 'Ours' },
  ]) {
    await page.call(reporting, 'finished_step', { outputs: {}, ...(context && { context }) });
  }

  page.part('a loop');
  const loop = {
    name: 'until_green',
    steps: ['fix'],
    until: { check: { name: 'tests', run: 'sh check.sh' } },
    max: 2,
  };
  const steps = { fix: { outputs: { notes: 'file' } }, after: {} };
  const looping = newWork({
    entries: [{ loop }, 'after'],
    steps,
    files: { 'check.sh': 'echo still red; exit 1\n' },
  });
  const round = await looping.agent({ args: ['--trust'] });
  await page.call(round, 'start_workflow', START);
  await page.call(round, 'finished_step', DONE);
  await page.call(round, 'finished_step', DONE);
  await page.call(round, 'finished_step', DONE);
  await page.command(looping, ['answer']);
  await page.command(looping, ['answer', 'q-1', '--choose', 'One pass more', '--by', 'ann']);
  await page.call(round, 'finished_step', DONE);
  looping.write('check.sh', 'exit 127\n');
  await page.call(round, 'finished_step', DONE);
  looping.write('check.sh', 'exit 1\n');
  await page.call(round, 'finished_step', DONE);
  await page.command(looping, ['answer', 'q-2', '--choose', 'Go on as it is', '--by', 'ann']);
  await page.call(round, 'finished_step', DONE);
  const rules = [{ type: 'contains', value: 'green', message: 'It is not green' }];
  for (const until of [{ rules, output: 'fix.notes' }, { when: { var: 'green' } }]) {
    const other = await newWork({
      entries: [{ loop: { ...loop, until } }, 'after'],
      steps,
    }).agent();
    await page.call(other, 'start_workflow', START);
    await page.call(other, 'finished_step', DONE);
  }

  page.part('a list');
  const each = { name: 'each', items: 'list.list', step: 'port' };
  const listed = {
    list: { outputs: { list: 'file' } },
    port: { outputs: { notes: 'file' } },
    end: {},
  };
  const listing = newWork({
    entries: ['list', { for_each: each }, 'end'],
    steps: listed,
    files: { 'list.json': '["one", "two"]\n' },
  });
  const porter = await listing.agent();
  await porter.ok('start_workflow', START);
  await page.call(porter, 'finished_step', { outputs: { list: 'notes.md' } });
  for (const text of [
    '{}',
    '[1]',
    '[]',
    '["one", "one"]',
    '[""]',
    `[${'"x",'.repeat(1001)}"y"]`,
    '["one", "two"]',
  ]) {
    listing.write('list.json', text);
    await page.call(porter, 'finished_step', { outputs: { list: 'list.json' } });
    await porter.call('go_to_step', { step_id: 'list' });
  }
  await porter.ok('finished_step', { outputs: { list: 'list.json' } });
  await page.call(porter, 'go_to_step', { step_id: 'port#8' });
  await page.call(porter, 'finished_step', { ...DONE, step_id: 'port#2' });
  await page.call(porter, 'go_to_step', { step_id: 'port#9' });
  listing.write('list.json', '["three"]\n');
  await page.call(porter, 'finished_step', { ...DONE, step_id: 'port#1' });
  await page.call(porter, 'finished_step', { ...DONE, step_id: 'port#3' });

  page.part('an approval');
  const approve = {
    name: 'go_ahead',
    question: 'Is this good enough?',
    show: ['draft.notes'],
    on_reject: { go_to: 'draft', max: 1 },
  };
  const approving = newWork({
    entries: ['draft', { approve }, 'publish'],
    steps: { draft: { outputs: { notes: 'file' } }, publish: {} },
  });
  const asker = await approving.agent();
  await asker.ok('start_workflow', START);
  await page.call(asker, 'finished_step', PAGE);
  await page.call(asker, 'finished_step', { outputs: {} });
  await page.call(asker, 'finished_step', DONE);
  await page.call(asker, 'finished_step', {
    outputs: {},
    quality_review_override_reason: 'I agree',
  });
  await page.command(approving, ['answer']);
  approving.write('notes.md', 'Changed.\n');
  await page.command(approving, ['answer', 'q-1', '--choose', 'Approve', '--by', 'ann']);
  await page.call(asker, 'finished_step', { outputs: {} });
  await page.command(approving, [
    'answer',
    'q-2',
    '--choose',
    'Reject',
    '--other',
    'Too long',
    '--by',
    'ann',
  ]);
  await page.call(asker, 'finished_step', { outputs: {} });
  await page.call(asker, 'get_active_workflow', {});
  approving.write('notes.md', 'Shorter.\n');
  await asker.ok('finished_step', DONE);
  await page.command(approving, ['answer', 'q-3', '--choose', 'Reject', '--by', 'ann']);
  await page.call(asker, 'finished_step', { outputs: {} });
  approving.write('notes.md', 'Better.\n');
  await page.call(asker, 'finished_step', { outputs: {} });
  await page.command(approving, [
    'answer',
    'q-4',
    '--choose',
    'Approve',
    '--other',
    'Well done',
    '--by',
    'ann',
  ]);
  await page.call(asker, 'finished_step', { outputs: {} });

  page.part('a nested run');
  const run = { name: 'sub', job: 'other', workflow: 'main', inputs: { issue: 'where' } };
  const other = {
    steps: { look: {} },
    inputs: { issue: { description: 'The issue', pattern: '^https://' } },
  };
  const outer = { entries: ['first', { run }, 'last'], steps: { first: {}, last: {} } };
  const nesting = newWork({ ...outer, jobs: { other } });
  const above = await nesting.agent();
  const { begin_step } = await above.ok('start_workflow', START);
  await page.call(above, 'finished_step', { outputs: {}, context: { where: 'nowhere' } });
  await page.call(above, 'finished_step', { outputs: {} });
  await page.call(above, 'finished_step', { outputs: {}, context: { where: 'https://x' } });
  await page.call(above, 'finished_step', { outputs: {}, session_id: begin_step.session_id });
  await page.call(above, 'abort_workflow', { explanation: 'Not needed' });
  await page.call(above, 'finished_step', { outputs: {} });
  await page.call(above, 'go_to_step', { step_id: 'sub' });
  await page.call(above, 'finished_step', { outputs: {} });
  const missing = await newWork(outer).agent();
  await page.call(missing, 'start_workflow', START);
  await page.call(missing, 'finished_step', { outputs: {} });
  const deep = await newWork({
    entries: [{ run: { name: 'again', job: 'work', workflow: 'main' } }],
    steps: { a: {} },
  }).agent();
  await page.call(deep, 'start_workflow', START);

  page.part('a guide');
  const guide = newWork();
  guide.write(
    '.deepwork/workflows/review.json',
    JSON.stringify({
      id: 'review',
      name: 'Review',
      description: 'A review',
      version: '1.0.0',
      steps: [
        {
          id: 'read',
          title: 'Read',
          prompt: 'Read it.',
          agentRole: 'A careful reader',
          guidance: ['Slowly'],
          askForFiles: true,
          requireConfirmation: true,
        },
        {
          id: 'judge',
          title: 'Judge',
          prompt: 'Judge it.',
          validationCriteria: [{ type: 'contains', value: 'verdict', message: 'Say the verdict' }],
        },
        {
          id: 'deep',
          title: 'Deep',
          prompt: 'Look deeper.',
          runCondition: { var: 'deep', equals: true },
        },
      ],
    }),
  );
  const walker = await guide.agent();
  await page.call(walker, 'workflow_list');
  await page.call(walker, 'workflow_next', { workflowId: 'review', completedSteps: [] });
  await page.call(walker, 'workflow_next', {
    workflowId: 'review',
    completedSteps: ['read', 'judge'],
  });
  await page.call(walker, 'workflow_validate', {
    workflowId: 'review',
    stepId: 'judge',
    output: 'Nothing',
  });
  await page.call(walker, 'workflow_validate', {
    workflowId: 'review',
    stepId: 'judge',
    output: 'The verdict: good',
  });
  await page.call(walker, 'start_workflow', {
    goal: 'Look',
    job_name: 'review',
    workflow_name: 'review',
  });
  await page.call(walker, 'finished_step', { outputs: {} });
  await page.call(walker, 'finished_step', { outputs: {} });
});

words('feedback', async (page) => {
  page.part('rules of outputs');
  const rules = [
    { type: 'contains', value: 'verdict', message: 'Say the verdict' },
    { type: 'contains', value: 'because', message: 'Give a reason' },
    { type: 'regex', pattern: '^# ', message: 'Begin with a title' },
    { type: 'length', min: 100, max: 1000 },
    { type: 'length', min: 100, message: 'Write more' },
    { type: 'schema', schema: { type: 'object', required: ['a'] } },
    { type: 'schema', schema: { type: 'object' }, message: 'An object, please' },
  ];
  const output = { type: 'file', description: 'The notes', required: true };
  for (const rule of rules) {
    const stage = newWork({
      steps: { draft: { outputs: { notes: { ...output, rules: [rule] } } }, next: {} },
    });
    const agent = await stage.agent();
    await page.call(agent, 'start_workflow', START);
    for (const text of ['Three bugs.', '{"b": 1}', '']) {
      stage.write('notes.md', text);
      await page.call(agent, 'finished_step', DONE);
    }
    await page.call(agent, 'validate_step_outputs', DONE);
  }
  const several = newWork({
    steps: {
      draft: { outputs: { notes: { ...output, type: 'files', rules: rules.slice(0, 3) } } },
      next: {},
    },
  });
  const writer = await several.agent();
  await writer.ok('start_workflow', START);
  await page.call(writer, 'finished_step', { outputs: { notes: ['notes.md', 'page.md'] } });
  several.write('bytes.bin', '\u0000\u0001');
  await page.call(writer, 'finished_step', { outputs: { notes: ['bytes.bin'] } });

  page.part('rules that cannot be told');
  const not = { not: { type: 'contains', value: 'bugs', message: 'No bugs' } };
  const endless = { type: 'regex', pattern: '^(x+x+)+y', message: 'Never' };
  for (const [rule, text] of [
    [not, 'bugs'],
    [endless, 'x'.repeat(60)],
    [rules[0], 'x'.repeat(6 * 1024 * 1024)],
    [rules[0], 'nothing'],
  ] as const) {
    const own = newWork({ steps: { draft: { outputs: { notes: { ...output, rules: [rule] } } } } });
    own.write('notes.md', text);
    const asked = await own.agent();
    await asked.ok('start_workflow', START);
    await page.call(asked, 'finished_step', DONE);
  }
  several.write('bytes.bin', Buffer.from([0xe9, 0x0a]));
  await page.call(writer, 'finished_step', { outputs: { notes: ['bytes.bin'] } });

  page.part('checks');
  const run = (name: string, run: string, more = {}) => ({ name, run, ...more });
  for (const checks of [
    [run('tests', 'echo one is red; exit 1'), run('types', 'true')],
    [run('tests', 'echo one is red; exit 1'), run('types', 'echo two >&2; exit 2')],
    [run('slow', 'sleep 30', { timeout_seconds: 1 })],
    [run('killed', 'kill -9 $$')],
    [run('missing', 'echo not found; exit 127')],
    [run('silent', 'exit 3')],
  ]) {
    const stage = newWork({ steps: { draft: { outputs: { notes: 'file' }, checks }, next: {} } });
    const agent = await stage.agent({ args: ['--trust'] });
    await page.call(agent, 'start_workflow', START);
    await page.call(agent, 'finished_step', DONE);
    await page.call(agent, 'validate_step_outputs', DONE);
  }
  const untrusted = await newWork({
    steps: { draft: { outputs: { notes: 'file' }, checks: [run('tests', 'true')] } },
  }).agent();
  await page.call(untrusted, 'start_workflow', START);
  await page.call(untrusted, 'finished_step', DONE);

  page.part('a review by oneself');
  const stage = newWork();
  const agent = await stage.agent();
  await agent.ok('start_workflow', { ...START, context: { version: '1.2' } });
  await agent.ok('finished_step', DONE);
  await page.call(agent, 'finished_step', { ...PAGE, notes: 'It took long.' });
  const file =
    readdirSync(stage.path('.deepwork/tmp')).find((name) => name.startsWith('quality_review')) ??
    '';
  const instructions = readFileSync(stage.path(`.deepwork/tmp/${file}`), 'utf8');
  page.text(instructions);
  const code = /`([0-9a-f]{8})`/.exec(instructions)?.[1];
  for (const reason of [
    `${code} maybe`,
    `${code}\nIt is bad.\nFAILED`,
    `${code} FAILED, then PASSED of course`,
  ]) {
    await page.call(agent, 'finished_step', { ...PAGE, quality_review_override_reason: reason });
  }
  stage.write('page.md', 'Changed');
  await page.call(agent, 'finished_step', {
    ...PAGE,
    quality_review_override_reason: `${code}\nPASSED`,
  });

  page.part('a review by a command');
  const failing = {
    passed: false,
    feedback: 'Too vague',
    criteria_results: [
      { criterion: 'clear', passed: false, feedback: 'vague' },
      { criterion: 'short', passed: true, feedback: null },
    ],
  };
  const reviewed = newWork({
    reviews: [
      { when: 'Release 1.2', answer: failing },
      { answer: { passed: true, feedback: 'fine' } },
    ],
  });
  const author = await reviewed.agent({ args: GATE });
  await author.ok('start_workflow', START);
  await author.ok('finished_step', DONE);
  await page.call(author, 'finished_step', { ...PAGE, notes: 'It took long.' });
  page.text(
    JSON.parse(readFileSync(reviewed.path('reviewer-log.jsonl'), 'utf8').split('\n')[0] ?? '')
      .stdin,
  );
  await page.call(author, 'finished_step', PAGE);
  await page.call(author, 'finished_step', PAGE);
  await page.call(author, 'get_active_workflow', {});
  await page.call(author, 'finished_step', {
    ...PAGE,
    quality_review_override_reason: 'The user agreed',
  });

  page.part('a reviewer at fault');
  for (const scene of [
    { raw: 'I like it.' },
    { raw: '{"passed": "yes"}' },
    { raw: '' },
    { answer: { passed: false, feedback: '' } },
    { answer: { passed: true, feedback: 'fine', criteria_results: [] } },
    {
      answer: {
        passed: false,
        feedback: 'bad',
        criteria_results: [{ criterion: 'clear', passed: true, feedback: null }],
      },
    },
    { exit: 3, stderr: 'no quota' },
    { exit: 1 },
  ]) {
    const faulty = await newWork({
      reviews: [scene],
      steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] }, next: {} },
    }).agent({ args: GATE });
    await faulty.ok('start_workflow', START);
    await page.call(faulty, 'finished_step', DONE);
  }
  const absent = await newWork({
    steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] } },
  }).agent({ args: ['--quality-gate', 'no-such-reviewer'] });
  await page.call(absent, 'start_workflow', START);
  await page.call(absent, 'finished_step', DONE);
  const slow = newWork({
    config: { quality_gate: { default_timeout: 1 } },
    reviews: [{ hang: true }],
    steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] } },
  });
  const waiting = await slow.agent({ args: GATE });
  await waiting.ok('start_workflow', START);
  await page.call(waiting, 'finished_step', DONE);

  page.part('overrides');
  const override = { ...DONE, quality_review_override_reason: 'The reviewer is wrong' };
  for (const overrides of ['agent', 'person', 'never']) {
    const asked = newWork({
      config: { quality_gate: { overrides }, team: { question_wait_seconds: 1 } },
      reviews: [{ answer: failing }],
      steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] }, next: {} },
    });
    const worker = await asked.agent({ args: GATE });
    await page.call(worker, 'start_workflow', START);
    await page.call(worker, 'finished_step', override);
    if (overrides !== 'person') continue;
    await page.call(worker, 'finished_step', override);
    await page.command(asked, ['answer']);
    await page.command(asked, [
      'answer',
      'q-1',
      '--choose',
      'Refuse',
      '--other',
      'Do it well',
      '--by',
      'ann',
    ]);
    await page.call(worker, 'finished_step', override);
    asked.write('notes.md', 'Other notes.\n');
    await page.call(worker, 'finished_step', override);
    await page.command(asked, ['answer', 'q-2', '--choose', 'Grant', '--by', 'ann']);
    await page.call(worker, 'finished_step', override);
  }
});
