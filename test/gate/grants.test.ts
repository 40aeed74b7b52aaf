// What a person is asked about a review: for how long a call waits, and for what exactly an
// answer counts.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, REVIEW, writeJob } from '../support/project.ts';
import { FAIL, REVIEW_COMMAND, script } from '../support/reviewer.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };

interface Waiting {
  readonly wait: number;
  readonly within: number;
}

async function started(config: Waiting, ...args: string[]) {
  const project = newProject({
    'report.md': 'The report.\n',
    '.deepwork/config.yml': JSON.stringify({
      git: { branch: 'off' },
      quality_gate: { overrides: 'person', answer_within: config.within },
      team: { question_wait_seconds: config.wait },
    }),
  });
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, reviews: [REVIEW] }, after: {} },
    { main: ['write', 'after'] },
  );
  script(project, { answer: FAIL });
  const env = { HOME: newHome() };
  const agent = await connect(project.root, { args, env });
  await agent.ok('start_workflow', START);
  const finish = (reason: string) =>
    agent.ok('finished_step', {
      outputs: { report: 'report.md' },
      quality_review_override_reason: reason,
    });
  /** Overrides, and gives the id of the question that waits. */
  const asks = async (reason: string): Promise<string> => {
    const answer = await finish(reason);
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    return /q-\d+/.exec(answer.feedback)?.[0] ?? '';
  };
  const answer = (question: string, ...how: string[]) =>
    command(['answer', question, ...how, '--by', 'ann', '--path', project.root], {
      cwd: project.root,
      env,
    });
  return { finish, asks, answer };
}

const SOON = { wait: 1, within: 30 };

test('a question that a person dismissed is asked anew, and the new one can be granted', async () => {
  const { finish, asks, answer } = await started(SOON, '--quality-gate', REVIEW_COMMAND);
  const first = await asks('Please');
  expect(await answer(first, '--dismiss')).toMatchObject({ code: 0 });
  // This call learns that there is no answer, so the next one asks.
  await asks('Please');
  const second = await asks('Please');
  expect(second).not.toBe(first);
  expect(await answer(second, '--choose', 'Grant')).toMatchObject({ code: 0 });
  expect((await finish('Please')).status).toBe('next_step');
});

test('a grant is for the whole reason, also for the part that is too long to be shown', async () => {
  const { finish, asks, answer } = await started(SOON, '--quality-gate', REVIEW_COMMAND);
  const long = 'x'.repeat(2500);
  const first = await asks(`${long} and nothing else`);
  expect(await answer(first, '--choose', 'Grant')).toMatchObject({ code: 0 });
  expect(await asks(`${long} and much more`)).not.toBe(first);
  expect((await finish(`${long} and nothing else`)).status).toBe('next_step');
});

test('a call waits for a person no longer than calls are answered within', async () => {
  // By self-review: a reviewer that runs outside has the same limit for all that it does.
  const { asks } = await started({ wait: 60, within: 1 });
  const began = performance.now();
  await asks('Please');
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('a reviewer that runs outside does not hide that a person was asked, however long the wait may be', async () => {
  const { finish, asks, answer } = await started(
    { wait: 60, within: 4 },
    ...['--quality-gate', REVIEW_COMMAND],
  );
  const question = await asks('Please');
  expect(question).toMatch(/^q-/);
  // Nothing of the first call is left over: the next one learns the answer at once.
  expect(await answer(question, '--choose', 'Grant')).toMatchObject({ code: 0 });
  expect((await finish('Please')).status).toBe('next_step');
});
