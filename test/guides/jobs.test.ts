// Guides and jobs in place of each other: a guide as a durable session, and a job's workflow
// followed as a guide.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Answer, ERAS } from '../support/calls.ts';
import { connect, connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { openSpeakingWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, oneStep, step, workflow, writeGuide } from './guide-project.ts';
import { openGuides } from './ways.ts';

const rule = (value: string, more: object = {}) => ({
  type: 'contains',
  value,
  message: `Say ${value}`,
  ...more,
});
const TOUR = workflow({
  id: 'tour',
  version: '2.1.0',
  preconditions: ['A map'],
  metaGuidance: ['Walk slowly'],
  steps: [
    step({
      id: 'pack',
      title: 'Pack',
      agentRole: 'You are a careful packer.',
      guidance: ['Less is more'],
      preface: 'First.',
      prompt: 'Pack your things.',
      modelHint: 'model-small',
      requireConfirmation: { var: 'far' },
      validationCriteria: [
        rule('water', { suggestion: 'Take some' }),
        rule('tent', { condition: { var: 'far' } }),
      ],
    }),
    step({ id: 'fly', title: 'Fly', runCondition: { var: 'far' } }),
    step({ id: 'walk', title: 'Walk', prompt: 'Walk.' }),
    step({ id: 'rest', title: 'Rest', validationCriteria: rule('rested') }),
  ],
});
const START = { goal: 'See the world', job_name: 'tour', workflow_name: 'whatever' };

function tour(): Project {
  const project = guideProject({ tour: TOUR });
  const texts = { water: 'water', both: 'water and tent', none: 'nothing', blank: ' \n' };
  for (const [name, text] of Object.entries({ ...texts, rested: 'rested' })) {
    project.write(`${name}.md`, text);
  }
  return project;
}

/** The next move, in text and structure. */
function nextOf({ text, data }: Answer): string {
  const { message, next } = data.error;
  const lines = text.split('\n');
  expect([lines[0], lines.at(-1)]).toEqual([message, `Next: ${next}`]);
  return next;
}

const hand = (name: string) => ({ outputs: { output: `${name}.md` } });

describe.each(ERAS)('a guide as a session (%s)', (era) => {
  test('gives what workflow_next gives', async () => {
    verifies('GUIDE-38');
    const project = tour();
    const { ok } = await connect(project.root, { era });
    const { begin_step, stack } = await ok('start_workflow', { ...START, context: { far: true } });
    const next = await ok('workflow_next', {
      workflowId: 'tour',
      completedSteps: [],
      context: { far: true },
    });
    expect(begin_step).toMatchObject({
      step_id: 'pack',
      step_instructions: next.guidance.prompt,
      step_quality_criteria: next.guidance.validationCriteria,
      requires_confirmation: true,
      model_hint: 'model-small',
      job_dir: project.path(FOLDER),
      step_inputs: [],
      step_reviews: [],
      concurrent_steps: [],
      step_expected_outputs: [
        {
          name: 'output',
          type: 'file',
          required: true,
          syntax_for_finished_step_tool: 'filepath',
        },
      ],
    });
    expect(begin_step.step_instructions).toBe(
      '## Agent Role Instructions\nYou are a careful packer.\n\n## Step Guidance\n- Less is more\n\nFirst. Pack your things.',
    );
    expect(begin_step.step_quality_criteria).toEqual(['Say water', 'Say tent']);
    expect(begin_step.common_job_info).toContain('Walk slowly');
    const { session_id } = begin_step;
    expect(stack).toEqual([{ workflow: 'tour/tour', step: 'pack', session_id }]);
  });

  test('continues when an output meets its criteria, and skips steps that do not apply', async () => {
    verifies('GUIDE-38');
    const { ok, refused } = await connect(tour().root, { era });
    await ok('start_workflow', START);
    expect(await refused('finished_step', { outputs: {} })).toMatch(/output/);
    expect(await ok('finished_step', hand('none'))).toMatchObject({
      status: 'needs_work',
      feedback: 'Say water\nReview validation criteria and adjust output accordingly.\nTake some',
      failed_criteria: [{ criterion: 'Say water', passed: false }],
    });
    expect((await ok('finished_step', hand('blank'))).feedback).toBe(
      'Output is empty or invalid.\nProvide valid output content.',
    );
    const walk = await ok('finished_step', hand('water'));
    expect(walk).toMatchObject({
      status: 'next_step',
      begin_step: {
        step_id: 'walk',
        requires_confirmation: false,
        model_hint: null,
        step_quality_criteria: [],
        step_expected_outputs: [{ name: 'output', required: false }],
      },
    });
    // Optional outputs must not be blank either.
    expect(await ok('finished_step', hand('blank'))).toMatchObject({ status: 'needs_work' });
    expect(await ok('finished_step', { outputs: {} })).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'rest' },
    });
    expect(await ok('finished_step', hand('rested'))).toMatchObject({
      status: 'workflow_complete',
      summary: "Workflow 'tour' completed successfully!",
      all_outputs: { 'pack.output': 'water.md', 'rest.output': 'rested.md' },
    });
  });

  test('takes context with each call, merged by key', async () => {
    verifies('GUIDE-38');
    const { ok } = await connect(tour().root, { era });
    await ok('start_workflow', { ...START, context: { pace: 'slow' } });
    expect(await ok('finished_step', { ...hand('water'), context: { far: true } })).toMatchObject({
      status: 'needs_work',
      failed_criteria: [{ criterion: 'Say tent' }],
    });
    expect(await ok('finished_step', { ...hand('both'), context: { far: true } })).toMatchObject({
      begin_step: { step_id: 'fly' },
    });
  });
});

