// Inputs of a workflow: what start_workflow takes, refuses, keeps and tells.

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import {
  expectOneBudget,
  ISSUE,
  leftBehind,
  START,
  slowValues,
  slowVariables,
  triageProject,
  writeJobWithInputs,
} from './support.ts';

const NEXT =
  "Next: call start_workflow again with inputs: count (number; optional), issue (string; matching ^https://; required), log (file; optional), severity (one of low, high; default low), strict (boolean; optional). Paths are relative to this server's project, ";

describe('a start with inputs', () => {
  test.each(ERAS)('keeps them, with defaults, and puts them before the agent (%s)', async (era) => {
    verifies('LANG-1');
    const project = triageProject({ 'logs/a.log': 'Oops\n' });
    const agent = await connect(project.root, { era });
    const { jobs } = await agent.ok('get_workflows');
    const { inputs: listed } = jobs[0].workflows[0];
    expect(listed.slice(0, 2)).toEqual([
      {
        name: 'issue',
        description: "The issue's address",
        type: 'string',
        enum: null,
        required: true,
        default: null,
      },
      {
        name: 'severity',
        description: 'How bad it is',
        type: 'string',
        enum: ['low', 'high'],
        required: false,
        default: 'low',
      },
    ]);

    const inputs = { issue: ISSUE, count: 3, log: './logs/../logs/a.log', strict: null };
    const { begin_step } = await agent.ok('start_workflow', {
      ...START,
      inputs,
      context: { area: 'web' },
    });
    const kept = { count: 3, issue: ISSUE, log: 'logs/a.log', severity: 'low' };
    expect(begin_step.inputs).toEqual(kept);
    expect(begin_step.step_reports).toEqual([
      {
        name: 'regression',
        description: 'Did it work before?',
        type: 'boolean',
        enum: null,
        required: true,
        default: null,
      },
      {
        name: 'cause',
        description: 'What broke it',
        type: 'string',
        enum: null,
        required: false,
        default: null,
      },
    ]);
    const view = JSON.parse(
      readFileSync(project.path(`.deepwork/tmp/session_${begin_step.session_id}.json`), 'utf8'),
    );
    expect(view.context).toMatchObject({ ...kept, area: 'web', goal: 'Try it' });
    expect(view.inputs).toEqual(kept);
    expect(view.history[0]).toMatchObject({ event: 'started', inputs: kept });

    const told = await command(['history', begin_step.session_id], { cwd: project.root });
    expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `Inputs: count = 3; issue = ${ISSUE}; log = logs/a.log; severity = low`,
    );
    const active = await agent.ok('get_active_workflow');
    expect(active.begin_step.inputs).toEqual(kept);
  });

  test('is refused with every problem at once, and creates nothing', async () => {
    verifies('LANG-1');
    const project = triageProject();
    const agent = await connect(project.root);
    const text = await agent.refused('start_workflow', {
      ...START,
      inputs: {
        severity: 'medium',
        count: '3',
        strict: 'yes',
        log: 'ghost.log',
        zeta: 1,
        alpha: 2,
        beta: null,
      },
      context: { issue: 'x', strict: true },
    });
    expect(text.split('\n')).toEqual([
      'Missing required inputs: issue',
      'Unknown inputs: alpha, zeta. Declared inputs: count, issue, log, severity, strict',
      `Input 'count': must be a number, got "3"`,
      "Input 'log': must be a regular file inside the project, got ghost.log, which does not exist",
      "Input 'severity': must be one of low, high, got medium",
      "Input 'strict': must be a boolean, got yes",
      'Context must not name declared inputs: issue, strict',
      `${NEXT}${project.root}`,
    ]);
    const unmatched = await agent.call('start_workflow', {
      ...START,
      inputs: { issue: 'ftp://example.com' },
    });
    expect(unmatched.data.error).toMatchObject({
      code: 'inputs_invalid',
      message: "Input 'issue': must match ^https://, got ftp://example.com",
    });
    expect(leftBehind(project)).toEqual([]);
    expect(await agent.ok('get_active_workflow')).toMatchObject({ active: false });
  });

  test('takes no file that is outside the project, or no regular file', async () => {
    verifies('LANG-1');
    const project = triageProject();
    mkdirSync(project.path('folder'));
    symlinkSync('/etc/hostname', project.path('link'));
    const agent = await connect(project.root);
    for (const log of ['/etc/hostname', '../x', 'folder', 'link', '']) {
      const text = await agent.refused('start_workflow', {
        ...START,
        inputs: { issue: ISSUE, log },
      });
      expect(text).toContain("Input 'log': must be a regular file inside the project, got ");
      // Nothing is said about files elsewhere.
      expect(text).not.toContain('does not exist');
    }
    expect(leftBehind(project)).toEqual([]);
  });

  test('takes no NUL, and no path with control characters', async () => {
    verifies('LANG-1');
    const project = triageProject({ 'a\nb.log': 'Oops' });
    const agent = await connect(project.root);
    const text = await agent.refused('start_workflow', {
      ...START,
      inputs: { issue: `${ISSUE}\0`, log: 'a\nb.log' },
      context: { area: 'w\0eb', deep: [{ '\0': 1 }], fine: '\\u0000' },
    });
    expect(text.split('\n').slice(0, -1)).toEqual([
      `Input 'issue': must be text without NUL characters, got ${ISSUE}\\u0000`,
      "Input 'log': must be a path without control characters, got a\\nb.log",
      "Context 'area': must be without NUL characters",
      "Context 'deep': must be without NUL characters",
    ]);
    for (const log of ['a\0b', '\0']) {
      const inputs = { issue: ISSUE, log };
      expect(await agent.refused('start_workflow', { ...START, inputs })).toContain(
        "Input 'log': must be a path without control characters, got ",
      );
    }
    expect(leftBehind(project)).toEqual([]);
  });

  test('gives a file that looks like an option as a path', async () => {
    verifies('LANG-1', 'LANG-2');
    const project = triageProject({ '-n': 'Oops' });
    const agent = await connect(project.root);
    const inputs = { issue: ISSUE, log: '-n' };
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs });
    expect(begin_step.inputs.log).toBe('./-n');
  });

  test('is refused by a workflow, or a guide, that declares none', async () => {
    verifies('LANG-1');
    const project = newProject();
    writeJobWithInputs(project, null, { a: {} });
    const agent = await connect(project.root);
    const inputs = { b: 1, a: 2 };
    for (const start of [START, { ...START, job_name: 'auth-implementation' }]) {
      expect(await agent.refused('start_workflow', { ...start, inputs })).toBe(
        'Unknown inputs: a, b. Declared inputs: (none)\nNext: call start_workflow again without inputs; this workflow declares none.',
      );
    }
    const { jobs } = await agent.ok('get_workflows');
    expect(Object.hasOwn(jobs[0].workflows[0], 'inputs')).toBe(false);
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs: null });
    // Nothing is told that could not happen.
    expect(Object.keys(begin_step)).not.toContain('inputs');
    expect(Object.keys(begin_step)).not.toContain('step_reports');
  });

  test('holds a default to be a file like any other', async () => {
    verifies('LANG-1');
    const project = newProject();
    const log = { description: 'A log', type: 'file', default: 'default.log' };
    writeJobWithInputs(project, { log }, { a: {} });
    const agent = await connect(project.root);
    expect(await agent.refused('start_workflow', START)).toContain('got default.log');
    project.write('default.log', 'Oops\n');
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(begin_step.inputs).toEqual({ log: 'default.log' });
  });

  test('cannot be changed by the context of a later call', async () => {
    verifies('LANG-1');
    const project = triageProject({ 'p.md': 'P\n' });
    const agent = await connect(project.root);
    await agent.ok('start_workflow', { ...START, inputs: { issue: ISSUE } });
    const { begin_step } = await agent.ok('finished_step', {
      outputs: {},
      context: { regression: false, severity: 'high', note: 'n' },
    });
    expect(begin_step.inputs).toEqual({ issue: ISSUE, severity: 'low' });
    const view = JSON.parse(
      readFileSync(project.path(`.deepwork/tmp/session_${begin_step.session_id}.json`), 'utf8'),
    );
    expect(view.context).toMatchObject({ severity: 'low', note: 'n', regression: false });
  });

  test('that lost its answer is known again by its inputs', async () => {
    verifies('LANG-1');
    const project = triageProject();
    const one = await command(
      ['call', 'start_workflow', '--json', JSON.stringify({ ...START, inputs: { issue: ISSUE } })],
      { cwd: project.root },
    );
    expect(one.code).toBe(0);
    const { begin_step } = JSON.parse(one.stdout);
    expect(begin_step.inputs).toEqual({ issue: ISSUE, severity: 'low' });
  });
});

