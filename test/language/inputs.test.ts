// Inputs of a workflow, reports of a step, and their values in instructions and commands.

import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';
import { entriesProject, startRun } from './entries.ts';
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

const X = { x: { description: 'X' } };
const Y = { y: { description: 'Y' } };
const REPORT = { description: 'V', enum: ['pass', 'fail'] };

/** A start that must be refused and leave nothing behind. */
async function refusedStart(project: Project, more: Record<string, unknown>) {
  const agent = await connect(project.root);
  const refusal = readRefusal(await agent.call('start_workflow', { ...START, ...more }));
  expect(refusal.code).toBe('inputs_invalid');
  expect(leftBehind(project)).toEqual([]);
  expect(await agent.ok('get_active_workflow')).toMatchObject({ active: false });
  return refusal;
}

describe('a start with inputs', () => {
  test.each(ERAS)('keeps them, with defaults, and puts them before the agent (%s)', async (era) => {
    verifies('LANG-1');
    const project = triageProject({ 'logs/a.log': 'Oops\n' });
    const agent = await connect(project.root, { era });
    const { jobs } = await agent.ok('get_workflows');
    expect(jobs[0].workflows[0].inputs.slice(0, 2)).toEqual([
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
    const { begin_step } = await agent.ok('start_workflow', {
      ...START,
      inputs: { issue: ISSUE, count: 3, log: './logs/../logs/a.log', strict: null },
      context: { area: 'web' },
    });
    const kept = { count: 3, issue: ISSUE, log: 'logs/a.log', severity: 'low' };
    expect(begin_step.inputs).toEqual(kept);
    expect(begin_step.step_reports).toMatchObject([
      { name: 'regression', type: 'boolean', required: true, enum: null, default: null },
      { name: 'cause', type: 'string', required: false },
    ]);
    const view = readView(project, begin_step.session_id);
    expect(view.context).toMatchObject({ ...kept, area: 'web', goal: 'Try it' });
    expect(view.inputs).toEqual(kept);
    expect(view.history[0]).toMatchObject({ event: 'started', inputs: kept });
    expect((await agent.ok('get_active_workflow')).begin_step.inputs).toEqual(kept);

    // The context of a later call changes none of them.
    const context = { regression: false, severity: 'high', note: 'n' };
    const next = await agent.ok('finished_step', { outputs: {}, context });
    expect(next.begin_step.inputs).toEqual(kept);
    expect(readView(project, begin_step.session_id).context).toMatchObject({
      severity: 'low',
      note: 'n',
      regression: false,
    });
  });

  test('is refused with every problem at once, and creates nothing', async () => {
    verifies('LANG-1');
    const project = triageProject();
    const given = { severity: 'medium', count: '3', strict: 'yes', log: 'ghost.log' };
    const { message, next } = await refusedStart(project, {
      inputs: { ...given, zeta: 1, alpha: 2, beta: null },
      context: { issue: 'x', strict: true },
    });
    expect(message.split('\n')).toEqual([
      'Missing required inputs: issue',
      'Unknown inputs: alpha, zeta. Declared inputs: count, issue, log, severity, strict',
      `Input 'count': must be a number, got "3"`,
      expect.stringMatching(/'log'.*ghost\.log/),
      "Input 'severity': must be one of low, high, got medium",
      expect.stringMatching(/'strict'.*yes/),
      expect.stringMatching(/issue, strict/),
    ]);
    expect(next).toContain(project.root);
    const inputs = { issue: 'ftp://example.com' };
    expect((await refusedStart(project, { inputs })).message).toContain('^https://');
  });

  test('takes no file that is outside the project, or no regular file, and no control characters', async () => {
    verifies('LANG-1');
    const project = triageProject({ 'a\nb.log': 'Oops' });
    mkdirSync(project.path('folder'));
    symlinkSync('/etc/hostname', project.path('link'));
    const unsafe = ['a\nb.log', 'a\0b', '\0'];
    for (const log of ['/etc/hostname', '../x', 'folder', 'link', '', ...unsafe]) {
      const { message } = await refusedStart(project, { inputs: { issue: ISSUE, log } });
      expect(message).toContain("Input 'log'");
      expect(message.split('\n')).toHaveLength(1);
      // Nothing is said about files elsewhere.
      expect(message).not.toContain('does not exist');
    }
    const { message } = await refusedStart(project, {
      inputs: { issue: `${ISSUE}\0` },
      context: { area: 'w\0eb', deep: [{ '\0': 1 }], fine: '\\u0000' },
    });
    expect(message.match(/'\w+'/g)).toEqual(["'issue'", "'area'", "'deep'"]);
  });

  test('gives a file that looks like an option as a path, and holds a default to be a file', async () => {
    verifies('LANG-1', 'LANG-2');
    const project = newProject();
    const file = { description: 'A log', type: 'file' };
    const inputs = { log: { ...file, default: 'default.log' }, odd: { ...file, required: false } };
    writeJobWithInputs(project, inputs, { a: {} });
    expect((await refusedStart(project, {})).message).toContain('default.log');
    project.write('default.log', 'Oops\n');
    project.write('-n', 'Oops\n');
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs: { odd: '-n' } });
    expect(begin_step.inputs).toEqual({ log: 'default.log', odd: './-n' });
  });

  test('is refused by a workflow, or a guide, that declares none', async () => {
    verifies('LANG-1');
    const project = newProject();
    writeJobWithInputs(project, null, { a: {} });
    for (const job_name of [START.job_name, 'auth-implementation']) {
      const { message } = await refusedStart(project, { job_name, inputs: { b: 1, a: 2 } });
      expect(message).toContain('a, b');
    }
    const agent = await connect(project.root);
    const { jobs } = await agent.ok('get_workflows');
    expect(Object.hasOwn(jobs[0].workflows[0], 'inputs')).toBe(false);
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs: null });
    // Nothing is told that could not happen.
    expect(Object.keys(begin_step)).not.toContain('inputs');
    expect(Object.keys(begin_step)).not.toContain('step_reports');
  });
});

