// Reports of a step: what finished_step asks for in context, and what becomes of it.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { entriesProject } from './entries.ts';
import {
  expectOneBudget,
  ISSUE,
  START,
  slowValues,
  slowVariables,
  triageProject,
  writeJobWithInputs,
} from './support.ts';

function viewOf(project: Project, id: string) {
  return JSON.parse(readFileSync(project.path(`.deepwork/tmp/session_${id}.json`), 'utf8'));
}

async function begin(project: Project): Promise<{ agent: Connection; id: string }> {
  const agent = await connect(project.root);
  const { begin_step } = await agent.ok('start_workflow', { ...START, inputs: { issue: ISSUE } });
  return { agent, id: begin_step.session_id };
}

describe('the reports of a step', () => {
  test('decide with the same call where the run goes, and are on record', async () => {
    verifies('LANG-1');
    const project = triageProject();
    const { agent, id } = await begin(project);
    const next = await agent.ok('finished_step', { outputs: {}, context: { regression: true } });
    expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'bisect' } });
    const view = viewOf(project, id);
    expect(view.context.regression).toBe(true);
    expect(view.step_progress.assess.reports).toEqual({ regression: true });
    expect(view.history).toContainEqual(
      expect.objectContaining({ event: 'accepted', reports: { regression: true } }),
    );
    const told = await command(['history', id], { cwd: project.root });
    expect(told.stdout).toContain('Reports: regression = true');
  });

  test('are all judged at once; nothing changes until they fit', async () => {
    verifies('LANG-1');
    const project = newProject();
    writeJobWithInputs(project, null, {
      a: {
        reports: {
          zone: { description: 'Where' },
          area: { description: 'Which' },
          level: { description: 'How bad', enum: ['low', 'high'] },
          size: { description: 'How large', type: 'number', default: 1 },
        },
      },
      b: {},
    });
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', START);
    const before = viewOf(project, begin_step.session_id);
    const context = { level: 'mid', size: 'big', zone: null, other: 1 };
    const refused = await agent.call('finished_step', { outputs: {}, context });
    expect(refused.text.split('\n')).toEqual([
      'Missing required reports: area, zone',
      "Report 'level': must be one of low, high, got mid",
      "Report 'size': must be a number, got big",
      'Next: call finished_step again with the reports in context: area (string; required), level (one of low, high; required), size (number; default 1), zone (string; required).',
    ]);
    expect(refused.data.error.code).toBe('reports_invalid');
    expect(viewOf(project, begin_step.session_id)).toEqual(before);

    const right = { area: 'a', zone: 'z', level: 'low', other: 1 };
    const next = await agent.ok('finished_step', { outputs: {}, context: right });
    expect(next.begin_step.step_id).toBe('b');
    expect(viewOf(project, begin_step.session_id).context).toMatchObject({ ...right, size: 1 });
  });

  test('and all else in the context have no NUL', async () => {
    verifies('LANG-1');
    const project = triageProject({ 'fix.patch': '' });
    const { agent } = await begin(project);
    const context = { regression: true, cause: 'a\0b', other: { deep: ['\0'] } };
    const text = await agent.refused('finished_step', { outputs: {}, context });
    expect(text.split('\n').slice(0, -1)).toEqual([
      "Report 'cause': must be text without NUL characters, got a\\u0000b",
      "Context 'other': must be without NUL characters",
    ]);
    await agent.ok('finished_step', { outputs: {}, context: { regression: false } });
    const outputs = { patch: 'fix.patch' };
    const later = await agent.refused('finished_step', { outputs, context: { x: '\0' } });
    expect(later).toBe(
      "Context 'x': must be without NUL characters\nNext: call finished_step again without them.",
    );
  });

  test('do not hide that a call is the last one once more', async () => {
    verifies('LANG-1');
    const project = newProject();
    writeJobWithInputs(project, null, {
      a: { reports: { x: { description: 'X' } } },
      b: { reports: { y: { description: 'Y' } } },
    });
    const agent = await connect(project.root);
    await agent.ok('start_workflow', START);
    const call = { outputs: {}, context: { x: '1' } };
    const first = await agent.ok('finished_step', call);
    expect(first.begin_step.step_id).toBe('b');
    // It does not report what step b asks for, so it can only be the same call.
    expect(await agent.ok('finished_step', call)).toEqual(first);
    const last = await agent.ok('finished_step', { outputs: {}, context: { y: '2' } });
    expect(last.status).toBe('workflow_complete');
  });

  test('are never swallowed as a repeat: a call that differs in its context is another call', async () => {
    verifies('JOBS-X.10');
    const project = newProject();
    const verdict = { description: 'V', enum: ['pass', 'fail'] };
    writeJobWithInputs(project, null, {
      a: {},
      b: { reports: { verdict } },
      c: { reports: { verdict } },
    });
    const agent = await connect(project.root);
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: {} });
    const wrong = { outputs: {}, context: { verdict: 'maybe' } };
    expect(await agent.refused('finished_step', wrong)).toContain(
      "Report 'verdict': must be one of pass, fail, got maybe",
    );
    const right = { outputs: {}, context: { verdict: 'pass' } };
    expect((await agent.ok('finished_step', right)).begin_step.step_id).toBe('c');
    expect(await agent.refused('finished_step', { outputs: {} })).toContain(
      'Missing required reports: verdict',
    );
  });

  test('of steps that are done again are cleared, and older values count', async () => {
    verifies('LANG-1');
    const project = newProject();
    const again = { reports: { x: { description: 'X' } } };
    writeJobWithInputs(
      project,
      { x: { description: 'X', default: 'input' } },
      {
        a: again,
        b: again,
        c: { reports: { y: { description: 'Y' } } },
        d: {},
      },
    );
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', START);
    const context = () => viewOf(project, begin_step.session_id).context;
    expect(context().x).toBe('input');
    await agent.ok('finished_step', { outputs: {}, context: { x: 'from a' } });
    await agent.ok('finished_step', { outputs: {}, context: { x: 'from b', kept: 1 } });
    await agent.ok('finished_step', { outputs: {}, context: { y: 'from c' } });
    expect(context()).toMatchObject({ x: 'from b', y: 'from c', kept: 1 });
    await agent.ok('go_to_step', { step_id: 'b' });
    expect(context()).toMatchObject({ x: 'from a', kept: 1 });
    expect(Object.hasOwn(context(), 'y')).toBe(false);
    const { begin_step: first } = await agent.ok('go_to_step', { step_id: 'a' });
    expect(context().x).toBe('input');
    expect(first.inputs).toEqual({ x: 'input' });
  });

  test('are asked of each member of a concurrent entry that is submitted', async () => {
    verifies('LANG-1');
    const project = newProject({ 'a.md': 'A\n', 'b.md': 'B\n' });
    writeJobWithInputs(project, null, {
      a: { outputs: { one: 'file' }, reports: { x: { description: 'X' } } },
      b: { outputs: { two: 'file' }, reports: { y: { description: 'Y' } } },
    });
    const file = project.path('.deepwork/jobs/demo/job.yml');
    const text = readFileSync(file, 'utf8').replace('- a\n      - b', '- [a, b]');
    project.write('.deepwork/jobs/demo/job.yml', text);
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(begin_step.concurrent_steps[0].step_reports).toMatchObject([{ name: 'y' }]);
    const both = { one: 'a.md', two: 'b.md' };
    expect(await agent.refused('finished_step', { outputs: both, context: {} })).toMatch(
      /^Missing required reports: x\nMissing required reports: y\nNext: /,
    );
    const one = { outputs: { one: 'a.md' }, context: { x: '1' } };
    expect(await agent.ok('finished_step', one)).toMatchObject({ reason: 'members_open' });
    const other = { outputs: { two: 'b.md' }, context: { y: '2' } };
    expect(await agent.ok('finished_step', other)).toMatchObject({ status: 'workflow_complete' });
  });
});

