// A gate that is weakened during a run: a person sees it, and if agents may not skip reviews, a
// person has to agree.

import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { readView } from '../support/saved.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const LINT = { name: 'lint', run: 'exit 1' };

const STRICT: Readonly<Record<string, StepSpec>> = {
  write: { outputs: { report: 'file', extra: 'file?' }, checks: [LINT] },
  after: { outputs: { proof: 'file' }, reviews: [REVIEW] },
};

function config(rule: string, more = ''): string {
  return `git: {branch: off}\nquality_gate: {overrides: ${rule}${more}}\nteam: {question_wait_seconds: 1}\n`;
}

function define(project: Project, steps = STRICT, main: readonly string[] = ['write', 'after']) {
  writeJob(project, 'work', steps, { main });
}

async function running(rule: string) {
  const project = newProject({ 'report.md': 'R\n', '.deepwork/config.yml': config(rule) });
  define(project);
  const env = { HOME: newHome() };
  const agent = await connect(project.root, { args: ['--trust'], env });
  const { begin_step } = await agent.ok('start_workflow', START);
  const id = begin_step.session_id as string;
  const weakened = () =>
    readView(project, id).history.filter(
      ({ event }: { event: string }) => event === 'gate_weakened',
    );
  const answer = (question: string, choice: string) =>
    command(['answer', question, '--choose', choice, '--by', 'ann', '--path', project.root], {
      cwd: project.root,
      env,
    });
  return { project, agent, answer, weakened };
}

describe('agent: every weakening is named and recorded', () => {
  test.each<[string, Record<string, StepSpec>, string[], string | null, string]>([
    [
      'a check that was removed',
      { ...STRICT, write: { outputs: { report: 'file' } } },
      ['write', 'after'],
      'write',
      "check 'lint' was removed (was: exit 1)",
    ],
    [
      'a check that was changed',
      { ...STRICT, write: { outputs: { report: 'file' }, checks: [{ ...LINT, run: 'true' }] } },
      ['write', 'after'],
      'write',
      "check 'lint' was changed: exit 1 → true",
    ],
    [
      'a review of a later step',
      { write: { outputs: { report: 'file' }, checks: [] }, after: { outputs: { proof: 'file' } } },
      ['write', 'after'],
      'after',
      "review of 'step' was removed",
    ],
    [
      'an output that is no longer required',
      {
        write: { outputs: { report: 'file' } },
        after: { ...STRICT.after, outputs: { proof: 'file?' } },
      },
      ['write', 'after'],
      'after',
      "output 'proof' is no longer required",
    ],
    [
      'a later step that was removed',
      { write: { outputs: { report: 'file' } }, end: {} },
      ['write', 'end'],
      'after',
      'the step was removed',
    ],
  ])('%s', async (_what, steps, main, step_id, what) => {
    const { project, agent, weakened } = await running('agent');
    define(project, steps, main);
    const answer = await agent.ok('finished_step', REPORT);
    expect(answer.status).toBe('next_step');
    expect(answer.warnings.join('\n')).toContain(what);
    expect(weakened()).toContainEqual(expect.objectContaining({ step_id, what }));
    const known = weakened().length;
    await agent.call('finished_step', { outputs: { proof: 'report.md' } });
    expect(weakened()).toHaveLength(known);
  });

  test('rules that were changed are named in the plural', async () => {
    const { project, agent } = await running('agent');
    const ruled = (value: string) => {
      const rules = [{ type: 'contains', value, message: 'Say it' }];
      const report = { type: 'file', description: 'd', required: true, rules };
      define(project, { ...STRICT, write: { outputs: { report } } });
    };
    ruled('R');
    await agent.ok('finished_step', REPORT);
    await agent.ok('start_workflow', START);
    ruled('');
    const { warnings } = await agent.ok('finished_step', REPORT);
    expect(warnings.join('\n')).toContain("step 'write': rules of output 'report' were changed");
  });

  test('a stricter gate is not reported', async () => {
    const { project, agent, weakened } = await running('agent');
    define(project, { ...STRICT, write: { ...STRICT.write, reviews: [REVIEW] } });
    const answer = await agent.ok('finished_step', REPORT);
    expect(answer.status).toBe('needs_work');
    expect(weakened()).toEqual([]);
  });

  test('settings count, too', async () => {
    const { project, agent, weakened } = await running('agent');
    define(project, { ...STRICT, write: { outputs: { report: 'file' } } });
    project.write('.deepwork/config.yml', config('agent', ', default_max_attempts: 50'));
    await agent.ok('finished_step', REPORT);
    expect(weakened()).toContainEqual(
      expect.objectContaining({ step_id: null, what: 'attempts at a review: 3 → 50' }),
    );
  });
});

