// quality_gate.overrides: who may skip reviews. The agent by a reason; or only a person, who is
// asked; or no one.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { FAIL, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const OVERRIDE = { ...REPORT, quality_review_override_reason: 'The reviewer is wrong' };

const VERDICT = { ...REPORT, quality_review_override_reason: 'The subagent says PASSED' };

function reviewed(rule: string): Project {
  const project = newProject({
    'report.md': 'The report.\n',
    '.deepwork/config.yml': `git: {branch: off}\nquality_gate: {overrides: ${rule}}\nteam: {question_wait_seconds: 1}\n`,
  });
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, reviews: [REVIEW] }, after: {} },
    { main: ['write', 'after'] },
  );
  script(project, { answer: FAIL });
  return project;
}

async function started(project: Project, ...args: string[]) {
  const home = newHome();
  const agent = await connect(project.root, { args, env: { HOME: home } });
  const { begin_step } = await agent.ok('start_workflow', START);
  const answer = (question: string, choice: string) =>
    command(['answer', question, '--choose', choice, '--by', 'ann', '--path', project.root], {
      cwd: project.root,
      env: { HOME: home },
    });
  const questions = () =>
    command(['answer', '--path', project.root], { cwd: project.root, env: { HOME: home } });
  return { agent, answer, questions, id: begin_step.session_id as string };
}

function readState(project: Project) {
  return JSON.parse(readFileSync(project.path('.sgai/state.json'), 'utf8'));
}

/** The code with which the verdict of a self-review begins. */
function codeIn(project: Project, id: string, step = 'write'): string {
  const file = project.path(`.deepwork/tmp/quality_review_${id}_${step}.md`);
  return /`([0-9a-f]{8})`/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'none';
}

/** What the review of the step said about the report. */
const said = (project: Project, id: string, verdict: string) => ({
  ...REPORT,
  quality_review_override_reason: `${codeIn(project, id)} ${verdict}`,
});

const BY_COMMAND = ['--quality-gate', REVIEW_COMMAND];

/** Overrides and expects that a person is asked; returns the question's id. */
async function asks(agent: Connection, call: Record<string, unknown> = OVERRIDE): Promise<string> {
  const { status, reason, feedback } = await agent.ok('finished_step', call);
  expect({ status, reason, feedback }).toEqual({
    status: 'needs_work',
    reason: 'waiting_for_person',
    feedback: expect.stringMatching(/A person was asked.*q-\d+.*call finished_step again/s),
  });
  return /q-\d+/.exec(feedback)?.[0] ?? '';
}

test('agent: a reason is enough, and is recorded', async () => {
  const project = reviewed('agent');
  const { agent, id } = await started(project, ...BY_COMMAND);
  const { status, reason, warnings } = await agent.ok('finished_step', OVERRIDE);
  expect({ status, reason, warnings }).toEqual({
    status: 'next_step',
    reason: null,
    warnings: ["The reviews of step 'write' were skipped by the agent: The reviewer is wrong"],
  });
  expect(readView(project, id).history).toContainEqual(
    expect.objectContaining({ event: 'review_overridden', reason: 'The reviewer is wrong' }),
  );
});

test('agent: a skipped review of a concurrent step is named in the answer that accepts it', async () => {
  const project = reviewed('agent');
  const step = (output: string) => ({ outputs: { [output]: 'file' }, reviews: [REVIEW] });
  writeJob(
    project,
    'work',
    { write: step('report'), draw: step('picture'), after: {} },
    { main: [['write', 'draw'], 'after'] },
  );
  project.write('picture.md', 'The picture.\n');
  const { agent } = await started(project, ...BY_COMMAND);
  const { status, warnings } = await agent.ok('finished_step', OVERRIDE);
  expect({ status, warnings }).toEqual({
    status: 'needs_work',
    warnings: ["The reviews of step 'write' were skipped by the agent: The reviewer is wrong"],
  });
  script(project, { answer: PASS });
  const last = await agent.ok('finished_step', { outputs: { picture: 'picture.md' } });
  expect([last.status, last.warnings]).toEqual(['next_step', []]);
});