describe('deepwork call start_workflow --inputs', () => {
  const callWith = (...inputs: string[]) => [
    'call',
    'start_workflow',
    ...Object.entries(START).flatMap(([name, value]) => [`--${name}`, value]),
    ...inputs.flatMap((each) => ['--inputs', each]),
  ];

  test('reads each value by its declared type', async () => {
    verifies('LANG-1');
    const project = newProject();
    writeJobWithInputs(
      project,
      {
        text: { description: 'A text' },
        number: { description: 'A number', type: 'number' },
        flag: { description: 'A flag', type: 'boolean' },
      },
      { a: {} },
    );
    const { code, stdout } = await command(callWith('text=12', 'number=12', 'flag=true'), {
      cwd: project.root,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).begin_step.inputs).toEqual({ text: '12', number: 12, flag: true });

    const wrong = await command(callWith('text=', 'number=many', 'flag=1', 'ghost=7'), {
      cwd: project.root,
    });
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout).error.message.split('\n')).toEqual([
      'Unknown inputs: ghost. Declared inputs: flag, number, text',
      `Input 'flag': must be a boolean, got "1"`,
      "Input 'number': must be a number, got many",
    ]);

    const json = await command(callWith('{"text": "a", "number": 1, "flag": false}'), {
      cwd: project.root,
    });
    expect(JSON.parse(json.stdout).begin_step.inputs).toEqual({
      flag: false,
      number: 1,
      text: 'a',
    });
  });
});

test('values whose patterns take long are tested within one budget, and refused beyond it', async () => {
  verifies('LANG-1');
  const project = newProject();
  writeJobWithInputs(project, slowVariables(25), { a: {} });
  const agent = await connect(project.root);
  const given = { ...START, inputs: slowValues(25) };
  const refused = await agent.call('start_workflow', given);
  expect(refused.isError).toBe(true);
  expectOneBudget(refused.text, 'Input ', 25);
  expect(leftBehind(project)).toEqual([]);
});
