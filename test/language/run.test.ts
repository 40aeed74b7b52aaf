// A workflow that runs another one as a nested session.

import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Run, type RunSpec, startRun } from './entries.ts';

const ISSUE = 'https://example.com/1';
const NOTE = { note: 'note.md' };
const OTHER = {
  entries: ['look', 'write'],
  steps: { look: {}, write: { outputs: { note: 'file' } } },
  inputs: {
    issue: { description: 'The issue', pattern: '^https://' },
    level: { description: 'How deep', type: 'number', default: 1 },
  },
};

const sub = (more: Record<string, unknown> = {}) => ({
  run: { name: 'sub', job: 'other', workflow: 'main', inputs: { issue: 'where' }, ...more },
});

function nesting(run: Record<string, unknown> = {}, more: Partial<RunSpec> = {}): RunSpec {
  return {
    entries: ['first', sub(run), 'last'],
    steps: { first: {}, last: {} },
    files: { 'note.md': 'A note\n' },
    jobs: { other: OTHER },
    start: { context: { where: ISSUE } },
    ...more,
  };
}

/** Begins the nested session, and gives its id. */
const arrive = async (run: Run): Promise<string> => (await run.finish({})).begin_step.session_id;

describe('a nested run', () => {
  test('begins on arrival, with its inputs, and completes the entry', async () => {
    verifies('LANG-6', 'BOARD-4');
    const run = await startRun(nesting({ inputs: { issue: 'where', level: { value: 3 } } }));
    const begun = await run.finish({});
    const nested = begun.begin_step.session_id;
    expect(begun).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'look', inputs: { issue: ISSUE, level: 3 } },
      stack: [{ step: 'sub' }, { step: 'look' }],
    });
    expect(run.view(nested)).toMatchObject({
      parent_session_id: run.session,
      goal: 'Get it done',
      job_name: 'other',
      branch_name: run.view().branch_name,
    });
    expect((await run.refusal({}, { session_id: run.session })).code).toBe('run_open');
    await run.finish({});
    const over = await run.finish(NOTE);
    expect(over).toMatchObject({ status: 'next_step', begin_step: { step_id: 'last' } });
    expect(over.stack).toHaveLength(1);
    // It is not opened again once its parent has gone on with its outputs.
    const redo = await run.deepwork('redo', nested, 'write', '--reason', 'too short');
    expect(redo.code).toBe(1);
    expect(redo.stderr).toContain(`deepwork redo ${run.session} sub`);
    expect(run.view(nested).status).toBe('completed');
    const done = await run.finish({});
    expect(done).toMatchObject({
      status: 'workflow_complete',
      all_outputs: { 'sub.note': 'note.md' },
    });
  });

  test('as the last entry completes the outermost, as the first begins with the start', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({}, { entries: [sub()] }));
    const { begin_step } = await run.agent.ok('get_active_workflow');
    expect(begin_step).toMatchObject({ step_id: 'look', inputs: { issue: ISSUE } });
    await run.finish({});
    expect(await run.finish(NOTE)).toMatchObject({
      status: 'workflow_complete',
      begin_step: null,
      all_outputs: { 'sub.note': 'note.md' },
      stack: [],
    });
    expect(run.view().status).toBe('completed');
  });

  test('whose inputs are refused refuses the call that leads there', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({}, { start: {} }));
    const { revision } = run.view();
    const refusal = await run.refusal({});
    expect(refusal).toMatchObject({ code: 'inputs_invalid' });
    expect(refusal.message).toContain('issue');
    expect((await run.refusal({}, { context: { where: 'ftp://x' } })).message).toContain('ftp://x');
    expect(run.view().revision).toBe(revision);
    expect((await run.finish({}, { context: { where: ISSUE } })).begin_step.step_id).toBe('look');
  });

  const PLAN = { description: 'The plan', type: 'file', required: false, default: 'plan.md' };
  test.each<[string, RunSpec, string[], string[]]>([
    [
      'a new start, if it was given at the start',
      nesting(
        {},
        {
          inputs: { where: { description: 'The issue' } },
          start: { inputs: { where: 'ftp://x' } },
        },
      ),
      ["'issue'", 'ftp://x'],
      ["'where'", 'abort_workflow', 'start_workflow'],
    ],
    [
      'job.yml, if it is fixed there',
      nesting({ inputs: { issue: 'where', level: { value: 'x' } } }),
      ["'level'"],
      ['job.yml', 'issue', 'level'],
    ],
    [
      'job.yml, if it is misspelt there',
      nesting({ inputs: { isue: 'where' } }),
      ['issue', 'isue'],
      ['job.yml'],
    ],
    [
      'both, if both are wrong',
      nesting({ inputs: { issue: 'where', level: { value: 'x' } } }, { start: {} }),
      ['issue', "'level'"],
      ['job.yml', "'where'", 'context'],
    ],
    [
      'job.yml and its quotes, if it is an unquoted number',
      nesting({ inputs: { issue: { value: 2.5 } } }),
      ["'issue'", '2.5'],
      ['job.yml', 'quotes'],
    ],
    [
      'job.yml, if it is a default that is not there',
      nesting({}, { jobs: { other: { ...OTHER, inputs: { ...OTHER.inputs, plan: PLAN } } } }),
      ['plan.md'],
      ['job.yml'],
    ],
  ])('whose input is refused sends to %s', async (_where, spec, problems, ways) => {
    verifies('LANG-6');
    const run = await startRun(spec);
    const { code, message, next } = await run.refusal({});
    expect(code).toBe('inputs_invalid');
    for (const problem of problems) expect(message).toContain(problem);
    for (const way of ways) expect(next).toContain(way);
    if (!ways.includes('context')) expect(next).not.toContain('`context`');
  });

  test.each([
    [{ job: 'nowhere', inputs: {} }, 'job_not_found'],
    [{ workflow: 'nothing' }, 'workflow_not_found'],
  ])('of what is not there refuses it, too: %j', async (of, code) => {
    verifies('LANG-6');
    const run = await startRun(nesting(of));
    expect((await run.refusal({})).code).toBe(code);
  });

  test('is aborted with what runs it', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const nested = await arrive(run);
    const abort = { explanation: 'No more', session_id: run.session };
    const answer = await run.agent.ok('abort_workflow', abort);
    expect(answer).toMatchObject({ aborted_workflow: 'work/main', stack: [] });
    expect(run.view()).toMatchObject({ status: 'aborted', abort_reason: 'No more' });
    const { status, abort_reason } = run.view(nested);
    expect(status).toBe('aborted');
    for (const said of [run.session, 'No more']) expect(abort_reason).toContain(said);
  });

  test('that is aborted leaves the one above at the entry, where it can be started afresh', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const nested = await arrive(run);
    const explanation = 'Wrong issue';
    const aborted = await run.agent.ok('abort_workflow', { explanation });
    expect(aborted).toMatchObject({ resumed_workflow: 'work/main', resumed_step: 'sub' });
    expect(aborted.begin_step.step_instructions).toContain(explanation);
    expect((await run.agent.ok('get_active_workflow')).last_feedback).toBe(explanation);
    const refusal = await run.refusal({});
    expect(refusal).toMatchObject({ code: 'run_aborted' });
    expect(refusal.message).toContain(explanation);
    const afresh = await run.agent.ok('go_to_step', { step_id: 'sub' });
    expect(afresh.begin_step).toMatchObject({ step_id: 'look' });
    expect(afresh.begin_step.session_id).not.toBe(nested);
    await run.finish({});
    expect((await run.finish(NOTE)).begin_step.step_id).toBe('last');
  });

  test('is given up when the one above goes back', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const nested = await arrive(run);
    const first = { step_id: 'first', session_id: run.session };
    const back = await run.agent.ok('go_to_step', first);
    expect([back.begin_step.step_id, back.stack.length]).toEqual(['first', 1]);
    expect(run.view(nested).status).toBe('aborted');
    expect((await run.finish({})).begin_step.step_id).toBe('look');
  });

  test('of itself ends at a depth of 16, with nothing started', async () => {
    verifies('LANG-6');
    const itself = sub({ job: 'work', inputs: {} });
    const run = await startRun(nesting({}, { entries: ['first', itself] }));
    for (let depth = 2; depth <= 16; depth += 1) {
      expect((await run.finish({})).stack).toHaveLength(depth);
    }
    expect((await run.refusal({})).code).toBe('run_too_deep');
    expect((await run.agent.ok('get_active_workflow')).stack).toHaveLength(16);
  });

  test('that fails what comes after it is not complete either', async () => {
    verifies('LANG-4', 'LANG-6');
    const each = { for_each: { name: 'all', items: 'first.list', step: 'last' } };
    const run = await startRun({
      ...nesting({}, { entries: ['first', sub(), each] }),
      steps: { first: { outputs: { list: 'file' } }, last: {} },
      files: { 'note.md': 'x', 'list.json': '["a"]' },
    });
    await run.finish({ list: 'list.json' });
    await run.finish({});
    run.project.write('list.json', '{}');
    expect((await run.refusal(NOTE)).code).toBe('items_changed');
    run.project.write('list.json', '["a"]');
    expect((await run.finish(NOTE)).begin_step.step_id).toBe('last#1');
  });
});