describe('deepwork call finished_step --context', () => {
  test('reads each value by the type that a report or an input of a run declares', async () => {
    verifies('LANG-1', 'LANG-6');
    const inputs = { version: 'release', count: 'size' };
    const project = entriesProject({
      entries: ['a', { run: { name: 'sub', job: 'other', workflow: 'main', inputs } }],
      steps: {
        a: {
          outputs: { note: 'file' },
          reports: { target: { description: 'T' }, size: { description: 'S', type: 'number' } },
        },
      },
      jobs: {
        other: {
          entries: ['b'],
          steps: { b: {} },
          inputs: {
            version: { description: 'V' },
            count: { description: 'C', type: 'number' },
          },
        },
      },
    });
    project.write('note.md', 'A note\n');
    const deepwork = (...args: string[]) => command(['call', ...args], { cwd: project.root });
    const start = Object.entries({ ...START, job_name: 'work' }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]);
    const { stdout } = await deepwork('start_workflow', ...start);
    const { session_id } = JSON.parse(stdout).begin_step;
    const given = ['target=2.1', 'size=3', 'release=2.0', 'other=4', 'quoted="5"'];
    const context = given.flatMap((each) => ['--context', each]);
    const next = await deepwork('finished_step', '--outputs', 'note=note.md', ...context);
    expect(next.stdout).toContain('"next_step"');
    expect(JSON.parse(next.stdout).begin_step.inputs).toEqual({ count: 3, version: '2.0' });
    expect(viewOf(project, session_id).context).toMatchObject({
      target: '2.1',
      size: 3,
      release: '2.0',
      other: 4,
      quoted: '5',
    });
  });
});

test('reports whose patterns take long are tested within one budget, and refused beyond it', async () => {
  verifies('LANG-1');
  const project = newProject();
  writeJobWithInputs(project, null, { a: { reports: slowVariables(25) }, b: {} });
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  const given = { outputs: {}, context: slowValues(25) };
  const refused = await agent.call('finished_step', given);
  expect(refused.isError).toBe(true);
  expectOneBudget(refused.text, 'Report ', 25);
});
