// A gate that only a person opens, for exactly the bytes that were shown.

import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../support/connect.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  type Answered,
  asked,
  type ProcessRun,
  questionIn,
  type Run,
  type RunSpec,
  startProcessRun,
  startRun,
} from './entries.ts';

const QUESTION = 'Is this plan good enough to build?';
const PLAN = { plan_md: 'plan.md' };

function gate(more: Record<string, unknown> = {}, spec: Partial<RunSpec> = {}): RunSpec {
  const approve = { name: 'go_ahead', question: QUESTION, show: ['plan.plan_md'], ...more };
  return {
    entries: ['plan', { approve }, 'build'],
    steps: { plan: { outputs: { plan_md: 'file' } }, build: {} },
    files: { 'plan.md': 'First plan\n' },
    ...spec,
  };
}

async function arrived<Started extends Run>(run: Started): Promise<Started> {
  const { begin_step } = await run.finish(PLAN);
  expect(begin_step).toMatchObject({ step_id: 'go_ahead', step_expected_outputs: [] });
  expect(begin_step.step_instructions).toContain(QUESTION);
  return run;
}

const atTheGate = async (...args: Parameters<typeof gate>) =>
  arrived(await startRun(gate(...args)));

async function goesOn(run: Run): Promise<void> {
  expect((await run.finish({})).begin_step.step_id).toBe('build');
}

describe('an approval', () => {
  test('is asked for on arrival, and only a person gives it', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { stdout } = await run.deepwork('answer');
    for (const shown of ['q-1', QUESTION, 'plan.md']) expect(stdout).toContain(shown);
    for (const more of [{}, { quality_review_override_reason: 'I approve' }]) {
      expect(questionIn(await run.finish({}, more))).toBe('q-1');
    }
    expect((await run.refusal({ ...PLAN, x: 1 })).code).toBe('outputs_unknown');
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(0);
    await goesOn(run);
    const done = await run.finish({});
    expect(done).toMatchObject({ status: 'workflow_complete', all_outputs: PLAN });
  });

  test('is waited for, and does not count if what it shows changed while the call waited', async () => {
    verifies('LANG-5');
    const run = await atTheGate({}, { wait: 60 });
    let progress = '';
    const waiting = run.agent.client.callTool(
      { name: 'finished_step', arguments: { outputs: {} } },
      {
        onprogress: ({ message = '' }) => {
          progress = message;
        },
      },
    );
    // By then the call has looked at the plan.
    await until(() => progress.includes('q-1'));
    run.project.write('plan.md', 'Edited while the call waits\n');
    await run.person('q-1', '--choose', 'Approve');
    const answer = (await waiting).structuredContent as Answered;
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    expect(answer.feedback).toContain('q-2');
    expect(run.view().current_step_id).toBe('go_ahead');
    const going = goesOn(run);
    await run.person('q-2', '--choose', 'Approve');
    await going;
  });

  test('sends work back with the words of the person, up to its max', async () => {
    verifies('LANG-5');
    const run = await atTheGate({ on_reject: { go_to: 'plan', max: 1 } });
    await run.person('q-1', '--choose', 'Reject', '--other', 'Too long');
    const back = await run.finish({});
    expect(back).toMatchObject({ status: 'next_step', feedback: 'Too long' });
    expect(back.begin_step.step_id).toBe('plan');
    expect((await run.agent.ok('get_active_workflow')).last_feedback).toBe('Too long');
    run.project.write('plan.md', 'Shorter\n');
    await run.finish(PLAN);
    expect(await asked(run)).toBe('q-2');
    await run.person('q-2', '--other', 'Still too long');
    // The same bytes stay rejected, without asking.
    for (let times = 0; times < 2; times++) {
      expect(await run.refusal({})).toMatchObject({
        code: 'approval_rejected',
        message: 'Rejected: Still too long',
      });
    }
    expect(run.view().current_step_id).toBe('go_ahead');
    run.project.write('plan.md', 'Short\n');
    expect(await asked(run)).toBe('q-3');
    await run.person('q-3', '--choose', 'Approve');
    await goesOn(run);
  });

  test('without on_reject is an error, and the session stays', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { stdout } = await run.person('q-1', '--choose', 'Reject');
    expect(stdout).toContain('--other');
    expect((await run.refusal({})).code).toBe('approval_rejected');
    expect(run.view()).toMatchObject({ status: 'active', current_step_id: 'go_ahead' });
  });

  test('is void if what it shows changes, before the answer or after', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    run.project.write('plan.md', 'Edited before the answer\n');
    expect(await asked(run)).toBe('q-2');
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(3);
    await run.person('q-2', '--choose', 'Approve');
    run.project.write('plan.md', 'Edited after the answer\n');
    expect(await asked(run)).toBe('q-3');
    expect(run.view().current_step_id).toBe('go_ahead');
    await run.person('q-3', '--choose', 'Approve');
    await goesOn(run);
    expect((await run.deepwork('answer')).stdout).toMatch(/Approve.*void.*q-3/);
  });

  test('tells a person at once that an answer is void, at a terminal and on the page', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    run.project.write('plan.md', 'Edited before the answer\n');
    const answered = await run.person('q-1', '--choose', 'Approve');
    expect(answered.code).toBe(0);
    expect(answered.stdout).toContain('plan.md');
    const { url } = await serveHttpInProcess(run.project.root, { home: run.home });
    expect(await asked(run)).toBe('q-2');
    run.project.write('plan.md', 'Edited once more\n');
    const json = await answerOnPage(url, 'q-2');
    expect(await json.json()).toMatchObject({
      status: 'answered',
      warnings: [expect.stringContaining('plan.md')],
    });
    expect(await asked(run)).toBe('q-3');
  });

  test('of the same bytes holds when the gate is come to again', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    await run.person('q-1', '--choose', 'Approve');
    await goesOn(run);
    await run.agent.ok('go_to_step', { step_id: 'plan' });
    await run.finish(PLAN);
    await goesOn(run);
    expect((await run.deepwork('answer')).stdout).not.toContain('q-2');
  });

  test('is closed by going back and by abort, and asked for again if it is dismissed', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const log = () => readFileSync(run.project.path('.deepwork/journal/team/log.jsonl'), 'utf8');
    const before = log();
    await run.agent.ok('go_to_step', { step_id: 'plan' });
    // At once, and not when someone looks at the questions.
    expect(log().slice(before.length)).toContain('q-1');
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(3);
    await run.finish(PLAN);
    expect(await asked(run)).toBe('q-2');
    await run.person('q-2', '--dismiss');
    expect(await asked(run)).toBe('q-3');
    await run.agent.ok('abort_workflow', { explanation: 'No more' });
    expect((await run.person('q-3', '--choose', 'Approve')).code).toBe(3);
  });

  test('is asked for once, whoever waits, through restarts', async () => {
    verifies('LANG-5');
    const run = await arrived(await startProcessRun(gate()));
    for (let restart = 0; restart < 2; restart += 1) {
      expect(await (await run.connect()).ok('get_active_workflow')).toBeDefined();
    }
    process.kill(run.agent.pid, 'SIGKILL');
    await until(() => !isAlive(run.agent.pid));
    const next = await run.connect();
    const call = { outputs: {}, session_id: run.session };
    expect(questionIn(await next.ok('finished_step', call))).toBe('q-1');
    await run.person('q-1', '--choose', 'Approve');
    expect((await next.ok('finished_step', call)).begin_step.step_id).toBe('build');
  });

  test('is shown on the page with the text that is to be approved until a file changes, and given there', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { url } = await serveHttpInProcess(run.project.root, { home: run.home });
    const shown = async () => (await (await fetch(`${url}/api/questions`)).json()) as unknown[];
    const question = { id: 'q-1', kind: 'approval', session_id: run.session };
    const text = 'First plan\n';
    expect(await shown()).toMatchObject([{ ...question, show: [{ path: 'plan.md', text }] }]);
    for (const edited of ['Another\n', Buffer.from([0xff, 0xfe])]) {
      run.project.write('plan.md', edited);
      expect(JSON.stringify(await shown())).not.toMatch(/First|Another/);
    }
    run.project.write('plan.md', text);
    expect((await answerOnPage(url, 'q-1')).status).toBe(200);
    await goesOn(run);
  });

  test('cannot be given without the file', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    rmSync(run.project.path('plan.md'));
    const { code, message } = await run.refusal({});
    expect([code, message.includes('plan.md')]).toEqual(['approval_files', true]);
  });
});

