// Every refusal that an agent can get, by its code; and every form of wrong arguments.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFileJournal } from '../../src/journal/file.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { REVIEW_COMMAND } from '../support/reviewer.ts';
import { type Page, words } from './page.ts';
import { newWork, START, type Work } from './project.ts';
import { newStage, type Stage } from './stage.ts';

const NONE = { outputs: {} };
const DONE = { outputs: { notes: 'notes.md' } };
const ONE: Work = { steps: { draft: { outputs: { notes: 'file' } }, next: {} } };
const JOURNAL = '.deepwork/journal';
const LOG = `${JOURNAL}/team/log.jsonl`;

type Scenario = (page: Page) => Promise<unknown>;

async function started(spec: Work = ONE, args: readonly string[] = []) {
  const stage = newWork(spec);
  const agent = await stage.agent({ args });
  const { begin_step } = await agent.ok('start_workflow', START);
  return { stage, agent, id: begin_step.session_id as string };
}

function streamOf(stage: Stage, id: string): string {
  return stage.path(`${JOURNAL}/session/${id}.jsonl`);
}

/** Zeros in the place of a line. */
function damage(file: string, line: number): void {
  const lines = readFileSync(file, 'latin1').split('\n');
  lines[line] = '\0'.repeat(lines[line]?.length ?? 0);
  writeFileSync(file, lines.join('\n'), 'latin1');
}

function cut(file: string, lines: number): void {
  truncateSync(
    file,
    readFileSync(file, 'latin1').split('\n').slice(0, lines).join('\n').length + 1,
  );
}

const QUESTION = { question: 'Which?', choices: ['this', 'that'], multiSelect: false };
const MESSAGE = { toAgent: 'writer', body: 'Please look' };

const TEAM = {
  team: { question_wait_seconds: 1, agents: [{ name: 'writer' }, { name: 'reviewer' }] },
};

/** A team whose coordinator and writer are connected. */
async function team(config: Readonly<Record<string, unknown>> = TEAM) {
  const stage = newStage(config);
  const coordinator = await stage.agent({ args: ['--agent', 'coordinator'] });
  const writer = await stage.agent({ args: ['--agent', 'writer'] });
  return { stage, coordinator, writer };
}

function guide(stage: Stage, steps: readonly unknown[]): void {
  const whole = { id: 'review', name: 'Review', description: 'A review', version: '1.0.0', steps };
  stage.write('.deepwork/workflows/review.json', JSON.stringify(whole, null, 1));
}

const READ = { id: 'read', title: 'Read', prompt: 'Read it.' };
const JUDGE = { id: 'judge', title: 'Judge', prompt: 'Judge it.' };
const GUIDE = { goal: 'Look', job_name: 'review', workflow_name: 'review' };

async function foreign(
  stage: Stage,
  stream: string,
  events: readonly { type: string; data: Record<string, unknown> }[],
) {
  const journal = openFileJournal(stage.path(JOURNAL), { key: () => Buffer.alloc(32, 'another') });
  for (const [seq, event] of events.entries())
    await journal.append(stream, seq, { at: '2026-01-01T00:00:00.000Z', ...event });
}