test('agent: a verdict on files that changed since is named', async () => {
  const project = reviewed('agent');
  const { agent, id } = await started(project);
  await agent.ok('finished_step', REPORT);
  const verdict = said(project, id, 'PASSED');
  project.write('report.md', 'Written after the review.\n');
  const { status, warnings } = await agent.ok('finished_step', verdict);
  expect({ status, warnings }).toEqual({
    status: 'next_step',
    warnings: [
      expect.stringContaining("The reviews of step 'write' were skipped by the agent"),
      expect.stringContaining("files of step 'write' have changed since the review"),
    ],
  });
});

test('agent: a pass for the very files of which a fail was reported before is named', async () => {
  const project = reviewed('agent');
  const { agent, id } = await started(project);
  await agent.ok('finished_step', REPORT);
  const failed = await agent.ok('finished_step', said(project, id, 'FAILED'));
  expect(failed.warnings).toEqual([]);
  const passed = said(project, id, 'PASSED');
  const { status, warnings } = await agent.ok('finished_step', passed);
  expect({ status, warnings }).toEqual({
    status: 'next_step',
    warnings: ["The review of step 'write' was said to have FAILED for the same files before."],
  });
  // What was fixed and reviewed again is what a review is for.
  await agent.ok('go_to_step', { step_id: 'write' });
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', said(project, id, 'FAILED'));
  project.write('report.md', 'The fixed report.\n');
  await agent.ok('finished_step', REPORT);
  const fixed = await agent.ok('finished_step', said(project, id, 'PASSED'));
  expect(fixed.warnings).toEqual([]);
});

test('never: an override is refused, nothing runs, and a normal submission still works', async () => {
  const project = reviewed('never');
  const { agent } = await started(project, ...BY_COMMAND);
  const refusal = readRefusal(await agent.call('finished_step', OVERRIDE));
  expect(refusal.message).toBe('Reviews cannot be overridden here');
  expect(refusal.next).toContain('without quality_review_override_reason');
  expect(seen(project)).toEqual([]);
  expect((await agent.ok('finished_step', REPORT)).failed_reviews).toHaveLength(1);
});

describe('person: the override becomes a question', () => {
  test("if granted, the run continues, and the person's name is recorded", async () => {
    const project = reviewed('person');
    const { agent, answer, id } = await started(project, ...BY_COMMAND);
    const question = await asks(agent);
    expect(await asks(agent)).toBe(question);
    const shown = await answer(question, 'Grant');
    expect(shown.code, shown.stderr).toBe(0);
    const done = await agent.ok('finished_step', OVERRIDE);
    expect(done.status).toBe('next_step');
    expect(done.warnings.join()).toContain(`granted by ann (${question})`);
    expect(seen(project)).toEqual([]);
    expect(readView(project, id).history).toContainEqual(
      expect.objectContaining({
        event: 'review_overridden',
        reason: 'The reviewer is wrong',
        granted: { question, by: 'ann', route: expect.any(String) },
      }),
    );
  });

  test('if refused, it stays refused for these files', async () => {
    const project = reviewed('person');
    const { agent, answer } = await started(project, ...BY_COMMAND);
    const question = await asks(agent);
    await answer(question, 'Refuse');
    for (let times = 0; times < 2; times++) {
      const { status, reason, feedback } = await agent.ok('finished_step', OVERRIDE);
      expect({ status, reason }).toEqual({ status: 'needs_work', reason: 'reviews' });
      expect(feedback).toContain(`ann refused to skip the reviews (${question})`);
    }
  });

  test('a grant is valid for the submitted files and this arrival at the step only', async () => {
    const project = reviewed('person');
    const { agent, answer, questions } = await started(project, ...BY_COMMAND);
    const showsTheFile = async () => {
      const sha256 = createHash('sha256').update(readFileSync(project.path('report.md')));
      const shown = `outputs: report: report.md (sha256 ${sha256.digest('hex').slice(0, 12)}).`;
      expect((await questions()).stdout).toContain(shown);
    };
    const first = await asks(agent);
    await showsTheFile();
    await answer(first, 'Grant');
    project.write('report.md', 'The Report.\n');
    const second = await asks(agent);
    expect(second).not.toBe(first);
    await showsTheFile();
    await answer(second, 'Grant');
    expect((await agent.ok('finished_step', OVERRIDE)).status).toBe('next_step');
    await agent.ok('go_to_step', { step_id: 'write' });
    expect(await asks(agent)).not.toBe(second);
  });

  test.each<[string, (agent: Connection, project: Project) => Promise<unknown>]>([
    ['is aborted', (agent) => agent.ok('abort_workflow', { explanation: 'Not needed' })],
    ['goes back', (agent) => agent.ok('go_to_step', { step_id: 'write' })],
    [
      'goes on by a review that passes',
      (agent, project) => {
        script(project, { answer: PASS });
        return agent.ok('finished_step', REPORT);
      },
    ],
  ])('its question does not outlive the step: the run %s', async (_how, end) => {
    const project = reviewed('person');
    const { agent, answer, questions } = await started(project, ...BY_COMMAND);
    const question = await asks(agent);
    expect((await questions()).stdout).toContain(question);
    expect(readState(project).status).toBe('waiting-for-human');
    await end(agent, project);
    expect(readState(project).status).toBe('working');
    expect((await questions()).stdout).toBe('No open questions.\n');
    const late = await answer(question, 'Grant');
    expect(late.stderr).toContain(`Already dismissed: ${question} (by deepwork, run ended`);
  });

  test('a question left behind by a crash is not shown to people', async () => {
    const project = reviewed('person');
    const { agent, questions, id } = await started(project, ...BY_COMMAND);
    const question = await asks(agent);
    const log = project.path('.deepwork/journal/team/log.jsonl');
    const before = readFileSync(log);
    await agent.ok('abort_workflow', { explanation: 'Not needed', session_id: id });
    await agent.close();
    // As if the process had ended between the two: the dismissal is not recorded.
    writeFileSync(log, before);
    expect((await questions()).stdout).toBe('No open questions.\n');
    expect(readFileSync(log, 'utf8')).toContain(`"id":"${question}"`);
  });
});

