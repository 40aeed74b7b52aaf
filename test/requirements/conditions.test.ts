// `when` conditions on the session's context: which steps a run takes, and how the context is
// built.

import { describe, expect, test } from 'vitest';
import { beyondNesting, expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const DEEP = { when: { var: 'depth', equals: 'deep' } };
const NEVER = { when: { or: [] } };

interface Running {
  readonly project: Project;
  readonly server: Connection;
  /** The ids of the steps that a run passes through, each finished without outputs. */
  walk(workflow: string, context?: Record<string, unknown>): Promise<string[]>;
}

async function running(): Promise<Running> {
  const project = newProject({ 'a.md': 'A', 'bad.md': 'B' });
  const rules = [
    {
      type: 'contains',
      value: 'A',
      message: 'Must say A',
      condition: { var: 'strict', equals: true },
    },
  ];
  writeJob(
    project,
    'demo',
    {
      one: {},
      two: {},
      three: {},
      deep_one: DEEP,
      deep_two: DEEP,
      never_one: NEVER,
      never_two: NEVER,
      judged: { outputs: { report: { type: 'file', description: 'd', required: true, rules } } },
      for_acme: { when: { var: 'instance_id', equals: 'acme' } },
    },
    {
      first: ['deep_one', 'one', 'two'],
      middle: ['one', 'deep_one', 'deep_two', 'two'],
      last: ['one', 'deep_one', 'never_one'],
      all: ['deep_one', ['never_one', 'never_two'], 'deep_two'],
      group: [
        ['deep_one', 'one', 'two'],
        ['deep_two', 'three'],
      ],
      rules: ['judged', 'one'],
      acme: ['for_acme', 'one'],
    },
  );
  const server = await connect(project.root);
  return {
    project,
    server,
    async walk(workflow_name, context) {
      const args = { goal: 'g', job_name: 'demo', workflow_name, context };
      let step = (await server.ok('start_workflow', args)).begin_step;
      const steps: string[] = [];
      for (;;) {
        steps.push(step.step_id);
        const answer = await server.ok('finished_step', { outputs: {} });
        if (answer.status === 'workflow_complete') return steps;
        step = answer.begin_step;
      }
    },
  };
}

describe('when', () => {
  test('a false condition skips the step: first, middle, last', async () => {
    verifies('JOBS-X.14');
    const { project, server, walk } = await running();
    const deep = { depth: 'deep' };
    expect(await walk('first')).toEqual(['one', 'two']);
    expect(await walk('first', deep)).toEqual(['deep_one', 'one', 'two']);
    expect(await walk('middle')).toEqual(['one', 'two']);
    expect(await walk('middle', deep)).toEqual(['one', 'deep_one', 'deep_two', 'two']);
    expect(await walk('last')).toEqual(['one']);
    expect(await walk('last', { depth: 'Deep' })).toEqual(['one']);
    expect(await walk('last', deep)).toEqual(['one', 'deep_one']);

    const start = { goal: 'g', job_name: 'demo', workflow_name: 'first' };
    const id = (await server.ok('start_workflow', start)).begin_step.session_id;
    const view = readView(project, id);
    expect(view).toMatchObject({ current_step_id: 'one', current_entry_index: 1 });
    expect(view.history).toContainEqual(
      expect.objectContaining({ event: 'skipped', step_id: 'deep_one' }),
    );
    expect(view.step_progress).not.toHaveProperty('deep_one');
  });

  test('an unset variable is reported before its step is skipped, and after', async () => {
    verifies('JOBS-X.14');
    const { server } = await running();
    const told = (id: string) =>
      `Step '${id}' was skipped: it depends on 'depth', which is not set in \`context\`.`;
    const ahead = (id: string) =>
      `Step '${id}' depends on 'depth', which is not set in \`context\`. Give it as \`context\` with finished_step; otherwise the step is skipped.`;
    const start = (workflow_name: string, context = {}) =>
      server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name, context });
    expect((await start('first')).warnings).toContain(told('deep_one'));
    const shallow = await start('first', { depth: 'shallow' });
    expect(shallow.warnings.join()).not.toContain('is not set');

    // On arrival at the step before, when it can still be set.
    const atMiddle = beyondNesting((await start('middle')).warnings);
    expect(atMiddle).toEqual([ahead('deep_one'), ahead('deep_two')]);
    const given = { outputs: {}, context: { depth: 'deep' } };
    const deep = await server.ok('finished_step', given);
    expect(deep).toMatchObject({ begin_step: { step_id: 'deep_one' }, warnings: [] });
    const clear = await start('middle', { depth: 'shallow' });
    expect(beyondNesting(clear.warnings)).toEqual([]);

    await start('middle');
    const finish = { outputs: {}, step_id: 'one' };
    const { warnings } = await server.ok('finished_step', finish);
    expect(warnings).toEqual([told('deep_one'), told('deep_two')]);
    const again = await server.ok('finished_step', finish);
    expect(again.warnings, 'a repeated call hears it again').toEqual(warnings);
    expect(beyondNesting((await start('last')).warnings)).toEqual([ahead('deep_one')]);
    const last = await server.ok('finished_step', { outputs: {} });
    const never = "Step 'never_one' was skipped: its condition does not hold.";
    expect(last).toMatchObject({
      status: 'workflow_complete',
      warnings: [told('deep_one'), never],
    });
  });

  test('a step that is skipped because its condition is false is named, with the values', async () => {
    verifies('JOBS-X.14');
    const { server } = await running();
    const start = (workflow_name: string, context = {}) =>
      server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name, context });
    const skipped = (id: string, why = ' (depth is "shallow")') =>
      `Step '${id}' was skipped: its condition does not hold${why}.`;
    const shallow = { depth: 'shallow' };
    expect(beyondNesting((await start('first', shallow)).warnings)).toEqual([skipped('deep_one')]);

    expect(beyondNesting((await start('middle', shallow)).warnings)).toEqual([]);
    const finish = { outputs: {}, step_id: 'one' };
    const moved = await server.ok('finished_step', finish);
    expect(moved.warnings).toEqual([skipped('deep_one'), skipped('deep_two')]);
    const again = await server.ok('finished_step', finish);
    expect(again.warnings, 'a repeated call gets it again').toEqual(moved.warnings);

    await start('last', shallow);
    const last = await server.ok('finished_step', { outputs: {} });
    expect(last.status).toBe('workflow_complete');
    expect(last.warnings.slice(0, 2)).toEqual([skipped('deep_one'), skipped('never_one', '')]);

    const long = await start('first', { depth: { note: 'x'.repeat(5000) } });
    const [named] = beyondNesting(long.warnings);
    expect(named).toContain('depth is {"note":"xxx');
    expect(named?.length).toBeLessThan(200);
  });

  test('a workflow without applicable steps cannot be started', async () => {
    verifies('JOBS-X.14');
    const { project, server, walk } = await running();
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'all' };
    expectRefusal(await server.call('start_workflow', start), "Workflow 'all' has no steps");
    expect(keptState(project)).toEqual({});
    expect((await server.ok('get_workflows')).stack).toEqual([]);
    expect(await walk('all', { depth: 'deep' })).toEqual(['deep_one', 'deep_two']);
  });

  test('members of a concurrent entry are chosen one by one', async () => {
    verifies('JOBS-X.14', 'JOBS-REQ-001.4.18', 'JOBS-X.13');
    const { server } = await running();
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'group' };
    const { begin_step } = await server.ok('start_workflow', start);
    expect(begin_step.step_id).toBe('one');
    expect(begin_step.concurrent_steps).toMatchObject([{ step_id: 'two' }]);
    expect(begin_step.step_instructions).toContain('**CONCURRENT STEPS**');
    expect(begin_step.step_instructions).not.toContain('deep_one');
    await server.ok('finished_step', { outputs: {}, step_id: 'one' });
    const next = await server.ok('finished_step', { outputs: {}, step_id: 'two' });
    // A single eligible member is a step like any other.
    expect(next.begin_step).toMatchObject({
      step_id: 'three',
      concurrent_steps: [],
      step_instructions: 'Do three now.\n',
    });
    expect((await server.ok('finished_step', { outputs: {} })).status).toBe('workflow_complete');
  });
});