describe('a guide as a session', () => {
  /** Kills the server; the next one has to find the work. */
  async function crash(server: ProcessConnection): Promise<void> {
    process.kill(server.pid, 'SIGKILL');
    await server.close();
  }

  test('survives crashes, goes back and can be aborted', async () => {
    verifies('GUIDE-38');
    const project = tour();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const { begin_step } = await first.ok('start_workflow', START);
    await first.ok('finished_step', hand('water'));
    await crash(first);

    const second = await connectToProcess(project.root, { closeAfterTest: false });
    expect(await second.ok('get_active_workflow')).toMatchObject({
      active: true,
      session_id: begin_step.session_id,
      begin_step: { step_id: 'walk', step_instructions: 'Walk.' },
      completed_steps: [{ step_id: 'pack', outputs: { output: 'water.md' } }],
    });
    await second.ok('finished_step', { outputs: {} });
    expect(await second.ok('go_to_step', { step_id: 'pack' })).toMatchObject({
      begin_step: { step_id: 'pack', model_hint: 'model-small' },
      invalidated_steps: ['pack', 'walk', 'rest'],
    });
    await crash(second);

    const third = await connect(project.root);
    expect(await third.ok('finished_step', hand('water'))).toMatchObject({
      begin_step: { step_id: 'walk' },
    });
    expect(await third.ok('abort_workflow', { explanation: 'Rain' })).toMatchObject({
      aborted_workflow: 'tour/tour',
      aborted_step: 'walk',
      explanation: 'Rain',
    });
    expect(await third.ok('get_active_workflow')).toMatchObject({ active: false });
  });

  test('keeps the output of every step, in the answers and in the view', async () => {
    verifies('GUIDE-38');
    const project = tour();
    const { ok } = await connect(project.root);
    const id = (await ok('start_workflow', START)).begin_step.session_id;
    await ok('finished_step', hand('water'));
    await ok('finished_step', hand('none'));
    expect((await ok('get_active_workflow')).completed_steps).toMatchObject([
      { step_id: 'pack', outputs: { output: 'water.md' } },
      { step_id: 'walk', outputs: { output: 'none.md' } },
    ]);
    const end = await ok('finished_step', hand('rested'));
    expect(end.all_outputs).toEqual({
      'pack.output': 'water.md',
      'walk.output': 'none.md',
      'rest.output': 'rested.md',
    });
    expect(readView(project, id).step_progress).toMatchObject({
      pack: { outputs: { output: 'water.md' } },
      walk: { outputs: { output: 'none.md' } },
      rest: { outputs: { output: 'rested.md' } },
    });
  });

  test('names on arrival the variable that the next step needs', async () => {
    verifies('GUIDE-38', 'GUIDE-22');
    const { ok } = await connect(tour().root);
    const { warnings } = await ok('start_workflow', START);
    expect(warnings.join('\n')).toMatch(/^Step 'fly' depends on 'far', which is not set/m);
    const { missingContext } = await ok('workflow_next', {
      workflowId: 'tour',
      completedSteps: [],
    });
    expect(missingContext).toEqual(['far']);
  });

  test('works over raw lines, nested in a job', async () => {
    verifies('GUIDE-38');
    const project = tour();
    writeJob(project, 'trip', { a: {}, b: {} }, { main: ['a', 'b'] });
    const wire = await openSpeakingWire(project.root);
    const call = async (name: string, args: object) => {
      wire.send(request(name, 'tools/call', { name, arguments: args }));
      return (await wire.next(1))[0]?.result.structuredContent;
    };
    await call('start_workflow', { goal: 'g', job_name: 'trip', workflow_name: 'main' });
    expect((await call('start_workflow', START)).stack).toMatchObject([
      { workflow: 'trip/main', step: 'a' },
      { workflow: 'tour/tour', step: 'pack' },
    ]);
    await call('finished_step', hand('water'));
    await call('finished_step', { outputs: {} });
    expect(await call('finished_step', hand('rested'))).toMatchObject({
      status: 'workflow_complete',
      stack: [{ workflow: 'trip/main', step: 'a' }],
    });
  });

  test('is hidden by a job of the same name', async () => {
    verifies('GUIDE-38');
    const project = tour();
    writeJob(project, 'tour', { a: {} }, { main: ['a'] });
    const { ok } = await connect(project.root);
    const args = { ...START, workflow_name: 'main' };
    expect(await ok('start_workflow', args)).toMatchObject({ begin_step: { step_id: 'a' } });
    expect(await ok('workflow_get', { id: 'tour' })).toMatchObject({ version: '2.1.0' });
  });

  test('follows an edit of its file, and reports it', async () => {
    verifies('GUIDE-40');
    const project = tour();
    const { ok } = await connect(project.root);
    await ok('start_workflow', START);
    const steps = TOUR.steps as readonly Record<string, unknown>[];
    const edited = steps.map((each) => ({ ...each, prompt: `New: ${each.prompt}` }));
    writeGuide(project, 'tour', { ...TOUR, steps: edited });
    expect(await ok('finished_step', hand('water'))).toMatchObject({
      begin_step: { step_id: 'walk', step_instructions: 'New: Walk.' },
      warnings: [
        "the file of 'tour' was edited during this run; the run follows the new definition.",
        "Step 'fly' was skipped: it depends on 'far', which is not set in `context`.",
      ],
    });
  });

  test('whose step or file is gone is refused, with the next move', async () => {
    verifies('GUIDE-40', 'GUIDE-3');
    const project = tour();
    const { ok, call } = await connect(project.root);
    await ok('start_workflow', START);
    await ok('finished_step', hand('water'));
    const steps = TOUR.steps as readonly { id: string }[];
    const without = (id: string) => ({ ...TOUR, steps: steps.filter((each) => each.id !== id) });
    const gone = {
      code: -32005,
      message: 'State error',
      data: { workflowId: 'tour', stepId: 'walk' },
    };
    const expectGone = async () => {
      for (const [tool, args] of [
        ['finished_step', { outputs: {} }],
        ['get_active_workflow', {}],
      ] as const) {
        const answer = await call(tool, args);
        expect(answer.isError, answer.text).toBe(true);
        expect(answer.data.error).toMatchObject(gone);
        expect(nextOf(answer)).toMatch(/step 'walk'.*go_to_step.*abort_workflow/);
      }
    };
    writeGuide(project, 'tour', without('walk'));
    await expectGone();
    rmSync(project.path(`${FOLDER}/tour.json`));
    await expectGone();
    writeGuide(project, 'tour', '{');
    const broken = await call('finished_step', { outputs: {} });
    expect(broken.data.error).toMatchObject({ code: -32002, data: { workflowId: 'tour' } });
    expect(nextOf(broken)).toMatch(/fix .*tour\.json \(`deepwork lint`/);
    // The next move works: back to a step that still exists.
    writeGuide(project, 'tour', without('walk'));
    expect(await ok('go_to_step', { step_id: 'pack' })).toMatchObject({
      begin_step: { step_id: 'pack' },
    });
    expect(await ok('finished_step', hand('water'))).toMatchObject({
      begin_step: { step_id: 'rest' },
    });
    rmSync(project.path(`${FOLDER}/tour.json`));
    expect(await ok('abort_workflow', { explanation: 'Gone' })).toMatchObject({
      aborted_step: 'rest',
    });
  });

  test('cannot be started from a broken file, and stops a rule that does not end', async () => {
    verifies('GUIDE-38');
    const slow = { type: 'regex', pattern: '^(a+)+$', message: 'm' };
    const project = guideProject({
      broken: workflow({ id: 'broken', loop: 1 }),
      slow: oneStep('slow', { validationCriteria: [slow] }),
    });
    project.write('long.md', `${'a'.repeat(50)}!`);
    const { ok, call } = await connect(project.root);
    const start = (job_name: string) => call('start_workflow', { ...START, job_name });
    expect((await start('broken')).data.error).toMatchObject({
      code: -32002,
      data: { workflowId: 'broken', problems: [{ message: 'Not supported: loop' }] },
    });
    expect(readRefusal(await start('ghost'))).toMatchObject({ code: 'job_not_found' });
    expect((await start('slow')).isError).toBe(false);
    expect((await call('finished_step', hand('long'))).data.error).toMatchObject({
      code: -32004,
      data: { workflowId: 'slow', stepId: 'first', rule: '/validationCriteria/0' },
    });
    expect(await ok('get_active_workflow')).toMatchObject({ active: true });
  });
});

describe('a job as a guide', () => {
  const output = (rules: unknown) => ({ type: 'file', description: 'd', required: true, rules });

  function report(): Project {
    const project = newProject();
    writeJob(
      project,
      'report',
      {
        plan: {
          outputs: { plan: output([rule('steps'), rule('dates', { condition: { var: 'long' } })]) },
        },
        text: {
          outputs: { body: output(rule('facts')), notes: output(rule('sources')), free: 'file?' },
          reviews: [REVIEW],
        },
        pictures: { when: { var: 'pictures' }, outputs: { free: 'file?' } },
        print: {},
      },
      { main: ['plan', ['text', 'pictures'], 'print'], short: ['plan'] },
    );
    return project;
  }

  test('is shown as one, with its instructions as prompts', async () => {
    verifies('GUIDE-38');
    const { ok, fails } = await openGuides(report());
    const shown = (id: string, more: object = {}) => ({
      id,
      title: `Step ${id}`,
      prompt: `Do ${id} now.\n`,
      ...more,
    });
    expect(await ok('workflow_get', { id: 'report/main' })).toEqual({
      id: 'report/main',
      name: 'main',
      description: 'Runs main',
      version: '1.0.0',
      category: 'job',
      steps: [
        shown('plan'),
        shown('text'),
        shown('pictures', { runCondition: { var: 'pictures' } }),
        shown('print'),
      ],
    });
    const { workflows } = await ok('workflow_list');
    expect(workflows.filter(({ id }: { id: string }) => id.includes('report'))).toEqual([]);
    for (const id of ['report', 'report/ghost', 'ghost/main', 'report/main/x']) {
      expect(await fails('workflow_get', { id })).toMatchObject({
        code: -32001,
        data: { workflowId: id },
      });
    }
  });

  test('is followed one step at a time, with rules, then reviews, as criteria', async () => {
    verifies('GUIDE-38', 'GUIDE-39');
    const { ok } = await openGuides(report());
    const next = (completedSteps: string[], context: object = {}) =>
      ok('workflow_next', { workflowId: 'report/main', completedSteps, context });
    expect(await next([], { long: true })).toMatchObject({
      step: { id: 'plan' },
      guidance: {
        prompt: 'Do plan now.\n',
        requiresConfirmation: false,
        validationCriteria: ['Say steps', 'Say dates'],
      },
    });
    expect((await next([])).guidance.validationCriteria).toEqual(['Say steps']);
    expect(await next(['plan'])).toMatchObject({
      step: { id: 'text' },
      guidance: { validationCriteria: ['Say facts', 'Say sources', 'It is good'] },
    });
    expect(await next(['plan', 'text'])).toMatchObject({
      step: { id: 'print' },
      skippedSteps: [{ id: 'pictures', condition: { var: 'pictures' } }],
      missingContext: ['pictures'],
    });
    expect((await next(['plan', 'text'], { pictures: 1 })).step.id).toBe('pictures');
    expect(await next(['plan', 'text', 'print'], { pictures: 0 })).toMatchObject({
      step: null,
      isComplete: true,
    });
  });

  test('validates the named output, without reviews', async () => {
    verifies('GUIDE-39');
    const { ok, fails } = await openGuides(report());
    const params = (stepId: string, more: object) => ({
      workflowId: 'report/main',
      stepId,
      ...more,
    });
    const validate = (stepId: string, more: object) =>
      ok('workflow_validate', params(stepId, more));
    expect(await validate('plan', { output: 'no' })).toMatchObject({ issues: ['Say steps'] });
    expect(await validate('plan', { output: 'steps', context: { long: 1 } })).toMatchObject({
      issues: ['Say dates'],
    });
    expect(await fails('workflow_validate', params('text', { output: 'facts' }))).toMatchObject({
      code: -32602,
      message: 'Invalid params: outputName is required, one of: body, notes',
      data: { field: 'outputName' },
    });
    const passed = { valid: true, issues: [], suggestions: [] };
    expect(await validate('text', { output: 'facts', outputName: 'body' })).toEqual(passed);
    expect(await validate('text', { output: 'facts', outputName: 'notes' })).toMatchObject({
      issues: ['Say sources'],
    });
    expect(await validate('text', { output: 'x', outputName: 'free' })).toEqual(passed);
    expect(await validate('print', { output: 'x' })).toEqual(passed);
    expect(await validate('print', { output: ' ' })).toMatchObject({ valid: false });
    const ghost = params('text', { output: 'x', outputName: 'ghost' });
    expect(await fails('workflow_validate', ghost)).toMatchObject({ code: -32602 });
    expect(await fails('workflow_validate', params('ghost', { output: 'x' }))).toMatchObject({
      code: -32003,
    });
  });

  test('that is broken, unreadable or slow fails like a guide', async () => {
    verifies('GUIDE-38', 'GUIDE-3');
    const project = report();
    project.write('.deepwork/jobs/odd/job.yml', 'name: odd\nversion: 1\ncolour: red\n');
    const slow = { type: 'regex', pattern: '^(a+)+$', message: 'm' };
    writeJob(project, 'slow', { a: { outputs: { notes: output([slow]) } } }, { main: ['a'] });
    const { ok, fails } = await openGuides(project);
    expect(await fails('workflow_get', { id: 'odd/main' })).toMatchObject({
      code: -32002,
      data: {
        workflowId: 'odd/main',
        file: project.path('.deepwork/jobs/odd/job.yml'),
        problems: expect.arrayContaining([
          { line: 3, column: 1, path: '', message: expect.stringContaining('colour') },
        ]),
      },
    });
    const output1 = { workflowId: 'slow/main', stepId: 'a', output: `${'a'.repeat(50)}!` };
    expect(await fails('workflow_validate', output1)).toMatchObject({
      code: -32004,
      data: { workflowId: 'slow/main', stepId: 'a', rule: '/outputs/notes/rules/0' },
    });
    await ok('workflow_get', { id: 'report/short' });
    rmSync(project.path('.deepwork/jobs/report/steps/plan.md'));
    expect((await fails('workflow_get', { id: 'report/short' })).code).toBe(-32002);
  });

  test('runs its rules before its reviews, and evaluates its conditions on the context', async () => {
    verifies('GUIDE-39');
    const project = report();
    project.write('plan.md', 'steps');
    project.write('bad.md', 'nothing');
    script(project, { answer: PASS });
    project.write('good.md', 'facts and sources');
    const { ok } = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
    await ok('start_workflow', { goal: 'g', job_name: 'report', workflow_name: 'main' });
    await ok('finished_step', { outputs: { plan: 'plan.md' } });
    const bad = { body: 'bad.md', notes: 'good.md' };
    expect(await ok('finished_step', { outputs: bad, context: { pictures: true } })).toMatchObject({
      status: 'needs_work',
      failed_reviews: null,
      failed_criteria: [{ criterion: 'Say facts' }],
    });
    expect(seen(project), 'no reviewer was asked').toEqual([]);
    const override = { quality_review_override_reason: 'In a hurry' };
    expect(await ok('finished_step', { outputs: bad, ...override })).toMatchObject({
      status: 'needs_work',
      failed_criteria: [{ criterion: 'Say facts' }],
    });
    const good = { body: 'good.md', notes: 'good.md' };
    await ok('finished_step', { outputs: good });
    expect(seen(project)).toHaveLength(1);
  });
});