describe('agent: the reason of a self-review', () => {
  test('with its code is a verdict, and a negative one completes nothing', async () => {
    const project = reviewed('agent');
    const { agent, id } = await started(project);
    await agent.ok('finished_step', REPORT);
    const verdict = said(project, id, 'good: it has no sources.\n**FAILED**');
    const answer = await agent.ok('finished_step', verdict);
    expect(answer).toMatchObject({
      status: 'needs_work',
      reason: 'reviews',
      feedback: expect.stringContaining(
        `It said: ${verdict.quality_review_override_reason}\nFix the outputs`,
      ),
    });
    const events = readView(project, id).history.map(({ event }: { event: string }) => event);
    expect(events).toContain('self_review_failed');
    expect(events).not.toContain('review_overridden');
  });

  test.each([
    'The subagent FAILED to start twice, so I checked it by hand',
    'It said FAILED',
    'It said PASSED',
  ])('without it skips the review, and the answer says so: %j', async (given) => {
    verifies('JOBS-REQ-001.4.9');
    const project = reviewed('agent');
    const { agent, id } = await started(project);
    await agent.ok('finished_step', REPORT);
    const { status, warnings } = await agent.ok('finished_step', {
      ...REPORT,
      quality_review_override_reason: given,
    });
    expect({ status, warnings }).toEqual({
      status: 'next_step',
      warnings: [`The reviews of step 'write' were skipped by the agent: ${given}`],
    });
    expect(readView(project, id).history).toContainEqual(
      expect.objectContaining({ event: 'review_overridden', reason: given }),
    );
  });
});

test('a verdict on a review that was never requested skips it, and the answer says so', async () => {
  const { agent } = await started(reviewed('agent'));
  const { status, warnings } = await agent.ok('finished_step', VERDICT);
  expect({ status, warnings }).toEqual({
    status: 'next_step',
    warnings: ["The reviews of step 'write' were skipped by the agent: The subagent says PASSED"],
  });
});