test('a weakening of a finished step is not forgotten', async () => {
  const { project, agent, weakened } = await running('agent');
  define(project, { ...STRICT, write: { ...STRICT.write, checks: [{ ...LINT, run: 'true' }] } });
  await agent.ok('finished_step', REPORT);
  define(project, { ...STRICT, write: { outputs: { report: 'file' } } });
  await agent.call('finished_step', { outputs: { proof: 'report.md' } });
  expect(weakened().at(-1)).toMatchObject({
    step_id: 'write',
    what: "check 'lint' was removed (was: true)",
  });
});

test('never: the step waits until the definition is restored', async () => {
  const { project, agent, weakened } = await running('never');
  define(project, { ...STRICT, write: { outputs: { report: 'file' } } });
  for (let times = 0; times < 2; times++) {
    const refusal = readRefusal(await agent.call('finished_step', REPORT));
    expect(refusal).toMatchObject({ code: 'gate_weakened' });
    expect(refusal.message).toContain("step 'write': check 'lint' was removed");
    expect(refusal.next).toMatch(/restore/i);
  }
  expect(weakened()).toHaveLength(1);
  // Loosening the rule itself does not help.
  project.write('.deepwork/config.yml', config('agent'));
  expect(readRefusal(await agent.call('finished_step', REPORT)).code).toBe('gate_weakened');
  define(project);
  project.write('.deepwork/config.yml', config('never'));
  expect((await agent.ok('finished_step', REPORT)).failed_criteria[0].criterion).toBe('lint');
});

const THREE: Readonly<Record<string, StepSpec>> = {
  write: { outputs: { report: 'file' } },
  audit: { outputs: { proof: 'file' }, checks: [LINT] },
  publish: { outputs: { note: 'file' } },
};
const IN_ORDER = ['write', 'audit', 'publish'];

describe('never: no step can be skipped by reordering the steps', () => {
  async function atWrite() {
    const run = await running('never');
    await run.agent.ok('abort_workflow', { explanation: 'Another job is needed' });
    define(run.project, THREE, IN_ORDER);
    await run.agent.ok('start_workflow', START);
    return run;
  }

  test('the current step is made the last one', async () => {
    const { project, agent } = await atWrite();
    define(project, THREE, ['audit', 'publish', 'write']);
    const refusal = readRefusal(await agent.call('finished_step', REPORT));
    expect(refusal).toMatchObject({ code: 'gate_weakened' });
    expect(refusal.message).toContain('the steps are in another order');
    define(project, THREE, IN_ORDER);
    const { begin_step } = await agent.ok('finished_step', REPORT);
    expect(begin_step.step_id).toBe('audit');
  });

  test.each([
    ['put before the current one', ['publish', 'write', 'audit']],
    ['put in place of the current one', ['publish', 'audit']],
  ])('a later step is %s for the time of a go_to_step', async (_how, order) => {
    const { project, agent } = await atWrite();
    define(project, THREE, order);
    const refusal = readRefusal(await agent.call('go_to_step', { step_id: 'publish' }));
    expect(refusal).toMatchObject({ code: 'gate_weakened' });
    define(project, THREE, IN_ORDER);
    expect((await agent.ok('go_to_step', { step_id: 'write' })).begin_step.step_id).toBe('write');
  });
});

test('agent: a move by reordering the steps is recorded', async () => {
  const { project, agent, weakened } = await running('agent');
  define(project, STRICT, ['after', 'write']);
  await agent.ok('go_to_step', { step_id: 'after' });
  expect(weakened()).toContainEqual(
    expect.objectContaining({ step_id: null, what: 'the steps are in another order' }),
  );
});

test('person: a person is asked, and a grant is valid for this run', async () => {
  const { project, agent, answer, weakened } = await running('person');
  define(project, { ...STRICT, write: { outputs: { report: 'file' } } });
  const asked = await agent.ok('finished_step', REPORT);
  expect(asked).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
  const [question = ''] = /q-\d+/.exec(asked.feedback) ?? [];
  expect(asked.feedback).toContain("check 'lint' was removed");
  const granted = await answer(question, 'Grant');
  expect(granted.code, granted.stderr).toBe(0);
  expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  expect(weakened().at(-1)).toMatchObject({ granted: { question, by: 'ann' } });
});

test('person: a refused weakening stays refused', async () => {
  const { project, agent, answer } = await running('person');
  define(project, { ...STRICT, write: { outputs: { report: 'file' } } });
  const asked = await agent.ok('finished_step', REPORT);
  const [question = ''] = /q-\d+/.exec(asked.feedback) ?? [];
  await answer(question, 'Refuse');
  const refusal = readRefusal(await agent.call('finished_step', REPORT));
  expect(refusal.code).toBe('gate_weakened');
  expect(refusal.message).toContain(`ann refused it (${question})`);
  expect(refusal.next).toMatch(/restore/i);
});
