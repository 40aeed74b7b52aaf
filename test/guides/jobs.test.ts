// Guides and jobs in place of each other: a guide as a durable session, and a job's workflow
// followed as a guide.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
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
const FAR = { var: 'far' };
const SLOW = { type: 'regex', pattern: '^(a+)+$', message: 'm' };
const STEPS = [
  step({
    id: 'pack',
    title: 'Pack',
    agentRole: 'You are a careful packer.',
    guidance: ['Less is more'],
    preface: 'First.',
    prompt: 'Pack your things.',
    modelHint: 'model-small',
    requireConfirmation: FAR,
    validationCriteria: [
      rule('water', { suggestion: 'Take some' }),
      rule('tent', { condition: FAR }),
    ],
  }),
  step({ id: 'fly', title: 'Fly', runCondition: FAR }),
  step({ id: 'walk', title: 'Walk', prompt: 'Walk.' }),
  step({ id: 'rest', title: 'Rest', validationCriteria: rule('rested') }),
];
const TOUR = workflow({
  id: 'tour',
  version: '2.1.0',
  preconditions: ['A map'],
  metaGuidance: ['Walk slowly'],
  steps: STEPS,
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

const hand = (name: string) => ({ outputs: { output: `${name}.md` } });

describe.each(ERAS)('a guide as a session (%s)', (era) => {
  test('gives what workflow_next gives', async () => {
    verifies('GUIDE-38');
    const project = tour();
    const { ok } = await connect(project.root, { era });
    const context = { far: true };
    const { begin_step, stack } = await ok('start_workflow', { ...START, context });
    const next = await ok('workflow_next', { workflowId: 'tour', completedSteps: [], context });
    const { session_id } = begin_step;
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
    expect(next.guidance.prompt).toMatch(/^## Agent Role .*First\. Pack your things\.$/s);
    expect(begin_step.step_quality_criteria).toEqual(['Say water', 'Say tent']);
    expect(begin_step.common_job_info).toContain('Walk slowly');
    expect(stack).toEqual([{ workflow: 'tour/tour', step: 'pack', session_id }]);
  });

  test('continues when an output meets its criteria, and skips steps that do not apply', async () => {
    verifies('GUIDE-38');
    const project = tour();
    const { ok, refused } = await connect(project.root, { era });
    const { begin_step: first } = await ok('start_workflow', START);
    expect(await refused('finished_step', { outputs: {} })).toContain('output');
    expect(await ok('finished_step', hand('none'))).toMatchObject({
      status: 'needs_work',
      feedback: 'Say water\nReview validation criteria and adjust output accordingly.\nTake some',
      failed_criteria: [{ criterion: 'Say water', passed: false }],
    });
    const far = { ...hand('water'), context: { far: true } };
    expect(await ok('finished_step', far), 'context is merged').toMatchObject({
      failed_criteria: [{ criterion: 'Say tent' }],
    });
    const blank = await ok('finished_step', hand('blank'));
    expect(blank.feedback).toBe('Output is empty or invalid.\nProvide valid output content.');
    const near = { ...hand('water'), context: { far: false } };
    expect(await ok('finished_step', near)).toMatchObject({
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
    expect(await ok('finished_step', hand('none'))).toMatchObject({
      begin_step: { step_id: 'rest' },
    });
    expect(await ok('finished_step', hand('rested'))).toMatchObject({
      status: 'workflow_complete',
      summary: "Workflow 'tour' completed successfully!",
      all_outputs: {
        'pack.output': 'water.md',
        'walk.output': 'none.md',
        'rest.output': 'rested.md',
      },
    });
    expect(readView(project, first.session_id).step_progress).toMatchObject({
      pack: { outputs: { output: 'water.md' } },
      walk: { outputs: { output: 'none.md' } },
      rest: { outputs: { output: 'rested.md' } },
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

  test('names on arrival the variable that the next step needs', async () => {
    verifies('GUIDE-38', 'GUIDE-22');
    const { ok } = await connect(tour().root);
    const { warnings } = await ok('start_workflow', START);
    expect(warnings.join('\n')).toMatch(/'fly'.*'far'/);
    const next = await ok('workflow_next', { workflowId: 'tour', completedSteps: [] });
    expect(next.missingContext).toEqual(['far']);
  });

  test('works over raw lines, nested in a job, and is hidden by a job of the same name', async () => {
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
    writeJob(project, 'tour', { a: {} }, { main: ['a'] });
    const job = await call('start_workflow', { ...START, workflow_name: 'main' });
    expect(job).toMatchObject({ begin_step: { step_id: 'a' } });
    expect(await call('workflow_get', { id: 'tour' })).toMatchObject({ version: '2.1.0' });
  });

  test('whose step or file is gone is refused by a code of its own, and can go back', async () => {
    verifies('GUIDE-40', 'GUIDE-3');
    const project = tour();
    const { ok, call } = await connect(project.root);
    await ok('start_workflow', START);
    await ok('finished_step', hand('water'));
    const withoutWalk = { ...TOUR, steps: STEPS.filter(({ id }) => id !== 'walk') };
    const data = { workflowId: 'tour', stepId: 'walk' };
    writeGuide(project, 'tour', withoutWalk);
    for (const [tool, args] of [
      ['finished_step', { outputs: {} }],
      ['get_active_workflow', {}],
    ] as const) {
      const answer = await call(tool, args);
      expect(answer).toMatchObject({ isError: true, data: { error: { code: -32005, data } } });
      expect(answer.data.error.next).toMatch(/go_to_step.*abort_workflow/);
    }
    expect(await ok('go_to_step', { step_id: 'pack' })).toMatchObject({
      begin_step: { step_id: 'pack' },
    });
    rmSync(project.path(`${FOLDER}/tour.json`));
    expect(await ok('abort_workflow', { explanation: 'Gone' })).toMatchObject({
      aborted_step: 'pack',
    });
  });

  test('cannot be started from a broken file, and stops a rule that does not end', async () => {
    verifies('GUIDE-38');
    const project = guideProject({
      broken: workflow({ id: 'broken', loop: 1 }),
      slow: oneStep('slow', { validationCriteria: [SLOW] }),
    });
    project.write('long.md', `${'a'.repeat(50)}!`);
    const { ok, call } = await connect(project.root);
    const start = (job_name: string) => call('start_workflow', { ...START, job_name });
    const broken = { workflowId: 'broken', problems: [{ path: '/loop' }] };
    expect((await start('broken')).data.error).toMatchObject({ code: -32002, data: broken });
    expect(readRefusal(await start('ghost'))).toMatchObject({ code: 'job_not_found' });
    expect((await start('slow')).isError).toBe(false);
    const slow = { workflowId: 'slow', stepId: 'first', rule: '/validationCriteria/0' };
    const { error } = (await call('finished_step', hand('long'))).data;
    expect(error).toMatchObject({ code: -32004, data: slow });
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

  test('is shown as one, with its instructions as prompts, and followed one step at a time', async () => {
    verifies('GUIDE-38', 'GUIDE-39');
    const { ok, fails } = await openGuides(report());
    const pictures = { var: 'pictures' };
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
        shown('pictures', { runCondition: pictures }),
        shown('print'),
      ],
    });
    const { workflows } = await ok('workflow_list');
    const listed = workflows.filter(({ id }: { id: string }) => id.includes('report'));
    expect(listed).toEqual([]);
    for (const id of ['report', 'report/ghost', 'ghost/main', 'report/main/x']) {
      const error = { code: -32001, data: { workflowId: id } };
      expect(await fails('workflow_get', { id })).toMatchObject(error);
    }
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
      skippedSteps: [{ id: 'pictures', condition: pictures }],
      missingContext: ['pictures'],
    });
    expect((await next(['plan', 'text'], { pictures: 1 })).step.id).toBe('pictures');
    expect((await next(['plan', 'text', 'print'], { pictures: 0 })).isComplete).toBe(true);
  });

  test('validates the named output, without reviews', async () => {
    verifies('GUIDE-39');
    const { ok, fails } = await openGuides(report());
    const params = (stepId: string, more: object) => ({
      workflowId: 'report/main',
      stepId,
      ...more,
    });
    for (const [stepId, more, ...issues] of [
      ['plan', { output: 'no' }, 'Say steps'],
      ['plan', { output: 'steps', context: { long: 1 } }, 'Say dates'],
      ['text', { output: 'facts', outputName: 'body' }],
      ['text', { output: 'facts', outputName: 'notes' }, 'Say sources'],
      ['text', { output: 'x', outputName: 'free' }],
      ['print', { output: 'x' }],
    ] as const) {
      const verdict = await ok('workflow_validate', params(stepId, more));
      expect(verdict).toMatchObject({ valid: issues.length === 0, issues });
    }
    const blank = await ok('workflow_validate', params('print', { output: ' ' }));
    expect(blank).toMatchObject({ valid: false });
    for (const [stepId, more, code, data] of [
      ['text', {}, -32602, { field: 'outputName' }],
      ['text', { outputName: 'ghost' }, -32602, { field: 'outputName' }],
      ['ghost', {}, -32003, { stepId: 'ghost' }],
    ] as const) {
      const failure = await fails('workflow_validate', params(stepId, { output: 'x', ...more }));
      expect(failure).toMatchObject({ code, data });
    }
  });

  test('that is broken, unreadable or slow fails like a guide', async () => {
    verifies('GUIDE-38', 'GUIDE-3');
    const project = report();
    project.write('.deepwork/jobs/odd/job.yml', 'name: odd\nversion: 1\ncolour: red\n');
    writeJob(project, 'slow', { a: { outputs: { notes: output([SLOW]) } } }, { main: ['a'] });
    const { ok, fails } = await openGuides(project);
    const colour = { line: 3, column: 1, path: '', message: expect.stringContaining('colour') };
    expect(await fails('workflow_get', { id: 'odd/main' })).toMatchObject({
      code: -32002,
      data: {
        workflowId: 'odd/main',
        file: project.path('.deepwork/jobs/odd/job.yml'),
        problems: expect.arrayContaining([colour]),
      },
    });
    const slow = { workflowId: 'slow/main', stepId: 'a' };
    const long = { ...slow, output: `${'a'.repeat(50)}!` };
    expect(await fails('workflow_validate', long)).toMatchObject({
      code: -32004,
      data: { ...slow, rule: '/outputs/notes/rules/0' },
    });
    await ok('workflow_get', { id: 'report/short' });
    rmSync(project.path('.deepwork/jobs/report/steps/plan.md'));
    expect((await fails('workflow_get', { id: 'report/short' })).code).toBe(-32002);
  });

  test('runs its rules before its reviews, and no override passes a rule', async () => {
    verifies('GUIDE-39');
    const project = report();
    for (const [name, text] of Object.entries({
      plan: 'steps',
      bad: 'nothing',
      good: 'facts and sources',
    })) {
      project.write(`${name}.md`, text);
    }
    script(project, { answer: PASS });
    const { ok } = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
    await ok('start_workflow', { goal: 'g', job_name: 'report', workflow_name: 'main' });
    await ok('finished_step', { outputs: { plan: 'plan.md' } });
    const outputs = { body: 'bad.md', notes: 'good.md' };
    for (const more of [{}, { quality_review_override_reason: 'In a hurry' }]) {
      expect(await ok('finished_step', { outputs, ...more })).toMatchObject({
        status: 'needs_work',
        failed_reviews: null,
        failed_criteria: [{ criterion: 'Say facts' }],
      });
    }
    expect(seen(project), 'no reviewer was asked').toEqual([]);
    await ok('finished_step', { outputs: { body: 'good.md', notes: 'good.md' } });
    expect(seen(project)).toHaveLength(1);
  });
});
