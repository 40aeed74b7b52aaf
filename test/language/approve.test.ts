// A gate that only a person opens, for exactly the bytes that were shown.

import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import type { Connection } from '../support/connect.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { isAlive } from '../support/server-process.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  type Answered,
  asked,
  type ProcessRun,
  type Run,
  type RunSpec,
  startProcessRun,
  startRun,
} from './entries.ts';

const QUESTION = 'Is this plan good enough to build?';

function gate(more: Record<string, unknown> = {}, spec: Partial<RunSpec> = {}): RunSpec {
  const approve = { name: 'go_ahead', question: QUESTION, show: ['plan.plan_md'], ...more };
  return {
    entries: ['plan', { approve }, 'build'],
    steps: { plan: { outputs: { plan_md: 'file' } }, build: {} },
    files: { 'plan.md': 'First plan\n', 'other.md': 'Another\n' },
    ...spec,
  };
}

const PLAN = { plan_md: 'plan.md' };

async function atTheGate(...args: Parameters<typeof gate>): Promise<Run> {
  return arrived(await startRun(gate(...args)));
}

async function arrived<Started extends Run>(run: Started): Promise<Started> {
  const { begin_step } = await run.finish(PLAN);
  expect(begin_step).toMatchObject({ step_id: 'go_ahead', step_expected_outputs: [] });
  expect(begin_step.step_instructions).toContain(QUESTION);
  return run;
}

async function open(run: Run): Promise<string> {
  const { stdout } = await command(['answer', '--path', run.project.root], {
    cwd: run.project.root,
    env: { HOME: run.home },
  });
  return stdout;
}

