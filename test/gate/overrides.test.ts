// quality_gate.overrides: who may skip reviews. The agent by a reason; or only a person, who is
// asked; or no one. A person's answer counts for exactly what they were asked.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { questionIn, type Run } from '../language/entries.ts';
import {
  beginProcess,
  demoArguments,
  finish,
  newScene,
  runnerOf,
  turnsOf,
} from '../run/support.ts';
import { ERAS } from '../support/calls.ts';
import { connectOverHttp } from '../support/http.ts';
import { REVIEW } from '../support/project.ts';
import { FAIL, PASS, script, seen } from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { codeIn, GATE, override, REPORT, startWork, type WorkSpec } from './support.ts';

const WRONG = override('The reviewer is wrong');
const PLEASE = override('Please');
const REFUSED = { code: 'override_refused' };

const reviewed = (overrides: string, more: WorkSpec = {}) =>
  startWork({
    step: { reviews: [REVIEW] },
    gate: { overrides },
    scenes: [{ answer: FAIL }],
    args: GATE,
    ...more,
  });

const selfReviewed = (overrides: string) => reviewed(overrides, { args: [] });

/** What the review of the step said about the report. */
const said = (run: Run, verdict: string) => override(`${codeIn(run)} ${verdict}`);

/** Overrides and expects that a person is asked; returns the question's id. */
const asks = async (run: Run, call = WRONG) => questionIn(await run.finish(REPORT, call));

const statusOf = (run: Run): string =>
  JSON.parse(readFileSync(run.project.path('.sgai/state.json'), 'utf8')).status;

describe('agent', () => {
  test.each([
    ['of a reviewer', GATE, 'The reviewer is wrong'],
    ['before a self-review was requested', [], 'The subagent says PASSED'],
  ])('a reason skips the reviews %s, and is recorded', async (_what, args, reason) => {
    verifies('JOBS-REQ-001.4.9');
    const run = await reviewed('agent', { args });
    const blank = await run.finish(REPORT, override('  '));
    expect(blank.status).toBe('needs_work');
    const { status, reason: why, warnings } = await run.finish(REPORT, override(reason));
    expect([status, why, warnings]).toEqual(['next_step', null, [expect.stringContaining(reason)]]);
    expect(seen(run.project)).toHaveLength(args.length / 2);
    expect(run.events('review_overridden')).toMatchObject([{ step_id: 'write', reason }]);
    // A reason is recorded only where it skipped a review.
    const last = await run.finish({}, WRONG);
    expect([last.status, last.warnings]).toEqual(['workflow_complete', []]);
    expect(run.events('review_overridden')).toHaveLength(1);
  });

  test.each([
    'The subagent FAILED to start twice, so I checked it by hand',
    'It said FAILED',
    'It said PASSED',
  ])('without the code of a self-review, words are a reason: %j', async (reason) => {
    verifies('JOBS-REQ-001.4.9');
    const run = await selfReviewed('agent');
    await run.finish(REPORT);
    const { status, warnings } = await run.finish(REPORT, override(reason));
    expect([status, warnings]).toEqual(['next_step', [expect.stringContaining(reason)]]);
    expect(run.events('review_overridden')).toMatchObject([{ reason }]);
  });

  test('with the code they are a verdict: a negative one completes nothing', async () => {
    const run = await selfReviewed('agent');
    await run.finish(REPORT);
    const failed = await run.finish(REPORT, said(run, 'good: it has no sources.\n**FAILED**'));
    expect(failed).toMatchObject({ status: 'needs_work', reason: 'reviews', warnings: [] });
    expect(failed.feedback).toContain('it has no sources');
    expect(run.events('self_review_failed')).toHaveLength(1);
    expect(run.events('review_overridden')).toEqual([]);

    // A pass for the very files of which a fail was reported before is named; fixed ones are not.
    const passed = await run.finish(REPORT, said(run, 'PASSED'));
    expect([passed.status, passed.warnings]).toEqual([
      'next_step',
      [expect.stringContaining('FAILED')],
    ]);
    await run.agent.ok('go_to_step', { step_id: 'write' });
    await run.finish(REPORT);
    await run.finish(REPORT, said(run, 'FAILED'));
    run.project.write('report.md', 'The fixed report.\n');
    await run.finish(REPORT);
    const fixed = await run.finish(REPORT, said(run, 'PASSED'));
    expect([fixed.status, fixed.warnings]).toEqual(['next_step', []]);
    expect(run.events('self_reviewed')).toHaveLength(2);
  });

  test('a verdict on files that changed since is a reason only, and named', async () => {
    const run = await selfReviewed('agent');
    await run.finish(REPORT);
    const verdict = said(run, 'PASSED');
    run.project.write('report.md', 'Written after the review.\n');
    const { status, warnings } = await run.finish(REPORT, verdict);
    expect(status).toBe('next_step');
    expect(warnings).toHaveLength(2);
    expect(run.events('review_overridden')).toHaveLength(1);
  });

  test('a skipped review of a concurrent step is named in the answer that accepts it', async () => {
    const run = await reviewed('agent', {
      entries: [['write', 'draw'], 'after'],
      steps: {
        write: { outputs: { report: 'file' }, reviews: [REVIEW] },
        draw: { outputs: { picture: 'file' }, reviews: [REVIEW] },
        after: {},
      },
    });
    const { status, warnings } = await run.finish(REPORT, WRONG);
    expect([status, warnings]).toEqual(['needs_work', [expect.stringContaining("'write'")]]);
    script(run.project, { answer: PASS });
    const last = await run.finish({ picture: 'report.md' });
    expect([last.status, last.warnings]).toEqual(['next_step', []]);
  });

  test('an invisible reason does not count', async () => {
    const run = await reviewed('agent', { args: [] });
    const unseen = [
      '\u200b',
      '\u2060\ufeff ',
      '\u3164',
      '\u00ad\u034f',
      '\u{e0020}',
      '\ufe0f\u2800',
    ];
    for (const reason of unseen) {
      const { status } = await run.finish(REPORT, override(reason));
      expect(status, JSON.stringify(reason)).toBe('needs_work');
      const blank = await run.agent.call('abort_workflow', { explanation: reason });
      expect(blank.isError).toBe(true);
    }
  });
});