describe('the reports of a step', () => {
  /** A run of steps with these reports, in their order. */
  const reporting = (...reports: readonly object[]) => {
    const ids = reports.map((_, at) => `s${at + 1}`);
    const steps = Object.fromEntries(ids.map((id, at) => [id, { reports: reports[at] }]));
    return startRun({ entries: ids, steps });
  };

  test('decide with the same call where the run goes, and are on record', async () => {
    verifies('LANG-1');
    const project = triageProject();
    const agent = await connect(project.root);
    const started = await agent.ok('start_workflow', { ...START, inputs: { issue: ISSUE } });
    const next = await agent.ok('finished_step', { outputs: {}, context: { regression: true } });
    expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'bisect' } });
    const view = readView(project, started.begin_step.session_id);
    const reports = { regression: true };
    expect(view.context).toMatchObject(reports);
    expect(view.step_progress.assess.reports).toEqual(reports);
    expect(view.history).toContainEqual(expect.objectContaining({ event: 'accepted', reports }));
  });

  test('are all judged at once; nothing changes until they fit', async () => {
    verifies('LANG-1');
    const run = await reporting(
      {
        zone: { description: 'Where' },
        area: { description: 'Which' },
        level: { description: 'How bad', enum: ['low', 'high'] },
        size: { description: 'How large', type: 'number', default: 1 },
      },
      {},
    );
    const before = run.view();
    const context = { level: 'mid', size: 'big', zone: null, other: { deep: ['\0'] } };
    const { code, message } = await run.refusal({}, { context });
    expect(code).toBe('reports_invalid');
    expect(message.split('\n')).toEqual([
      'Missing required reports: area, zone',
      "Report 'level': must be one of low, high, got mid",
      "Report 'size': must be a number, got big",
      expect.stringContaining("'other'"),
    ]);
    expect(run.view()).toEqual(before);
    const right = { area: 'a', zone: 'z', level: 'low', other: 1 };
    expect((await run.finish({}, { context: right })).begin_step.step_id).toBe('s2');
    expect(run.view().context).toMatchObject({ ...right, size: 1 });
    expect((await run.refusal({}, { context: { x: '\0' } })).message).toContain("'x'");
  });

  test('do not hide that a call is the last one once more', async () => {
    verifies('LANG-1');
    const run = await reporting(X, Y);
    const call = { context: { x: '1' } };
    const first = await run.finish({}, call);
    expect(first.begin_step.step_id).toBe('s2');
    // It does not report what the second step asks for, so it can only be the same call.
    expect(await run.finish({}, call)).toEqual(first);
    expect((await run.finish({}, { context: { y: '2' } })).status).toBe('workflow_complete');
  });

  test('are never swallowed as a repeat: a call that differs in its context is another call', async () => {
    verifies('JOBS-X.10');
    const run = await reporting({}, { verdict: REPORT }, { verdict: REPORT });
    await run.finish({});
    const wrong = await run.refusal({}, { context: { verdict: 'maybe' } });
    expect(wrong).toMatchObject({ code: 'reports_invalid' });
    expect((await run.finish({}, { context: { verdict: 'pass' } })).begin_step.step_id).toBe('s3');
    expect((await run.refusal({})).code).toBe('reports_invalid');
  });

  test('of steps that are done again are cleared, and older values count', async () => {
    verifies('LANG-1');
    const run = await startRun({
      entries: ['a', 'b', 'c', 'd'],
      steps: { a: { reports: X }, b: { reports: X }, c: { reports: Y }, d: {} },
      inputs: { x: { description: 'X', default: 'input' } },
    });
    const context = () => run.view().context;
    expect(context().x).toBe('input');
    await run.finish({}, { context: { x: 'from a' } });
    await run.finish({}, { context: { x: 'from b', kept: 1 } });
    await run.finish({}, { context: { y: 'from c' } });
    expect(context()).toMatchObject({ x: 'from b', y: 'from c', kept: 1 });
    await run.agent.ok('go_to_step', { step_id: 'b' });
    expect(context()).toMatchObject({ x: 'from a', kept: 1 });
    expect(Object.hasOwn(context(), 'y')).toBe(false);
    const { begin_step } = await run.agent.ok('go_to_step', { step_id: 'a' });
    expect([context().x, begin_step.inputs]).toEqual(['input', { x: 'input' }]);
  });

  test('are asked of each member of a concurrent entry that is submitted', async () => {
    verifies('LANG-1');
    const run = await startRun({
      entries: [['a', 'b']],
      steps: {
        a: { outputs: { one: 'file' }, reports: X },
        b: { outputs: { two: 'file' }, reports: Y },
      },
      files: { 'a.md': 'A' },
    });
    const { message } = await run.refusal({ one: 'a.md', two: 'a.md' }, { context: {} });
    expect(message.split('\n')).toEqual([
      'Missing required reports: x',
      'Missing required reports: y',
    ]);
    const one = await run.finish({ one: 'a.md' }, { context: { x: '1' } });
    expect(one.reason).toBe('members_open');
    const other = await run.finish({ two: 'a.md' }, { context: { y: '2' } });
    expect(other.status).toBe('workflow_complete');
  });
});

