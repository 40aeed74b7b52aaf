// What counts as a weaker gate where two demands look alike, and how long the word of a person
// about one holds.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

function define(project: Project, write: StepSpec): void {
  const steps = {
    write: { outputs: { report: 'file' }, ...write },
    after: { outputs: { proof: 'file' }, reviews: [REVIEW] },
  };
  writeJob(project, 'work', steps, { main: ['write', 'after'] });
}

async function running(rule: 'agent' | 'person', write: StepSpec) {
  const project = newProject({
    'report.md': 'R\n',
    '.deepwork/config.yml': `git: {branch: off}\nquality_gate: {overrides: ${rule}}\nteam: {question_wait_seconds: 1}\n`,
  });
  define(project, write);
  const env = { HOME: newHome() };
  const agent = await connect(project.root, { args: ['--trust'], env });
  const { begin_step } = await agent.ok('start_workflow', START);
  /** What the history says, oldest first. */
  const weakened = (): { what: string; granted?: object }[] =>
    readView(project, begin_step.session_id).history.filter(
      ({ event }: { event: string }) => event === 'gate_weakened',
    );
  const grant = (question: string) =>
    command(['answer', question, '--choose', 'Grant', '--by', 'ann', '--path', project.root], {
      cwd: project.root,
      env,
    });
  return { project, agent, weakened, grant };
}

test('of two reviews of the same output the one that was removed is missed', async () => {
  const second = { run_each: 'report', quality_criteria: { true: 'It is true' } };
  const first = { run_each: 'report', quality_criteria: { true: 'It is true', short: 'Short' } };
  const { project, agent, weakened } = await running('agent', { reviews: [first, second] });
  define(project, { reviews: [first] });
  await agent.ok('finished_step', REPORT);
  expect(weakened().map(({ what }) => what)).toEqual([
    "review of 'report' (2) was removed",
    "criterion 'true' of the review of 'report' (2) was removed",
  ]);
});

test('a long check that was changed only near its end counts as changed', async () => {
  const check = (end: string) => ({ name: 'long', run: `true ${'x'.repeat(200)} ${end}` });
  const { project, agent, weakened } = await running('agent', { checks: [check('a')] });
  define(project, { checks: [check('b')] });
  await agent.ok('finished_step', REPORT);
  expect(weakened()).toEqual([
    expect.objectContaining({ what: expect.stringContaining("check 'long' was changed") }),
  ]);
});

test('a granted weakening is asked about and recorded anew when it happens a second time', async () => {
  const strict = { checks: [{ name: 'lint', run: 'exit 1' }] };
  const { project, agent, weakened, grant } = await running('person', strict);
  const asks = async (outputs: Record<string, string>): Promise<string> => {
    const answer = await agent.ok('finished_step', { outputs });
    expect(answer).toMatchObject({ reason: 'waiting_for_person' });
    return /q-\d+/.exec(answer.feedback)?.[0] ?? '';
  };
  define(project, {});
  const first = await asks(REPORT.outputs);
  expect(await grant(first)).toMatchObject({ code: 0 });
  expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  const proof = { proof: 'report.md' };
  define(project, strict);
  expect(await agent.ok('finished_step', { outputs: proof })).toMatchObject({
    reason: 'self_review',
  });
  define(project, {});
  expect(await asks(proof)).not.toBe(first);
  expect(weakened().map(({ granted }) => granted !== undefined)).toEqual([false, true, false]);
});