/** How an agent comes to each refusal. */
const REFUSALS: Readonly<Record<string, Scenario>> = {
  async agent_look_alike(page) {
    const { stage, coordinator } = await team({ team: { question_wait_seconds: 1 } });
    const first = await stage.agent({ args: ['--agent', 'wrıter'] });
    await first.call('update_workflow_state', { task: 'x' });
    await page.call(await stage.agent({ args: ['--agent', 'writer'] }), 'check_inbox');
    await page.call(await stage.agent({ args: ['--agent', 'writer'] }), 'update_workflow_state', {
      task: 'x',
    });
    await page.call(coordinator, 'send_message', MESSAGE);
  },
  async agent_unknown(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'send_message', { ...MESSAGE, toAgent: 'wrter' });
    await page.call(coordinator, 'send_message', { ...MESSAGE, toAgent: 'someone' });
    await page.call(coordinator, 'send_message', { ...MESSAGE, toAgent: 'writer:opus' });
  },
  async approval_files(page) {
    const approve = { name: 'go_ahead', question: 'Good?', show: ['draft.notes'] };
    const steps = { draft: { outputs: { notes: 'file' } }, end: {} };
    const { stage, agent } = await started({ entries: ['draft', { approve }, 'end'], steps });
    await agent.ok('finished_step', DONE);
    rmSync(stage.path('notes.md'));
    await page.call(agent, 'finished_step', NONE);
  },
  async approval_rejected(page) {
    const approve = { name: 'go_ahead', question: 'Good?', show: ['draft.notes'] };
    const steps = { draft: { outputs: { notes: 'file' } }, end: {} };
    const { stage, agent } = await started({ entries: ['draft', { approve }, 'end'], steps });
    await agent.ok('finished_step', DONE);
    await page.command(
      stage,
      ['answer', 'q-1', '--choose', 'Reject', '--other', 'Too long', '--by', 'ann'],
      { shown: false },
    );
    await page.call(agent, 'finished_step', NONE);
  },
  async cannot_save(page) {
    const stage = newWork(ONE);
    stage.write(JOURNAL, 'not a folder');
    await page.call(await stage.agent(), 'start_workflow', START);
    await page.call(await stage.agent(), 'update_workflow_state', { task: 'x' });
    const running = await started();
    renameSync(running.stage.path(JOURNAL), running.stage.path('moved'));
    running.stage.write(JOURNAL, 'not a folder');
    await page.call(running.agent, 'finished_step', DONE);
  },
  async choice_disguised(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'ask_user_question', {
      questions: [{ ...QUESTION, choices: ['yes', 'ye\u200bs'] }],
    });
  },
  async config_invalid(page) {
    const stage = newWork(ONE);
    stage.write('.deepwork/config.yml', 'store: 3\n');
    await page.call(await stage.agent(), 'start_workflow', START);
    const linked = newWork(ONE);
    rmSync(linked.path('.deepwork/config.yml'));
    symlinkSync('/etc/passwd', linked.path('.deepwork/config.yml'));
    await page.call(await linked.agent(), 'start_workflow', START);
  },
  async gate_weakened(page) {
    const checks = [{ name: 'lint', run: 'exit 1' }];
    const strict = { draft: { outputs: { notes: 'file' }, checks }, next: {} };
    const { stage, agent } = await started(
      { steps: strict, config: { quality_gate: { overrides: 'person' } } },
      ['--trust'],
    );
    writeJob(
      stage,
      'work',
      { draft: { outputs: { notes: 'file' } }, next: {} },
      { main: ['draft', 'next'] },
    );
    await page.call(agent, 'finished_step', DONE);
    await page.call(agent, 'finished_step', DONE);
    await page.command(stage, ['answer']);
    await page.command(stage, ['answer', 'q-1', '--choose', 'Refuse', '--by', 'ann'], {
      shown: false,
    });
    await page.call(agent, 'finished_step', DONE);
    const never = await started(
      { steps: strict, config: { quality_gate: { overrides: 'never' } } },
      ['--trust'],
    );
    writeJob(
      never.stage,
      'work',
      { draft: { outputs: { notes: 'file' } }, next: {} },
      { main: ['draft', 'next'] },
    );
    await page.call(never.agent, 'finished_step', DONE);
  },
  async git_config_unreadable(page) {
    const stage = newWork({
      steps: { draft: { outputs: { notes: 'file' }, checks: [{ name: 'lint', run: 'true' }] } },
    });
    mkdirSync(stage.path('.git/config'), { recursive: true });
    stage.write('.git/HEAD', 'ref: refs/heads/x\n');
    const agent = await stage.agent();
    await page.call(agent, 'start_workflow', START);
    await page.call(agent, 'finished_step', DONE);
    await page.command(stage, ['trust', '--yes']);
  },
  async guide_invalid(page) {
    const stage = newStage();
    stage.write('.deepwork/workflows/review.json', '{"id": "review",');
    const agent = await stage.agent();
    await page.call(agent, 'workflow_next', { workflowId: 'review', completedSteps: [] });
    await page.call(agent, 'workflow_get', { id: 'review' });
    guide(stage, [
      { ...READ, prompt: 3 },
      { ...JUDGE, extra: 1 },
    ]);
    await page.call(agent, 'workflow_get', { id: 'review' });
    await page.call(agent, 'start_workflow', GUIDE);
  },
  async guide_not_found(page) {
    const stage = newStage();
    guide(stage, [READ]);
    const agent = await stage.agent();
    for (const id of ['reviw', 'something', '']) await page.call(agent, 'workflow_get', { id });
    await page.call(agent, 'workflow_next', { workflowId: 'rview', completedSteps: [] });
    await page.call(agent, 'workflow_get', { id: 'work/main' });
  },
  async guide_outside(page) {
    const stage = newStage();
    stage.write('elsewhere.json', '{}');
    mkdirSync(stage.path('.deepwork/workflows'));
    symlinkSync('../../elsewhere.json', stage.path('.deepwork/workflows/review.json'));
    await page.call(await stage.agent(), 'workflow_get', { id: 'review' });
  },
  async guide_rule_unusable(page) {
    const stage = newStage();
    const rule = { type: 'regex', pattern: '(', message: 'x' };
    guide(stage, [{ ...READ, validationCriteria: [rule] }]);
    const agent = await stage.agent();
    await page.call(agent, 'workflow_validate', {
      workflowId: 'review',
      stepId: 'read',
      output: 'x',
    });
    guide(stage, [
      { ...READ, validationCriteria: [{ type: 'regex', pattern: '^(x+x+)+y', message: 'x' }] },
    ]);
    const slow = 'x'.repeat(40);
    await page.call(agent, 'workflow_validate', {
      workflowId: 'review',
      stepId: 'read',
      output: slow,
    });
  },
  async guide_step_gone(page) {
    const stage = newStage();
    guide(stage, [READ, JUDGE]);
    const agent = await stage.agent();
    await agent.ok('start_workflow', GUIDE);
    await agent.ok('finished_step', NONE);
    guide(stage, [READ]);
    await page.call(agent, 'finished_step', NONE);
    rmSync(stage.path('.deepwork/workflows/review.json'));
    await page.call(agent, 'get_active_workflow');
  },
  async guide_step_not_found(page) {
    const stage = newStage();
    guide(stage, [READ, JUDGE]);
    const agent = await stage.agent();
    for (const stepId of ['raed', 'something']) {
      await page.call(agent, 'workflow_validate', { workflowId: 'review', stepId, output: 'x' });
      await page.call(agent, 'workflow_next', { workflowId: 'review', completedSteps: [stepId] });
      await page.call(agent, 'workflow_next', {
        workflowId: 'review',
        completedSteps: [],
        currentStep: stepId,
      });
    }
  },
  async guide_unreadable(page) {
    const stage = newStage();
    mkdirSync(stage.path('.deepwork/workflows/review.json'), { recursive: true });
    stage.write('.deepwork/workflows/other.json', JSON.stringify({ id: 'other' }));
    const agent = await stage.agent();
    await page.call(agent, 'workflow_get', { id: 'review' });
    const file = newStage();
    file.write('.deepwork/workflows', 'no folder');
    await page.call(await file.agent(), 'workflow_list');
  },
  async inputs_invalid(page) {
    const inputs = { issue: { description: 'The issue', pattern: '^https://' } };
    await page.call(await newWork({ ...ONE, inputs }).agent(), 'start_workflow', {
      ...START,
      inputs: { isue: 'x' },
    });
  },
  async instructions_not_found(page) {
    const { stage, agent } = await started();
    rmSync(stage.path('.deepwork/jobs/work/steps/next.md'));
    await page.call(agent, 'finished_step', DONE);
    rmSync(stage.path('.deepwork/jobs/work/steps/draft.md'));
    await page.call(agent, 'start_workflow', START);
  },
  async instructions_unusable(page) {
    const { stage, agent } = await started();
    stage.write('.deepwork/jobs/work/steps/next.md', '\0');
    await page.call(agent, 'finished_step', DONE);
    stage.write('.deepwork/jobs/work/steps/next.md', ' \n');
    await page.call(agent, 'finished_step', DONE);
    rmSync(stage.path('.deepwork/jobs/work/steps/next.md'));
    mkdirSync(stage.path('.deepwork/jobs/work/steps/next.md'));
    await page.call(agent, 'finished_step', DONE);
  },
  async invalid_arguments(page) {
    await page.call(await newWork(ONE).agent(), 'start_workflow', {});
  },
  async invalid_params(page) {
    const agent = await newStage().agent();
    await page.call(agent, 'workflow_next', { workflowId: 3 });
    await page.call(agent, 'workflow_get', {});
    await page.call(agent, 'workflow_get', { id: 'a', workflowId: 'b' });
  },
  async invalid_status(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'update_workflow_state', { status: 'sleeping' });
    const { writer } = await team();
    await page.call(writer, 'update_workflow_state', { status: 'complete' });
  },
  async items_changed(page) {
    const each = { name: 'each', items: 'list.list', step: 'port' };
    const steps = { list: { outputs: { list: 'file' } }, port: { outputs: { notes: 'file' } } };
    const { stage, agent } = await started({
      entries: ['list', { for_each: each }],
      steps,
      files: { 'list.json': '["one", "two"]' },
    });
    await agent.ok('finished_step', { outputs: { list: 'list.json' } });
    stage.write('list.json', '["three"]');
    await page.call(agent, 'finished_step', DONE);
    await page.call(agent, 'go_to_step', { step_id: 'port#2' });
    await page.call(agent, 'get_active_workflow');
  },
  async items_invalid(page) {
    const each = { name: 'each', items: 'list.list', step: 'port' };
    const steps = { list: { outputs: { list: 'file' } }, port: {} };
    const { stage, agent } = await started({ entries: ['list', { for_each: each }], steps });
    for (const text of ['{}', '[null]', '["a", null]', '[1']) {
      stage.write('list.json', text);
      await page.call(agent, 'finished_step', { outputs: { list: 'list.json' } });
    }
  },
  async job_invalid(page) {
    const stage = newWork(ONE);
    stage.write('.deepwork/jobs/work/job.yml', 'name: work\n');
    await page.call(await stage.agent(), 'start_workflow', START);
    stage.write('.deepwork/jobs/work/job.yml', 'name: work\nname: work\n');
    await page.call(await stage.agent(), 'start_workflow', START);
    const running = await started();
    running.stage.write('.deepwork/jobs/work/job.yml', 'name: work\n');
    await page.call(running.agent, 'finished_step', DONE);
  },
  async job_not_found(page) {
    const { stage, agent } = await started();
    await page.call(agent, 'start_workflow', { ...START, job_name: 'wrk' });
    rmSync(stage.path('.deepwork/jobs/work'), { recursive: true });
    await page.call(agent, 'finished_step', DONE);
  },
  async loop_undecided(page) {
    const loop = {
      name: 'until_green',
      steps: ['draft'],
      until: { check: { name: 'tests', run: 'exit 126' } },
      max: 2,
    };
    const { agent } = await started(
      { entries: [{ loop }], steps: { draft: { outputs: { notes: 'file' } } } },
      ['--trust'],
    );
    await page.call(agent, 'finished_step', DONE);
  },
  async message_empty(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'send_message', { ...MESSAGE, body: ' \n' });
  },
  async message_to_self(page) {
    const { writer } = await team();
    await page.call(writer, 'send_message', MESSAGE);
  },
  async message_too_long(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'send_message', { ...MESSAGE, body: 'x'.repeat(70_000) });
  },
  async messages_not_imported(page) {
    const { stage, writer } = await team();
    stage.write(
      '.sgai/state.json',
      JSON.stringify({
        messages: [
          { id: 'x' },
          { id: 1, fromAgent: 'a', toAgent: 'writer', body: 'b', read: false },
          { id: 1 },
        ],
      }),
    );
    await page.call(writer, 'check_inbox');
  },
  async no_choices(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'ask_user_question', {
      questions: [{ ...QUESTION, choices: [] }],
    });
  },
  async no_key(page) {
    const { stage, agent } = await started();
    const key = `${stage.home}/.deepwork/signing.key`;
    const kept = readFileSync(key);
    writeFileSync(key, 'short');
    await page.call(agent, 'finished_step', DONE);
    await page.call(await stage.agent(), 'start_workflow', START);
    await page.command(stage, ['status']);
    writeFileSync(key, kept);
  },
  async no_questions(page) {
    const { coordinator } = await team();
    await page.call(coordinator, 'ask_user_question', { questions: [] });
  },
  async no_session(page) {
    const { stage, agent, id } = await started();
    await page.command(stage, ['abort', id, '--reason', 'Wrong project', '--by', 'ann'], {
      shown: false,
    });
    await page.call(agent, 'finished_step', DONE);
    await page.call(agent, 'finished_step', DONE);
    await page.call(agent, 'go_to_step', { step_id: 'draft' });
    await page.call(agent, 'validate_step_outputs', NONE);
    const left = newWork(ONE);
    for (const goal of ['One', 'Two', 'Three']) {
      await left.leave({ ...START, goal, instance_id: goal }, ['--agent', 'writer']);
    }
    await page.call(await left.agent({ args: ['--agent', 'writer'] }), 'finished_step', DONE);
  },
  async nothing_to_hand_in(page) {
    const run = { name: 'sub', job: 'other', workflow: 'main' };
    const jobs = { other: { steps: { look: {} } } };
    const { agent, id } = await started({ entries: [{ run }], steps: { draft: {} }, jobs });
    await page.call(agent, 'validate_step_outputs', { outputs: {}, session_id: id });
    const approve = { name: 'go_ahead', question: 'Good?', show: ['draft.notes'] };
    const asked = await started({ entries: ['draft', { approve }], steps: ONE.steps ?? {} });
    await asked.agent.ok('finished_step', DONE);
    await page.call(asked.agent, 'validate_step_outputs', NONE);
    await page.call(asked.agent, 'finished_step', { outputs: { x: 'y' } });
  },
  async output_ambiguous(page) {
    const two = { outputs: { notes: 'file' } };
    const { agent } = await started({ entries: [['one', 'two']], steps: { one: two, two } });
    await page.call(agent, 'finished_step', DONE);
  },
  async outputs_changed(page) {
    const run = 'echo changed >> notes.md';
    const { agent } = await started(
      { steps: { draft: { outputs: { notes: 'file' }, checks: [{ name: 'tests', run }] } } },
      ['--trust'],
    );
    await page.call(agent, 'finished_step', DONE);
  },
  async outputs_invalid(page) {
    const { agent } = await started();
    await page.call(agent, 'finished_step', { outputs: { notes: 'nowhere.md' } });
  },
  async outputs_missing(page) {
    await page.call((await started()).agent, 'finished_step', NONE);
  },
  async outputs_unknown(page) {
    await page.call((await started()).agent, 'finished_step', {
      outputs: { ...DONE.outputs, x: 'y' },
    });
  },
  async outputs_unmatched(page) {
    const { agent } = await started({
      entries: [['one', 'two']],
      steps: { one: { outputs: { notes: 'file?' } }, two: { outputs: { page: 'file?' } } },
    });
    await page.call(agent, 'finished_step', NONE);
  },
  async outside_project(page) {
    const stage = newWork(ONE);
    const elsewhere = newStage();
    symlinkSync(elsewhere.root, stage.path('.sgai'));
    await page.call(await stage.agent(), 'update_workflow_state', { task: 'x' });
    const linked = newWork(ONE);
    symlinkSync(elsewhere.root, linked.path(JOURNAL));
    await page.call(await linked.agent(), 'start_workflow', START);
  },
  async override_refused(page) {
    const { agent } = await started(
      {
        steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] } },
        config: { quality_gate: { overrides: 'never' } },
        reviews: [{ answer: { passed: false, feedback: 'bad' } }],
      },
      ['--quality-gate', REVIEW_COMMAND],
    );
    await page.call(agent, 'finished_step', {
      ...DONE,
      quality_review_override_reason: 'It is fine',
    });
  },
  async prompt_not_found(page) {
    const agent = await newStage().agent();
    const failed = await agent.client
      .getPrompt({ name: 'work/nothing', arguments: { goal: 'x' } })
      .catch((error: Error) => error.message);
    page.text(String(failed));
  },
  async quality_gate_failed(page) {
    const { agent } = await started(
      {
        steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] } },
        config: { quality_gate: { default_max_attempts: 1 } },
        reviews: [{ answer: { passed: false, feedback: 'Too vague' } }],
      },
      ['--quality-gate', REVIEW_COMMAND],
    );
    await page.call(agent, 'finished_step', DONE);
  },
  async question_unknown(page) {
    const stage = newStage();
    await page.command(stage, ['answer', 'q-7', '--choose', 'x']);
  },
  async reports_invalid(page) {
    const { agent } = await started({
      steps: { draft: { reports: { green: { type: 'boolean', description: 'Is it?' } } } },
    });
    await page.call(agent, 'finished_step', NONE);
  },
  async reviewer_failed(page) {
    const { agent } = await started(
      {
        steps: { draft: { outputs: { notes: 'file' }, reviews: [REVIEW] } },
        reviews: [{ exit: 1, stderr: 'no quota' }],
      },
      ['--quality-gate', REVIEW_COMMAND],
    );
    await page.call(agent, 'finished_step', DONE);
  },
  async run_aborted(page) {
    const run = { name: 'sub', job: 'other', workflow: 'main' };
    const { agent } = await started({
      entries: [{ run }],
      steps: { draft: {} },
      jobs: { other: { steps: { look: {} } } },
    });
    await agent.ok('abort_workflow', { explanation: 'No' });
    await page.call(agent, 'finished_step', NONE);
  },
  async run_open(page) {
    const run = { name: 'sub', job: 'other', workflow: 'main' };
    const { stage, agent } = await started({
      entries: ['draft', { run }],
      steps: { draft: {} },
      jobs: { other: { steps: { look: {} } } },
    });
    const outer = (await agent.ok('get_active_workflow')).session_id;
    await agent.ok('finished_step', NONE);
    await page.call(agent, 'finished_step', { ...NONE, session_id: outer });
    expect(stage.root).toBeTruthy();
  },
  async run_too_deep(page) {
    const run = { name: 'again', job: 'work', workflow: 'main' };
    await page.call(
      await newWork({ entries: [{ run }], steps: { draft: {} } }).agent(),
      'start_workflow',
      START,
    );
  },
  async session_aborted(page) {
    const approve = { name: 'go_ahead', question: 'Good?', show: ['draft.notes'] };
    const { stage, agent, id } = await started({
      entries: ['draft', { approve }],
      steps: ONE.steps ?? {},
      config: { team: { question_wait_seconds: 60 } },
    });
    await agent.ok('finished_step', DONE);
    const waiting = agent.call('finished_step', NONE);
    await page.command(stage, ['abort', id, '--reason', 'Enough', '--by', 'ann'], { shown: false });
    const { text } = await waiting;
    page.text(text);
  },
  async session_damaged(page) {
    const { stage, agent, id } = await started();
    await agent.ok('finished_step', DONE);
    await agent.close();
    damage(streamOf(stage, id), 0);
    const next = await stage.agent();
    await page.call(next, 'get_active_workflow');
    await page.call(next, 'finished_step', { ...NONE, session_id: id });
    await page.call(next, 'start_workflow', START);
  },
  async session_foreign(page) {
    const { stage, agent, id } = await started();
    await agent.close();
    const file = streamOf(stage, id);
    const data = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '').data;
    rmSync(file);
    await foreign(stage, `session/${id}`, [{ type: 'started', data }]);
    const next = await stage.agent();
    await page.call(next, 'finished_step', { ...DONE, session_id: id });
    await page.call(next, 'get_active_workflow');
  },
  async session_lost(page) {
    const { stage, agent } = await started();
    await agent.ok('start_workflow', START);
    rmSync(stage.path(JOURNAL), { recursive: true });
    rmSync(stage.path('.deepwork/tmp'), { recursive: true });
    await page.call(agent, 'finished_step', DONE);
  },
  async session_not_found(page) {
    const { stage, id } = await started();
    const other = await stage.agent({ args: ['--agent', 'writer'] });
    await page.call(other, 'finished_step', { ...DONE, session_id: id });
    await page.call(other, 'get_active_workflow', { session_id: 'nothing' });
  },
  async session_went_back(page) {
    const { stage, agent, id } = await started();
    await agent.ok('finished_step', DONE);
    cut(streamOf(stage, id), 1);
    await page.call(agent, 'finished_step', NONE);
  },
  async state_unreadable(page) {
    const stage = newStage();
    mkdirSync(stage.path('.sgai/state.json'), { recursive: true });
    const agent = await stage.agent();
    await page.call(agent, 'update_workflow_state', { task: 'x' });
    const folder = newStage();
    folder.write('.sgai', 'a file');
    await page.call(await folder.agent(), 'update_workflow_state', { task: 'x' });
    await page.command(folder, ['repair']);
  },
  async steered_by_person(page) {
    const run = 'echo > begun; while [ ! -e go ]; do sleep 0.02; done';
    const { stage, agent, id } = await started(
      {
        steps: {
          draft: { outputs: { notes: 'file' } },
          next: { outputs: { notes: 'file' }, checks: [{ name: 'slow', run }] },
        },
      },
      ['--trust'],
    );
    await agent.ok('finished_step', DONE);
    const waiting = agent.call('finished_step', DONE);
    while (!existsSync(stage.path('begun')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await page.command(stage, ['redo', id, 'draft', '--reason', 'Too short', '--by', 'ann'], {
      shown: false,
    });
    stage.write('go', '');
    page.text((await waiting).text);
    await page.call(agent, 'finished_step', { ...DONE, step_id: 'next' });
    await page.call(agent, 'get_active_workflow');
  },
  async step_ahead(page) {
    await page.call((await started()).agent, 'go_to_step', { step_id: 'next' });
  },
  async step_empty(page) {
    const each = { name: 'each', items: 'list.list', step: 'port' };
    const steps = { list: { outputs: { list: 'file' } }, port: {}, end: {} };
    const { agent } = await started({
      entries: ['list', { for_each: each }, 'end'],
      steps,
      files: { 'list.json': '[]' },
    });
    await agent.ok('finished_step', { outputs: { list: 'list.json' } });
    await page.call(agent, 'go_to_step', { step_id: 'each' });
    await page.call(agent, 'go_to_step', { step_id: 'port' });
  },
  async step_not_current(page) {
    const { agent, id } = await started();
    await page.call(agent, 'finished_step', { ...NONE, step_id: 'next' });
    await agent.ok('finished_step', DONE);
    await agent.ok('finished_step', NONE);
    await page.call(agent, 'go_to_step', { step_id: 'draft', session_id: id });
  },
  async step_not_found(page) {
    const { stage, agent } = await started();
    await page.call(agent, 'go_to_step', { step_id: 'nxt' });
    writeJob(stage, 'work', { other: {} }, { main: ['other'] });
    await page.call(agent, 'finished_step', DONE);
  },
  async store_invalid(page) {
    const agent = await newWork(ONE).agent({ env: { DEEPWORK_DATABASE_URL: 'no address' } });
    await page.call(agent, 'start_workflow', START);
  },
  async store_not_trusted(page) {
    const stage = newWork(ONE);
    stage.write(
      '.deepwork/config.yml',
      'git: {branch: off}\nstore: postgres://db.example.org/work\n',
    );
    await page.call(await stage.agent(), 'start_workflow', START);
  },
  async team_damaged(page) {
    const { stage, coordinator } = await team();
    await coordinator.call('send_message', MESSAGE);
    await coordinator.call('send_message', { ...MESSAGE, body: 'Again' });
    await coordinator.close();
    damage(stage.path(LOG), 0);
    const next = await stage.agent();
    await page.call(next, 'check_outbox');
    await page.call(next, 'check_outbox');
  },
  async team_definition_broken(page) {
    const { stage, coordinator } = await team({});
    stage.write('GOAL.md', '---\nflow: [\n---\n# Goal\n');
    await page.call(coordinator, 'send_message', MESSAGE);
    await page.call(coordinator, 'peek_message_bus');
  },
  async team_foreign(page) {
    const { stage, coordinator } = await team();
    await foreign(stage, 'team/log', [
      {
        type: 'asked',
        data: { by: 'coordinator', asker: 'coordinator', ids: ['q-1'], questions: [QUESTION] },
      },
    ]);
    await page.call(coordinator, 'check_inbox');
    await page.call(coordinator, 'check_inbox');
  },
  async team_lost(page) {
    const { stage, coordinator } = await team();
    await coordinator.call('send_message', MESSAGE);
    rmSync(stage.path(JOURNAL), { recursive: true });
    await page.call(coordinator, 'send_message', MESSAGE);
  },
  async team_went_back(page) {
    const { stage, coordinator } = await team();
    await coordinator.call('send_message', MESSAGE);
    await coordinator.call('send_message', { ...MESSAGE, body: 'Again' });
    cut(stage.path(LOG), 1);
    await page.call(coordinator, 'send_message', { ...MESSAGE, body: 'Third' });
  },
  async todos_pending(page) {
    const { coordinator, writer } = await team();
    const todos = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((nth) => ({
      id: `${nth}`,
      content: `Todo ${nth}`,
      status: 'pending',
      priority: 'high',
    }));
    await coordinator.call('project_todowrite', { todos });
    await page.call(coordinator, 'update_workflow_state', { status: 'complete' });
    await page.call(writer, 'update_workflow_state', { status: 'agent-done' });
    await page.call(coordinator, 'update_workflow_state', { status: 'agent-done' });
  },
  async too_many_questions(page) {
    const { coordinator } = await team();
    const questions = Array.from({ length: 30 }, () => QUESTION);
    await page.call(coordinator, 'ask_user_question', { questions });
  },
  async workflow_empty(page) {
    const stage = newWork({ steps: { draft: { when: { var: 'deep' } } } });
    await page.call(await stage.agent(), 'start_workflow', START);
    const empty = newWork({ entries: [], steps: { draft: {} } });
    await page.call(await empty.agent(), 'start_workflow', START);
  },
  async workflow_not_found(page) {
    const stage = newStage();
    writeJob(stage, 'work', { a: {} }, { main: ['a'], side: ['a'] });
    const agent = await stage.agent();
    await page.call(agent, 'start_workflow', { ...START, workflow_name: 'maim' });
    await page.call(agent, 'start_workflow', { ...START, workflow_name: 'other' });
    await agent.ok('start_workflow', START);
    writeJob(stage, 'work', { a: {} }, { other: ['a'] });
    await page.call(agent, 'finished_step', NONE);
  },
  async workspace_untrusted(page) {
    const { agent } = await started({
      steps: { draft: { outputs: { notes: 'file' }, checks: [{ name: 'lint', run: 'true' }] } },
    });
    await page.call(agent, 'finished_step', DONE);
    const loop = {
      name: 'green',
      steps: ['draft'],
      until: { check: { name: 'tests', run: 'true' } },
      max: 2,
    };
    const looped = await started({ entries: [{ loop }], steps: { draft: {} } });
    await page.call(looped.agent, 'finished_step', NONE);
  },
};

words('refusals', async (page) => {
  for (const [code, scenario] of Object.entries(REFUSALS)) {
    page.part(code);
    await scenario(page);
  }
});

/** Refusals that no agent gets from a tool, and where their words are recorded; or why they are not. */
const NOT_FROM_TOOLS: Readonly<Record<string, string>> = {
  agent_not_found: 'usage: deepwork run',
  agent_without_command: 'usage: deepwork run',
  answer_invalid: 'questions: deepwork answer',
  call_failed: 'an agent of a run, whose server answers with something else than MCP',
  cancelled: 'the client that cancelled reads no answer',
  cannot_write: 'init and export, on a disk that cannot be written to',
  changed_meanwhile: 'init: a file that changes while it asks',
  checkout_taken: 'two runs that begin in one checkout at the same moment',
  cost_unknown: 'a client that cannot report what it costs',
  definition_broken: 'graph',
  event_unknown: 'http',
  fact_missing: 'a fault of ours',
  id_taken: 'two ids that are equal by chance',
  input_needed: 'simulate',
  internal_error: 'a fault of ours: invalid-arguments',
  no_database: 'usage: deepwork store',
  no_goal: 'usage: deepwork run --team',
  no_project: 'usage',
  no_worktree: 'run',
  not_a_folder: 'state_unreadable: deepwork repair',
  nothing_to_resume: 'usage: deepwork run --resume',
  partly_written: 'init, on a disk that becomes full',
  record_broken: 'init: undo',
  run_active: 'a run that is resumed while it runs',
  run_ambiguous: 'history',
  run_damaged: 'history',
  run_ended: 'steer',
  run_foreign: 'a run that another user resumes',
  run_not_active: 'steer',
  run_of_team: 'a run of a team that is drawn or steered by step',
  run_unknown: 'usage',
  session_taken_over: 'two servers at the same moment',
  store_outcome_unknown: 'a database that is lost at the commit',
  store_unavailable: 'store: a database that does not answer',
  team_broken: 'trust',
  turn_over: 'an agent that outlives its turn',
  unknown_inputs: 'usage: deepwork simulate',
  workspace_id_unusable: 'a home that cannot be written to',
  worktree_gone: 'a run that is resumed without its worktree',
};

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const MADE = /\b(?:refuse|refusedWith|guideFailure)\(\s*(?:'([a-z_]+)'|([A-Z_]{3,}))/g;
/** Chosen by a condition. */
const CHOSEN = ['guide_outside', 'instructions_not_found', 'instructions_unusable'];
const WRONG_OUTPUTS = /\bwrong\(\s*'(output[a-z_]+)'/g;

/** Of every refusal that is made in the sources. */
function codesInSources(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(SOURCES, file), 'utf8'));
  const all = texts.join('\n');
  const named = (constant: string) => new RegExp(`const ${constant} = '([a-z_]+)'`).exec(all)?.[1];
  const made = [...all.matchAll(MADE)].map(([, code, constant]) => code ?? named(constant ?? ''));
  const wrong = [...all.matchAll(WRONG_OUTPUTS)].map(([, code]) => code);
  return [...new Set([...made, ...wrong, ...CHOSEN].filter((code) => code !== undefined))].sort();
}

test('every refusal of the sources is recorded, or is named with a reason', () => {
  const known = [...Object.keys(REFUSALS), ...Object.keys(NOT_FROM_TOOLS)].sort();
  expect(known).toEqual(codesInSources());
});