describe('a value', () => {
  test('fills instructions once, and what has no value stays', async () => {
    verifies('LANG-2');
    const declared = { issue: { description: 'I' }, trick: { description: 'T' } };
    const run = await startRun({
      entries: ['z', 'a'],
      steps: { z: {}, a: {} },
      inputs: { ...declared, none: { description: 'N', required: false } },
      start: { inputs: { issue: '#1', trick: '{{ inputs.issue }}' } },
    });
    const open = '{{ inputs.none }}, {{ inputs.ghost }}, {{ x }}, {{ item }}';
    const text = `{{ inputs.issue }}, {{inputs.trick}}, {{{ inputs.issue }}}, ${open}.\n`;
    run.project.write('.deepwork/jobs/work/steps/a.md', text);
    const { begin_step } = await run.finish({});
    expect(begin_step.step_instructions).toBe(`#1, {{ inputs.issue }}, {#1}, ${open}.\n`);
  });

  test('never fills a command, which finds it in its environment', async () => {
    verifies('LANG-2');
    const says = [
      `printf '%s|' "$DEEPWORK_INPUT_TITLE" "$DEEPWORK_INPUT_COUNT" "$DEEPWORK_INPUT_STRICT"`,
      `printf '%s' '{{ inputs.title }}' "\${DEEPWORK_INPUT_NONE-unset}" "\${DEEPWORK_ITEM-unset}"`,
    ].join('; ');
    const title = '$(touch pwned); `touch pwned`';
    const run = await startRun({
      entries: ['a'],
      steps: { a: { checks: [{ name: 'says', run: `${says}; exit 1` }] } },
      inputs: {
        title: { description: 'A title' },
        count: { description: 'A number', type: 'number', default: 2 },
        strict: { description: 'A flag', type: 'boolean', default: false },
        none: { description: 'Not given', required: false },
      },
      start: { inputs: { title } },
    });
    const { reason, feedback } = await run.finish({});
    expect(reason).toBe('checks');
    expect(feedback).toContain(`${title}|2|false|{{ inputs.title }}unsetunset`);
  });

  test('on the command line is read by its declared type, also that of the run it is given to', async () => {
    verifies('LANG-1', 'LANG-6');
    const text = { description: 'T' };
    const number = { description: 'N', type: 'number' };
    const inputs = { version: 'release', count: 'size' };
    const project = entriesProject({
      entries: ['a', { run: { name: 'sub', job: 'other', workflow: 'main', inputs } }],
      steps: { a: { outputs: { note: 'file' }, reports: { target: text, size: number } } },
      inputs: { text, number, flag: { description: 'F', type: 'boolean' } },
      jobs: {
        other: { entries: ['b'], steps: { b: {} }, inputs: { version: text, count: number } },
      },
      files: { 'note.md': 'A note' },
    });
    const call = async (...args: string[]) => {
      const { code, stdout } = await command(['call', ...args], { cwd: project.root });
      return { code, ...JSON.parse(stdout) };
    };
    const each = (option: string, values: string[]) => values.flatMap((one) => [option, one]);
    const goal = ['--goal', 'g', '--job_name', 'work', '--workflow_name', 'main'];
    const start = (...given: string[]) =>
      call('start_workflow', ...goal, ...each('--inputs', given));

    const wrong = await start('text=', 'number=many', 'flag=1', 'ghost=7');
    expect([wrong.code, wrong.error.code]).toEqual([1, 'inputs_invalid']);
    expect(wrong.error.message.split('\n')).toEqual([
      expect.stringContaining('ghost'),
      expect.stringContaining("'flag'"),
      expect.stringContaining("'number'"),
    ]);
    const json = await start('{"text": "12", "number": 12, "flag": true}');
    const typed = await start('text=12', 'number=12', 'flag=true');
    for (const { begin_step } of [json, typed]) {
      expect(begin_step.inputs).toEqual({ text: '12', number: 12, flag: true });
    }
    const context = ['target=2.1', 'size=3', 'release=2.0', 'other=4', 'quoted="5"'];
    const outputs = ['--outputs', 'note=note.md'];
    const next = await call('finished_step', ...outputs, ...each('--context', context));
    expect(next.begin_step.inputs).toEqual({ count: 3, version: '2.0' });
    const kept = { target: '2.1', size: 3, release: '2.0', other: 4, quoted: '5' };
    expect(readView(project, typed.begin_step.session_id).context).toMatchObject(kept);
  });

  test('whose pattern takes long is tested within one budget for all, and refused beyond it', async () => {
    verifies('LANG-1');
    const project = newProject();
    const slow = slowVariables(25);
    writeJobWithInputs(project, slow, { a: {} });
    const { message } = await refusedStart(project, { inputs: slowValues(25) });
    expectOneBudget(message, 'Input ', 25);
    const run = await startRun({ entries: ['a', 'b'], steps: { a: { reports: slow }, b: {} } });
    const refusal = await run.refusal({}, { context: slowValues(25) });
    expectOneBudget(refusal.message, 'Report ', 25);
  });
});
