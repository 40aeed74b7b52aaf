// A workflow that runs another one as a nested session.

import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { type RunSpec, startRun } from './entries.ts';

const OTHER = {
  entries: ['look', 'write'],
  steps: { look: {}, write: { outputs: { note: 'file' } } },
  inputs: {
    issue: { description: 'The issue', pattern: '^https://' },
    level: { description: 'How deep', type: 'number', default: 1 },
  },
};

const ISSUE = 'https://example.com/1';

function nesting(run: Record<string, unknown> = {}, more: Partial<RunSpec> = {}): RunSpec {
  const entry = { name: 'sub', job: 'other', workflow: 'main', inputs: { issue: 'where' } };
  return {
    entries: ['first', { run: { ...entry, ...run } }, 'last'],
    steps: { first: {}, last: {} },
    files: { 'note.md': 'A note\n' },
    jobs: { other: OTHER },
    start: { context: { where: ISSUE } },
    ...more,
  };
}

const NOTE = { note: 'note.md' };

describe('a nested run', () => {
  test('begins on arrival, with its inputs, and completes the entry', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({ inputs: { issue: 'where', level: { value: 3 } } }));
    const begun = await run.finish({});
    const nested = begun.begin_step.session_id;
    expect(begun).toMatchObject({ status: 'next_step', begin_step: { step_id: 'look' } });
    expect(nested).not.toBe(run.session);
    expect(begun.begin_step.inputs).toEqual({ issue: ISSUE, level: 3 });
    expect(begun.stack.map((each: { step: string }) => each.step)).toEqual(['sub', 'look']);
    expect(run.view(nested)).toMatchObject({
      parent_session_id: run.session,
      goal: 'Get it done',
      job_name: 'other',
      branch_name: run.view().branch_name,
    });
    expect(await run.refused({}, { session_id: run.session })).toContain(
      `'sub' is complete when session '${nested}' is`,
    );
    await run.finish({});
    const over = await run.finish(NOTE);
    expect(over).toMatchObject({ status: 'next_step', begin_step: { step_id: 'last' } });
    expect(over.stack).toHaveLength(1);
    const done = await run.finish({});
    expect(done).toMatchObject({
      status: 'workflow_complete',
      all_outputs: { 'sub.note': 'note.md' },
      summary: "Workflow 'main' completed successfully!",
    });
  });

  test('is not opened again once its parent has gone on with its outputs', async () => {
    verifies('BOARD-4', 'LANG-6');
    const run = await startRun(nesting());
    const nested = (await run.finish({})).begin_step.session_id;
    await run.finish({});
    await run.finish(NOTE);
    const redo = ['redo', nested, 'write', '--reason', 'too short'];
    const ran = await command(redo, { cwd: run.project.root, env: { HOME: run.home } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      `Run ${nested} is complete, and run ${run.session} has gone on with its outputs.\nNext: send that one back: deepwork redo ${run.session} sub --reason "…"`,
    );
    expect(run.view(nested).status).toBe('completed');
  });

  test('as the last entry completes the outermost, whose outputs are reported', async () => {
    verifies('LANG-6');
    const spec = nesting({}, { entries: ['first', nesting().entries[1]] });
    const run = await startRun(spec);
    await run.finish({});
    await run.finish({});
    const done = await run.finish(NOTE);
    expect(done).toMatchObject({
      status: 'workflow_complete',
      begin_step: null,
      all_outputs: { 'sub.note': 'note.md' },
      stack: [],
    });
    expect(run.view().status).toBe('completed');
  });

  test('as the first entry begins with the start', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({}, { entries: [nesting().entries[1], 'last'] }));
    const active = await run.agent.ok('get_active_workflow');
    expect(active.begin_step).toMatchObject({ step_id: 'look', inputs: { issue: ISSUE } });
    await run.finish({});
    expect((await run.finish(NOTE)).begin_step.step_id).toBe('last');
  });

  test('whose inputs are refused refuses the call that leads there', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({}, { start: {} }));
    const { revision } = run.view();
    const refusal = await run.refused({});
    expect(refusal).toMatch(/^Missing required inputs: issue\nNext: 'sub' runs other\/main/);
    expect(run.view().revision).toBe(revision);
    const wrong = await run.refused({}, { context: { where: 'ftp://x' } });
    expect(wrong).toMatch(/^Input 'issue': must match \^https:\/\/, got ftp:\/\/x\n/);
    expect((await run.finish({}, { context: { where: ISSUE } })).begin_step.step_id).toBe('look');
  });

  test('whose input was given at the start sends to a new start, because no context changes it', async () => {
    verifies('LANG-6');
    const run = await startRun(
      nesting(
        {},
        {
          inputs: { where: { description: 'The issue' } },
          start: { inputs: { where: 'ftp://x' } },
        },
      ),
    );
    const refusal = `Input 'issue': must match ^https://, got ftp://x
Next: 'sub' runs other/main with 'where', given when this run was started, which cannot be changed any more. Call abort_workflow, then start_workflow with a value that other/main accepts. If no value fits both, have your user correct \`inputs\` of 'sub' in job.yml first.`;
    expect(await run.refused({})).toBe(refusal);
    expect(await run.refused({}, { context: { where: ISSUE } })).toBe(refusal);
  });

  test('whose inputs no context can correct sends to job.yml', async () => {
    verifies('LANG-6');
    const correct =
      "Next: correct `inputs` of 'sub' in job.yml, then make the same call again. other/main takes issue (string; matching ^https://; required), level (number; default 1).";
    const fixed = await startRun(nesting({ inputs: { issue: 'where', level: { value: 'x' } } }));
    expect(await fixed.refused({})).toBe(`Input 'level': must be a number, got x\n${correct}`);
    const misspelt = await startRun(nesting({ inputs: { isue: 'where' } }));
    expect(await misspelt.refused({})).toBe(
      `Missing required inputs: issue\nUnknown inputs: isue. Declared inputs: issue, level\n${correct}`,
    );
    const both = await startRun(
      nesting({ inputs: { issue: 'where', level: { value: 'x' } } }, { start: {} }),
    );
    expect(await both.refused({})).toBe(
      `Missing required inputs: issue\nInput 'level': must be a number, got x\n${correct.replace('then make', "give 'where' as `context`, and make")}`,
    );
  });

  test('whose text is an unquoted number in job.yml is refused with the advice to quote it', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({ inputs: { issue: { value: 2.5 } } }));
    expect(await run.refused({})).toContain(
      "Input 'issue': must be a string, got 2.5\nNext: correct `inputs` of 'sub' in job.yml (put the value of 'issue' in quotes), then make the same call again.",
    );
  });

  test('whose input has a default that is not there sends to job.yml, and asks for no context', async () => {
    verifies('LANG-6');
    const plan = { description: 'The plan', type: 'file', required: false, default: 'plan.md' };
    const jobs = { other: { ...OTHER, inputs: { ...OTHER.inputs, plan } } };
    const run = await startRun(nesting({}, { jobs }));
    const refusal = await run.refused({});
    expect(refusal).toContain('plan.md');
    expect(refusal).toContain(
      "correct `inputs` of 'sub' in job.yml, then make the same call again",
    );
    expect(refusal).not.toContain('context');
  });

  test('of a job or a workflow that is not there refuses it, too', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting({ job: 'nowhere', inputs: {} }));
    expect(await run.refused({})).toMatch(/^Job not found: nowhere\n/);
    const other = await startRun(nesting({ workflow: 'nothing' }));
    expect(await other.refused({})).toContain('which has no such workflow');
  });

  test('is aborted with what runs it', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const { begin_step } = await run.finish({});
    const answer = await run.agent.ok('abort_workflow', {
      explanation: 'No more',
      session_id: run.session,
    });
    expect(answer).toMatchObject({ aborted_workflow: 'work/main', stack: [] });
    expect(run.view()).toMatchObject({ status: 'aborted', abort_reason: 'No more' });
    expect(run.view(begin_step.session_id)).toMatchObject({
      status: 'aborted',
      abort_reason: `Session ${run.session}, which ran it, was aborted: No more`,
    });
  });

  test('that is aborted leaves the one above at the entry, where it can be started afresh', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const { begin_step } = await run.finish({});
    const aborted = await run.agent.ok('abort_workflow', { explanation: 'Wrong issue' });
    expect(aborted).toMatchObject({ resumed_workflow: 'work/main', resumed_step: 'sub' });
    expect(aborted.begin_step.step_instructions).toContain('aborted: Wrong issue');
    const active = await run.agent.ok('get_active_workflow');
    expect(active.last_feedback).toBe('Wrong issue');
    expect(await run.refused({})).toMatch(/^What 'sub' ran was aborted: Wrong issue\n/);
    const afresh = await run.agent.ok('go_to_step', { step_id: 'sub' });
    expect(afresh.begin_step).toMatchObject({ step_id: 'look' });
    expect(afresh.begin_step.session_id).not.toBe(begin_step.session_id);
    await run.finish({});
    expect((await run.finish(NOTE)).begin_step.step_id).toBe('last');
  });

  test('is given up when the one above goes back', async () => {
    verifies('LANG-6');
    const run = await startRun(nesting());
    const { begin_step } = await run.finish({});
    const back = await run.agent.ok('go_to_step', { step_id: 'first', session_id: run.session });
    expect(back.begin_step.step_id).toBe('first');
    expect(back.stack).toHaveLength(1);
    expect(run.view(begin_step.session_id).status).toBe('aborted');
    expect((await run.finish({})).begin_step.step_id).toBe('look');
  });

  test('of itself ends at a depth of 16, with nothing started', async () => {
    verifies('LANG-6');
    const self = { run: { name: 'sub', job: 'work', workflow: 'main' } };
    const run = await startRun(nesting({}, { entries: ['first', self] }));
    let answer = await run.finish({});
    for (let depth = 2; depth < 16; depth += 1) answer = await run.finish({});
    expect(answer.stack).toHaveLength(16);
    expect(await run.refused({})).toContain('16 sessions are nested already');
    expect((await run.agent.ok('get_active_workflow')).stack).toHaveLength(16);
  });

  test('that fails what comes after it is not complete either', async () => {
    verifies('LANG-4', 'LANG-6');
    const each = { for_each: { name: 'all', items: 'first.list', step: 'last' } };
    const spec = nesting({}, { entries: [...nesting().entries.slice(0, 2), each] });
    const steps = { first: { outputs: { list: 'file' } }, last: {} };
    const run = await startRun({ ...spec, steps, files: { 'note.md': 'x', 'list.json': '["a"]' } });
    await run.finish({ list: 'list.json' });
    await run.finish({});
    run.project.write('list.json', '{}');
    expect(await run.refused(NOTE)).toMatch(/^for_each 'all': list\.json was changed after/);
    run.project.write('list.json', '["a"]');
    expect((await run.finish(NOTE)).begin_step.step_id).toBe('last#1');
  });
});