describe('an approval', () => {
  test('is asked for on arrival, and only a person gives it', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const listed = await open(run);
    expect(listed).toContain('q-1');
    expect(listed).toContain(QUESTION);
    expect(listed).toContain('plan.md');
    const waiting = await run.finish({});
    expect(waiting).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    const override = await run.finish({}, { quality_review_override_reason: 'I approve' });
    expect(override).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    expect(await run.refused({ plan_md: 'plan.md', x: 1 })).toContain('Unknown output names');
    expect(await asked(run)).toBe('q-1');
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(0);
    expect((await run.finish({})).begin_step.step_id).toBe('build');
    const done = await run.finish({});
    expect(done).toMatchObject({ status: 'workflow_complete', all_outputs: PLAN });
  });

  test('blocks until a person spoke', async () => {
    verifies('LANG-5');
    const run = await atTheGate({}, { wait: 20 });
    const waiting = run.finish({});
    await run.person('q-1', '--choose', 'Approve');
    expect((await waiting).begin_step.step_id).toBe('build');
  });

  test('does not count if what it shows changed while the call waited for it', async () => {
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
    await until(() => progress.includes('Waiting for a person to answer q-1'));
    run.project.write('plan.md', 'Edited while the call waits\n');
    await run.person('q-1', '--choose', 'Approve');
    const answer = (await waiting).structuredContent as Answered;
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    expect(answer.feedback).toContain('The shown files have changed since q-1 was asked');
    expect(run.view().current_step_id).toBe('go_ahead');
    await run.person('q-2', '--choose', 'Approve');
    expect((await run.finish({})).begin_step.step_id).toBe('build');
  });

  test('sends work back with the words of the person, up to its max', async () => {
    verifies('LANG-5');
    const run = await atTheGate({ on_reject: { go_to: 'plan', max: 1 } });
    await run.person('q-1', '--choose', 'Reject', '--other', 'Too long');
    const back = await run.finish({});
    expect(back).toMatchObject({ status: 'next_step', feedback: 'Too long' });
    expect(back.begin_step.step_id).toBe('plan');
    const active = await run.agent.ok('get_active_workflow');
    expect(active.last_feedback).toBe('Too long');
    run.project.write('plan.md', 'Shorter\n');
    await run.finish(PLAN);
    expect(await asked(run)).toBe('q-2');
    await run.person('q-2', '--other', 'Still too long');
    expect(await run.refused({})).toMatch(/^Rejected: Still too long\nNext: /);
    // The same bytes stay rejected, without asking.
    expect(await run.refused({})).toMatch(/^Rejected: Still too long\n/);
    expect(run.view().current_step_id).toBe('go_ahead');
    run.project.write('plan.md', 'Short\n');
    expect(await asked(run)).toBe('q-3');
    await run.person('q-3', '--choose', 'Approve');
    expect((await run.finish({})).begin_step.step_id).toBe('build');
  });

  test('without on_reject is an error, and the session stays', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { stdout } = await run.person('q-1', '--choose', 'Reject');
    expect(stdout).toBe(
      'Answered: q-1\nNo reason was given, and the answer is final. Next time, add: --other "…"\n',
    );
    expect(await run.refused({})).toMatch(/^Rejected: no reason was given\n/);
    expect(run.view()).toMatchObject({ status: 'active', current_step_id: 'go_ahead' });
  });

  test('in a terminal asks once for the reason', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const options = { cwd: run.project.root, env: { HOME: run.home } };
    const terminal = deepworkOnTerminal(['answer', 'q-1'], options);
    await terminal.sees('> ');
    terminal.type('2');
    await terminal.sees('Why? (Enter: no reason) ');
    terminal.type('Too long');
    await terminal.sees('Answered: q-1');
    expect(await terminal.ended).toBe(0);
    expect(await run.refused({})).toMatch(/^Rejected: Too long\n/);
  });

  test('is void if what it shows changes, before the answer or after', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    run.project.write('plan.md', 'Edited before the answer\n');
    const before = await run.finish({});
    expect(before.reason).toBe('waiting_for_person');
    expect(before.feedback).toContain('changed since q-1 was asked');
    expect(before.feedback).toContain('(q-2)');
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(3);
    await run.person('q-2', '--choose', 'Approve');
    run.project.write('plan.md', 'Edited after the answer\n');
    const after = await run.finish({});
    expect(after.feedback).toContain('changed since q-2 was asked');
    expect(run.view().current_step_id).toBe('go_ahead');
    await run.person('q-3', '--choose', 'Approve');
    expect((await run.finish({})).begin_step.step_id).toBe('build');
    const { stdout } = await command(['answer'], {
      cwd: run.project.root,
      env: { HOME: run.home },
    });
    expect(stdout.match(/^ {4}Approve.*$/gm), 'newest first').toEqual([
      '    Approve',
      '    Approve (void: a file had changed, so it was asked again as q-3)',
    ]);
  });

  test('tells a person at once that an answer is void, at a terminal and on the page', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const said = (question: string) =>
      `plan.md has changed since ${question} was asked, so the answer is void. The question will be asked again about the new content.`;
    run.project.write('plan.md', 'Edited before the answer\n');
    const answered = await run.person('q-1', '--choose', 'Approve');
    expect(answered).toMatchObject({ code: 0, stdout: `Answered: q-1\n${said('q-1')}\n` });
    const { url } = await serveHttpInProcess(run.project.root, { home: run.home });
    expect((await run.finish({})).feedback).toContain('(q-2)');
    run.project.write('plan.md', 'Edited once more\n');
    const json = await fetch(`${url}/api/questions/q-2/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: ['Approve'], by: 'ann' }),
    });
    expect(await json.json()).toMatchObject({ status: 'answered', warnings: [said('q-2')] });
    expect((await run.finish({})).feedback).toContain('(q-3)');
    const { unlinkSync } = await import('node:fs');
    unlinkSync(run.project.path('plan.md'));
    const form = await fetch(`${url}/questions/q-3/answer`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ 'q-3.choice': '0' }).toString(),
    });
    expect(await form.text()).toContain(
      `<p class="notice void" role="alert">Answered: q-3. ${said('q-3')}</p>`,
    );
  });

  test('of the same bytes holds when the gate is come to again', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    await run.person('q-1', '--choose', 'Approve');
    await run.finish({});
    await run.agent.ok('go_to_step', { step_id: 'plan' });
    await run.finish(PLAN);
    expect((await run.finish({})).begin_step.step_id).toBe('build');
    expect(await open(run)).not.toContain('q-2');
  });

  test('that is dismissed is asked for again', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    await run.person('q-1', '--dismiss');
    expect(await asked(run)).toBe('q-2');
  });

  test('is closed by going back and by abort', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    await run.agent.ok('go_to_step', { step_id: 'plan' });
    expect((await run.person('q-1', '--choose', 'Approve')).code).toBe(3);
    await run.finish(PLAN);
    expect(await asked(run)).toBe('q-2');
    await run.agent.ok('abort_workflow', { explanation: 'No more' });
    expect((await run.person('q-2', '--choose', 'Approve')).code).toBe(3);
  });

  test('is asked for once, whoever waits, through restarts', async () => {
    verifies('LANG-5');
    const run = await arrived(await startProcessRun(gate()));
    for (let restart = 0; restart < 2; restart += 1) {
      const other = await run.connect();
      process.kill(run.agent.pid, 0);
      expect(await other.ok('get_active_workflow')).toBeDefined();
    }
    process.kill(run.agent.pid, 'SIGKILL');
    await until(() => !isAlive(run.agent.pid));
    const next = await run.connect();
    const session_id = run.session;
    const waiting = await next.ok('finished_step', { outputs: {}, session_id });
    expect(waiting.feedback).toContain('(q-1)');
    await run.person('q-1', '--choose', 'Approve');
    const moved = await next.ok('finished_step', { outputs: {}, session_id });
    expect(moved.begin_step.step_id).toBe('build');
  });

  test('is shown on the page with the text that is to be approved, and given there', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { url } = await serveHttpInProcess(run.project.root, { home: run.home });
    const [question] = (await (await fetch(`${url}/api/questions`)).json()) as unknown[];
    expect(question).toMatchObject({
      id: 'q-1',
      kind: 'approval',
      session_id: run.session,
      show: [{ path: 'plan.md', text: 'First plan\n' }],
    });
    const answer = await fetch(`${url}/api/questions/q-1/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: ['Approve'], by: 'ann' }),
    });
    expect(answer.status).toBe(200);
    expect((await run.finish({})).begin_step.step_id).toBe('build');
  });

  test('is shown with its text on the page without scripts, until a file changes', async () => {
    verifies('LANG-5');
    const run = await atTheGate({}, { files: { 'plan.md': '\n<b>First</b>\r\nplan\n' } });
    const { url } = await serveHttpInProcess(run.project.root, { home: run.home });
    const page = async () => (await fetch(`${url}/questions`)).text();
    expect(await page()).toContain(
      '<summary>plan.md</summary><pre tabindex="0">\n\n&lt;b&gt;First&lt;/b&gt;\nplan\n</pre>',
    );
    run.project.write('plan.md', 'Another\n');
    expect(await page()).toContain('(the file has changed since it was submitted)');
    run.project.write('plan.md', Buffer.from([0xff, 0xfe]));
    expect(await page()).toContain('(the file has changed since it was submitted)');
  });

  test('cannot be given without the file', async () => {
    verifies('LANG-5');
    const run = await atTheGate();
    const { unlinkSync } = await import('node:fs');
    unlinkSync(run.project.path('plan.md'));
    expect(await run.refused({})).toMatch(/^approve 'go_ahead': file not found at 'plan\.md'\n/);
  });
});

function restarted(run: ProcessRun): Promise<Connection> {
  process.kill(run.agent.pid, 'SIGKILL');
  return run.connect();
}

describe('whatever comes first', () => {
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
          server = await restarted(run as ProcessRun);
        } else {
          const answer = await wait();
          if (answer.status === 'next_step') break;
          question = /\((q-\d+)\)/.exec(answer.feedback)?.[1] ?? question;
        }
      }
      const bytes = order.includes('edit') ? 'q-2' : 'q-1';
      const view = run.view();
      if (view.current_step_id === 'go_ahead') {
        const answer = await wait();
        if (answered !== bytes) {
          expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
          expect(answer.feedback).toContain('(q-2)');
          expect((await run.person('q-2', '--choose', 'Approve')).code).toBe(0);
          expect((await wait()).begin_step.step_id).toBe('build');
        } else expect(answer.begin_step.step_id).toBe('build');
      }
      const approved = run
        .view()
        .history.filter((each: { event: string }) => each.event === 'approved');
      expect(approved).toHaveLength(1);
      // No question was asked beyond those.
      expect((await run.person(bytes === 'q-2' ? 'q-3' : 'q-2', '--dismiss')).code).toBe(2);
    },
  );
});