describe('context', () => {
  test('always describes the session, whatever the caller claims', async () => {
    verifies('JOBS-X.14');
    const { project, server } = await running();
    const facts = {
      goal: 'Real goal',
      job_name: 'demo',
      workflow_name: 'acme',
      instance_id: 'acme',
    };
    const claims = { goal: 'x', job_name: 'y', workflow_name: 'z', instance_id: 'other', own: [1] };
    const { begin_step } = await server.ok('start_workflow', { ...facts, context: claims });
    expect(begin_step.step_id).toBe('for_acme');
    expect(readView(project, begin_step.session_id).context).toEqual({ ...facts, own: [1] });
    await server.ok('finished_step', { outputs: {}, context: claims });
    expect(readView(project, begin_step.session_id).context).toEqual({ ...facts, own: [1] });
  });

  test('given with finished_step applies to the same call, and stays', async () => {
    verifies('JOBS-X.14');
    const { project, server } = await running();
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'middle' };
    const context = { depth: 'flat', kept: true };
    const id = (await server.ok('start_workflow', { ...start, context })).begin_step.session_id;
    const given = { depth: 'deep' };
    const answer = await server.ok('finished_step', { outputs: {}, context: given });
    expect(answer.begin_step.step_id).toBe('deep_one');
    expect(readView(project, id).context).toMatchObject({ depth: 'deep', kept: true });
    // Both were on the way when the context said so; the next is judged on arrival.
    const back = await server.ok('finished_step', { outputs: {}, context: { depth: 'flat' } });
    expect(back.begin_step.step_id).toBe('two');
  });

  test('of a call that is not accepted is discarded', async () => {
    verifies('JOBS-X.14');
    const { project, server } = await running();
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'rules' };
    const id = (await server.ok('start_workflow', start)).begin_step.session_id;
    const before = readView(project, id).context;
    const failed = await server.ok('finished_step', {
      outputs: { report: 'bad.md' },
      context: { strict: true },
    });
    expect(failed.status).toBe('needs_work');
    await server.refused('finished_step', { outputs: {}, context: { strict: true } });
    expect(readView(project, id).context).toEqual(before);
    expect((await server.ok('finished_step', { outputs: { report: 'bad.md' } })).status).toBe(
      'next_step',
    );
  });

  test('given again applies to the rules of the same call', async () => {
    verifies('JOBS-X.14');
    const { server } = await running();
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'rules' };
    await server.ok('start_workflow', { ...start, context: { strict: false } });
    const failed = await server.ok('finished_step', {
      outputs: { report: 'bad.md' },
      context: { strict: true },
    });
    expect(failed).toMatchObject({ status: 'needs_work' });
  });
});