describe('never', () => {
  test('never: an override is refused, nothing runs, and a normal submission still works', async () => {
    const step = { reviews: [REVIEW], checks: [{ name: 'ran', run: 'touch ran' }] };
    const run = await reviewed('never', { step, args: [...GATE, '--trust'] });
    expect(await run.refusal(REPORT, WRONG)).toMatchObject(REFUSED);
    expect([seen(run.project), existsSync(run.project.path('ran'))]).toEqual([[], false]);
    expect((await run.finish(REPORT)).failed_reviews).toHaveLength(1);
  });

  test('a reason is no trouble where reviews are switched off, since it skips none', async () => {
    const run = await reviewed('never', { args: ['--no-quality-gate'] });
    const { status, warnings } = await run.finish(REPORT, WRONG);
    expect([status, warnings]).toEqual(['next_step', []]);
  });
});

test.each(['never', 'person'])(
  '%s: a self-review ends with the verdict on exactly these files',
  async (rule) => {
    const run = await selfReviewed(rule);
    expect((await run.finish(REPORT)).reason).toBe('self_review');
    const failed = await run.finish(REPORT, said(run, 'good: no. FAILED'));
    expect(failed).toMatchObject({ status: 'needs_work', reason: 'reviews' });
    const unclear = await run.finish(REPORT, said(run, 'looks fine to me'));
    expect(unclear).toMatchObject({ status: 'needs_work', reason: 'self_review' });
    const stale = said(run, 'good: yes. PASSED');
    run.project.write('report.md', 'Written after the review.\n');
    if (rule === 'never') expect(await run.refusal(REPORT, stale)).toMatchObject(REFUSED);
    else await asks(run, stale);
    expect((await run.finish(REPORT)).status).toBe('needs_work');
    expect((await run.finish(REPORT, said(run, 'good: yes. PASSED'))).status).toBe('next_step');
  },
);