function answerOnPage(url: string, question: string): Promise<Response> {
  return fetch(`${url}/api/questions/${question}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ choices: ['Approve'], by: 'ann' }),
  });
}

test.each([
  'answer',
  'answer crash',
  'crash answer',
  'answer edit',
  'edit answer',
  'crash edit answer',
  'edit crash answer',
  'answer crash edit',
  'edit answer crash',
  'repeat answer repeat',
  'repeat edit repeat answer',
])(
  '%s: only the bytes that were shown are approved, and no one is asked twice about them',
  async (order) => {
    verifies('LANG-5');
    const env = { CLAUDE_CODE_SESSION_ID: 'one-client' };
    const isKilled = order.includes('crash');
    const run = await arrived(
      isKilled ? await startProcessRun(gate(), env) : await startRun(gate()),
    );
    let server: Connection = run.agent;
    const wait = () => server.ok('finished_step', { outputs: {} });
    let question = 'q-1';
    let answered = '';
    for (const act of order.split(' ')) {
      if (act === 'answer') {
        expect((await run.person(question, '--choose', 'Approve')).code).toBe(0);
        answered = question;
      } else if (act === 'edit') run.project.write('plan.md', 'Another plan\n');
      else if (act === 'crash') {
        const { agent, connect } = run as ProcessRun;
        process.kill(agent.pid, 'SIGKILL');
        server = await connect();
      } else {
        const answer = await wait();
        if (answer.status === 'next_step') break;
        question = questionIn(answer);
      }
    }
    const [bytes, later] = order.includes('edit') ? ['q-2', 'q-3'] : ['q-1', 'q-2'];
    if (run.view().current_step_id === 'go_ahead') {
      if (answered !== bytes) {
        expect(questionIn(await wait())).toBe('q-2');
        expect((await run.person('q-2', '--choose', 'Approve')).code).toBe(0);
      }
      expect((await wait()).begin_step.step_id).toBe('build');
    }
    expect(run.events('approved')).toHaveLength(1);
    // No question was asked beyond those.
    expect((await run.person(later, '--dismiss')).code).toBe(2);
  },
);