describe('self-review under a strict rule', () => {
  test.each(['never', 'person'])(
    '%s: ends with the verdict on exactly these files',
    async (rule) => {
      const project = reviewed(rule);
      const { agent, id } = await started(project);
      const asked = await agent.ok('finished_step', REPORT);
      expect(asked.feedback).toContain('begins with the code');
      expect(asked.reason).toBe('self_review');
      const failed = await agent.ok('finished_step', said(project, id, 'good: no. FAILED'));
      expect(failed).toMatchObject({ status: 'needs_work', reason: 'reviews' });
      expect(failed.feedback).toMatch(
        /^The review did not pass\. It said: .*good: no\. FAILED\nFix/,
      );
      const unclear = await agent.ok('finished_step', said(project, id, 'looks fine to me'));
      expect(unclear).toMatchObject({ status: 'needs_work', reason: 'self_review' });
      expect(unclear.feedback).toContain('does not say clearly');
      const stale = said(project, id, 'good: yes. PASSED');
      project.write('report.md', 'Written after the review.\n');
      if (rule === 'never') {
        expect(await agent.refused('finished_step', stale)).toContain('cannot be overridden here');
      } else await asks(agent, stale);
      expect((await agent.ok('finished_step', REPORT)).status).toBe('needs_work');
      expect((await agent.ok('finished_step', said(project, id, 'good: yes. PASSED'))).status).toBe(
        'next_step',
      );
    },
  );

  test('a code inside markup still counts as the beginning', async () => {
    const project = reviewed('never');
    const { agent, id } = await started(project);
    await agent.ok('finished_step', REPORT);
    const verdict = `**\`${codeIn(project, id)}\`**\n- good: yes\nPASSED`;
    const done = await agent.ok('finished_step', {
      ...REPORT,
      quality_review_override_reason: verdict,
    });
    expect(done.status).toBe('next_step');
  });

  test('two members need both verdicts', async () => {
    const project = reviewed('never');
    const member = (name: string) => ({ outputs: { [name]: 'file' as const }, reviews: [REVIEW] });
    writeJob(project, 'work', { one: member('a'), two: member('b') }, { main: [['one', 'two']] });
    const { agent, id } = await started(project);
    const outputs = { a: 'report.md', b: 'report.md' };
    await agent.ok('finished_step', { outputs });
    const [one, two] = ['one', 'two'].map((step) => codeIn(project, id, step));
    const says = async (quality_review_override_reason: string) =>
      (await agent.ok('finished_step', { outputs, quality_review_override_reason })).status;
    expect(await says(`${one} good: yes. PASSED\n${two} good: not looked at`)).toBe('needs_work');
    expect(await says(`${one} PASSED\n${two} good: no. FAILED`)).toBe('needs_work');
    expect(await says(`${one} PASSED\n${two} PASSED`)).toBe('workflow_complete');
  });
});

test('an invisible reason does not count', async () => {
  const project = reviewed('agent');
  const { agent } = await started(project);
  for (const unseen of [
    '\u200b',
    '\u2060\ufeff ',
    '\u3164',
    '\u00ad\u034f',
    '\u{e0020}',
    '\ufe0f\u2800',
  ]) {
    const call = { ...REPORT, quality_review_override_reason: unseen };
    expect((await agent.ok('finished_step', call)).status, JSON.stringify(unseen)).toBe(
      'needs_work',
    );
    const refusal = await agent.refused('abort_workflow', { explanation: unseen });
    expect(refusal).toContain('must not be blank');
  }
});

test('never: a reason is no trouble where reviews are switched off, since it skips none', async () => {
  const { agent } = await started(reviewed('never'), '--no-quality-gate');
  const { status, warnings } = await agent.ok('finished_step', OVERRIDE);
  expect({ status, warnings }).toEqual({ status: 'next_step', warnings: [] });
});

test('agent: a reason is recorded only where it skipped a review', async () => {
  verifies('JOBS-REQ-001.4.9');
  const project = reviewed('agent');
  const { agent, id } = await started(project);
  await agent.ok('finished_step', REPORT);
  const passed = said(project, id, 'good: yes.\nPASSED');
  const done = await agent.ok('finished_step', passed);
  expect([done.status, done.warnings]).toEqual(['next_step', []]);
  const last = await agent.ok('finished_step', { ...OVERRIDE, outputs: {} });
  expect([last.status, last.warnings]).toEqual(['workflow_complete', []]);
  const { history } = readView(project, id);
  const verdict = passed.quality_review_override_reason;
  expect(history).toContainEqual(expect.objectContaining({ event: 'self_reviewed', verdict }));
  expect(history.map(({ event }: { event: string }) => event)).not.toContain('review_overridden');
});