describe('person: the override becomes a question', () => {
  test("if granted, the run continues, and the person's name is recorded", async () => {
    const run = await reviewed('person');
    const question = await asks(run);
    expect(await asks(run)).toBe(question);
    expect((await run.person(question, '--choose', 'Grant')).code).toBe(0);
    const done = await run.finish(REPORT, WRONG);
    expect(done.status).toBe('next_step');
    expect(done.warnings.join()).toContain(`ann (${question})`);
    expect(seen(run.project)).toEqual([]);
    expect(run.events('review_overridden')).toMatchObject([
      { reason: 'The reviewer is wrong', granted: { question, by: 'ann' } },
    ]);
  });

  test('if refused, it stays refused for these files', async () => {
    const run = await reviewed('person');
    const question = await asks(run);
    await run.person(question, '--choose', 'Refuse');
    for (let times = 0; times < 2; times++) {
      const answer = await run.finish(REPORT, WRONG);
      expect(answer).toMatchObject({ status: 'needs_work', reason: 'reviews' });
      expect(answer.feedback).toContain(question);
    }
  });

  test('if dismissed, it is asked anew, and the new question can be granted', async () => {
    const run = await reviewed('person');
    const first = await asks(run);
    expect((await run.person(first, '--dismiss')).code).toBe(0);
    // This call learns that there is no answer, so the next one asks.
    await asks(run);
    const second = await asks(run);
    expect(second).not.toBe(first);
    await run.person(second, '--choose', 'Grant');
    expect((await run.finish(REPORT, WRONG)).status).toBe('next_step');
  });

  test('a grant is valid for the submitted files and this arrival at the step only', async () => {
    const run = await reviewed('person');
    const showsTheFile = async () => {
      const bytes = readFileSync(run.project.path('report.md'));
      const sha256 = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
      expect((await run.deepwork('answer')).stdout).toContain(
        `report: report.md (sha256 ${sha256})`,
      );
    };
    const first = await asks(run);
    await showsTheFile();
    await run.person(first, '--choose', 'Grant');
    run.project.write('report.md', 'The Report.\n');
    const second = await asks(run);
    expect(second).not.toBe(first);
    await showsTheFile();
    await run.person(second, '--choose', 'Grant');
    expect((await run.finish(REPORT, WRONG)).status).toBe('next_step');
    await run.agent.ok('go_to_step', { step_id: 'write' });
    expect(await asks(run)).not.toBe(second);
  });

  test('a grant is for the whole reason, also for the part that is too long to be shown', async () => {
    const run = await reviewed('person');
    const long = 'x'.repeat(2500);
    const first = await asks(run, override(`${long} and nothing else`));
    await run.person(first, '--choose', 'Grant');
    expect(await asks(run, override(`${long} and much more`))).not.toBe(first);
    const granted = await run.finish(REPORT, override(`${long} and nothing else`));
    expect(granted.status).toBe('next_step');
  });

  test.each<[string, (run: Run) => Promise<unknown>]>([
    ['is aborted', ({ agent }) => agent.ok('abort_workflow', { explanation: 'Not needed' })],
    ['goes back', ({ agent }) => agent.ok('go_to_step', { step_id: 'write' })],
    [
      'goes on by a review that passes',
      (run) => {
        script(run.project, { answer: PASS });
        return run.finish(REPORT);
      },
    ],
  ])('its question does not outlive the step: the run %s', async (_how, end) => {
    const run = await reviewed('person');
    const question = await asks(run);
    expect(statusOf(run)).toBe('waiting-for-human');
    await end(run);
    expect(statusOf(run)).toBe('working');
    expect((await run.deepwork('answer')).stdout).not.toContain(question);
    expect((await run.person(question, '--choose', 'Grant')).code).toBe(3);
  });

  test('a question left behind by a crash is not shown to people', async () => {
    const run = await reviewed('person');
    const question = await asks(run);
    const log = run.project.path('.deepwork/journal/team/log.jsonl');
    const before = readFileSync(log);
    await run.agent.ok('abort_workflow', { explanation: 'Not needed' });
    await run.agent.close();
    // As if the process had ended between the two: the dismissal is not recorded.
    writeFileSync(log, before);
    expect((await run.deepwork('answer')).stdout).not.toContain(question);
    expect(readFileSync(log, 'utf8')).toContain(`"id":"${question}"`);
  });

  test.each([
    ['by oneself', [], 1],
    ['by a reviewer that runs outside', GATE, 4],
  ])('of a review %s, a call waits no longer than calls are answered within', async (...row) => {
    const [, args, within] = row;
    const run = await reviewed('person', { args, within, wait: 600 });
    const question = await asks(run, PLEASE);
    // Nothing of the first call is left over: the next one learns the answer at once.
    await run.person(question, '--choose', 'Grant');
    expect((await run.finish(REPORT, PLEASE)).status).toBe('next_step');
  });
});

const ASKING = { capabilities: { elicitation: { form: {} } } };

/** Accepts every form with this choice, as no person does, and lists what was shown. */
function filledIn(client: Client, choice: string): string[] {
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message);
    return { action: 'accept', content: { choice } };
  });
  return shown;
}

async function askedBy(client: Client, question: string, choices: readonly string[]) {
  const questions = [{ question, choices, multiSelect: false }];
  const { content } = await client.callTool({
    name: 'ask_user_question',
    arguments: { questions },
  });
  return (content as { text: string }[])[0]?.text ?? '';
}

test.each(ERAS)('an agent does not grant itself by asking the same in a form: %s', async (era) => {
  const run = await reviewed('person', { options: { era, client: ASKING } });
  const shown = filledIn(run.agent.client, 'Grant');
  const question = await asks(run, PLEASE);
  const { stdout } = await run.deepwork('status', '--json');
  const [asked] = JSON.parse(stdout).questions;
  expect(await askedBy(run.agent.client, asked.text, ['Grant', 'Refuse'])).toContain('q-2');
  expect(shown).toHaveLength(1);
  expect(await asks(run, PLEASE)).toBe(question);
  await run.person(question, '--choose', 'Grant');
  expect((await run.finish(REPORT, PLEASE)).status).toBe('next_step');
});

test.each(ERAS)('the server of an unattended run shows no forms: %s', async (era) => {
  const scene = newScene(['draft'], 'team:\n  question_wait_seconds: 1\n');
  const running = beginProcess(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  const [{ url, token }] = turnsOf(scene);
  const client = await connectOverHttp(url.replace(/\/mcp$/, ''), {
    era,
    headers: { authorization: `Bearer ${token}` },
    options: ASKING,
  });
  const shown = filledIn(client, 'yes');
  expect(await askedBy(client, 'Go?', ['yes', 'no'])).not.toContain('Human response');
  expect(shown).toEqual([]);
  process.kill(runnerOf(scene), 'SIGINT');
  await finish(running);
});
