// Sessions at their edges: three on a stack, members of an entry that are handed in one by one
// or edited meanwhile, conditions whose variables are not set, and messages that are too long.

import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type StepSpec, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

async function started(
  steps: Readonly<Record<string, StepSpec>>,
  main: readonly (string | readonly string[])[],
) {
  const project = newProject();
  writeJob(project, 'demo', steps, { main });
  const agent = await connect(project.root);
  const { begin_step } = await agent.ok('start_workflow', START);
  return { project, agent, id: begin_step.session_id as string };
}

describe('start_workflow', () => {
  test('a workflow is nested in the one on top of the stack, and not in the lowest', async () => {
    const { project, agent, id } = await started({ a: {} }, ['a']);
    const second = (await agent.ok('start_workflow', START)).begin_step.session_id;
    const third = (await agent.ok('start_workflow', START)).begin_step.session_id;
    expect(readView(project, second).parent_session_id).toBe(id);
    expect(readView(project, third).parent_session_id).toBe(second);
  });

  test('blanks around the name of a run are no part of it, and blanks alone are no name', async () => {
    const { project, agent } = await started({ a: {} }, ['a']);
    const named = async (instance_id: string) => {
      const { begin_step } = await agent.ok('start_workflow', { ...START, instance_id });
      return readView(project, begin_step.session_id).instance_id;
    };
    expect(await named('  acme ')).toBe('acme');
    expect(await named('   ')).toBeNull();
  });
});

const MEMBERS = { a: {}, b: {}, c: {}, last: {} };
const ENTRIES = [['a', 'b', 'c'], 'last'];

describe('members of a concurrent entry', () => {
  test('the last accepted call names only the member that it was about', async () => {
    verifies('JOBS-X.13');
    const { project, agent, id } = await started(MEMBERS, ENTRIES);
    await agent.ok('finished_step', { step_id: 'a', outputs: {}, notes: 'One' });
    await agent.ok('finished_step', { step_id: 'b', outputs: {}, notes: 'Two' });
    expect(readView(project, id).last_accepted).toEqual({
      step_ids: ['b'],
      outputs: {},
      notes: 'Two',
    });
  });

  test('a call about a later step is told of a member that is open, and not of one that is done', async () => {
    verifies('JOBS-X.13');
    const { agent } = await started(MEMBERS, ENTRIES);
    await agent.ok('finished_step', { step_id: 'a', outputs: {} });
    const { next } = readRefusal(
      await agent.call('finished_step', { step_id: 'last', outputs: {} }),
    );
    expect(next).toContain("do step 'b' and call finished_step");
  });
});

describe('a definition that is edited while members of an entry are open', () => {
  test('a check that was changed runs for a member that is handed in again, and is on record', async () => {
    verifies('JOBS-X.13');
    const project = newProject({ 'a.md': 'A\n' });
    const define = (run: string) => {
      const a = { outputs: { result: 'file' }, checks: [{ name: 'look', run }] };
      writeJob(project, 'demo', { a, b: {} }, { main: [['a', 'b']] });
    };
    define('true');
    const agent = await connect(project.root, { args: ['--trust'] });
    const { begin_step } = await agent.ok('start_workflow', START);
    const again = { step_id: 'a', outputs: { result: 'a.md' } };
    await agent.ok('finished_step', again);
    define('test -s a.md');
    for (const times of ['once', 'twice']) {
      await agent.ok('finished_step', again);
      const ran = historyOf(project, begin_step.session_id).filter(
        (event) => event === 'check_ran',
      );
      expect(ran, times).toHaveLength(2);
    }
  });

  test('the entry is still found when its first member was removed', async () => {
    verifies('JOBS-X.13');
    const { project, agent } = await started(MEMBERS, ENTRIES);
    writeJob(project, 'demo', MEMBERS, { main: [['b', 'c'], 'last'] });
    expect((await agent.ok('get_active_workflow')).begin_step.step_id).toBe('b');
    await agent.ok('finished_step', { step_id: 'b', outputs: {} });
    const done = await agent.ok('finished_step', { step_id: 'c', outputs: {} });
    expect(done.begin_step.step_id).toBe('last');
  });
});

describe('conditions', () => {
  const when = { var: 'wide', equals: true };

  test('a member that was skipped on arrival does not join when its condition comes true', async () => {
    verifies('JOBS-X.14');
    const { agent } = await started({ ...MEMBERS, b: { when } }, ENTRIES);
    const context = { wide: true };
    await agent.ok('finished_step', { step_id: 'a', outputs: {}, context });
    const done = await agent.ok('finished_step', { step_id: 'c', outputs: {} });
    expect(done).toMatchObject({ status: 'next_step', begin_step: { step_id: 'last' } });
  });

  test('facts are asked for only as far as the next step that is certain to run', async () => {
    const { agent } = await started(
      { a: {}, b: { when }, c: {}, d: { when }, e: {} },
      'abcde'.split(''),
    );
    const { warnings } = await agent.ok('start_workflow', START);
    const asked = warnings.filter((warning: string) => warning.includes('depends on'));
    expect(asked).toEqual([expect.stringMatching(/^Step 'b' depends on 'wide'/)]);
  });

  test('facts are not asked for that a step at hand must report', async () => {
    const wide = { type: 'boolean', description: 'Is it wide?' };
    const asked = ({ warnings }: { warnings: string[] }) =>
      warnings.flatMap(
        (text) => /^Step '(\w+)' depends on '(\w+)'/.exec(text)?.slice(1).join() ?? [],
      );
    const askedAtStart = async (steps: Parameters<typeof started>[0]) => {
      const { agent } = await started(steps, ['a', 'b', 'c']);
      return asked(await agent.ok('start_workflow', START));
    };
    expect(await askedAtStart({ a: { reports: { wide } }, b: { when }, c: {} })).toEqual([]);
    // It may be left out.
    const optional = { reports: { wide: { ...wide, required: false } } };
    expect(await askedAtStart({ a: optional, b: { when }, c: {} })).toEqual(['b,wide']);
    // The step that must report it may be skipped.
    const skippable = { reports: { wide }, when: { var: 'deep' } };
    expect(await askedAtStart({ a: {}, b: skippable, c: { when } })).toEqual(['b,deep', 'c,wide']);
  });
});

test('a message that is too long is cut between two characters', async () => {
  verifies('JOBS-X.8');
  const { agent } = await started({ a: {} }, ['a']);
  // Three bytes each: of three beginnings at most one meets the cut.
  for (const beginning of ['', 'x', 'xx']) {
    const names = Array.from({ length: 200 }, (_, at) => `${beginning}${'€'.repeat(20)}${at}`);
    const outputs = Object.fromEntries(names.map((name) => [name, 'a.md']));
    const { message } = readRefusal(await agent.call('finished_step', { outputs }));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
    expect(message).toMatch(/ … \(cut\)$/);
    expect(message).not.toContain('\ufffd');
  }
});
