// Sixty small jobs with one fault each: lint finds it, at its place, and its proof is true.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { holds } from '../../src/core/conditions.ts';
import { readVariable } from '../../src/core/conditions-values.ts';
import type { Issue } from '../../src/core/issue.ts';
import type { PathEvent } from '../../src/core/proof.ts';
import { handedInBy } from '../../src/core/session/positions.ts';
import { type Job, loopsOf, stepsOf, type Workflow } from '../../src/core/workflow.ts';
import { lintFolders, lintPaths } from '../../src/definitions/lint.ts';
import { findingsIn } from '../../src/definitions/proofs/findings.ts';
import { describePath } from '../../src/definitions/proofs/path-events.ts';
import { loadJob, writeFiles } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import type { Move } from './exhaustive.ts';
import { replay } from './replay.ts';
import { FAULTS, type Fault } from './seeded-faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function writeFault({ yaml, isBlank = false }: Fault): string {
  const folder = path.join(tempFolder('sample'), 'sample');
  const ids = [...yaml.matchAll(/steps\/(\w+)\.md/g)].map(([, id]) => id);
  const text = isBlank ? '\n' : 'Do it.\n';
  writeFiles(folder, {
    'job.yml': yaml,
    ...Object.fromEntries(ids.map((id) => [`steps/${id}.md`, text])),
  });
  return folder;
}

function textAt(yaml: string, { at }: Issue): string {
  return (yaml.split('\n')[at.line - 1] ?? '').slice(at.column - 1);
}

describe('a fault that was put into a job', () => {
  test('there are sixty of them', () => {
    expect(FAULTS.length).toBe(60);
  });

  test.for(FAULTS.map((each) => [each.title, each] as const))('%s', async ([, fault]) => {
    verifies('LANG-8');
    const dir = writeFault(fault);
    const { files } = await lintPaths([dir], async () => []);
    const [linted] = files;
    const all = [
      ...(linted?.problems.kept ?? []).map((issue) => ({ issue, severity: 'problem' })),
      ...(linted?.warnings.kept ?? []).map((issue) => ({ issue, severity: 'warning' })),
    ];
    const shown = all.map(({ issue, severity }) => `${severity} ${issue.code}: ${issue.message}`);
    const found = all.find(({ issue }) => issue.code === fault.code);
    expect(found, shown.join('\n')).toBeDefined();
    if (found === undefined) return;
    expect(found.severity, shown.join('\n')).toBe(fault.severity);
    expect(textAt(fault.yaml, found.issue), found.issue.message).toMatch(
      new RegExp(`^['"]?${fault.at}\\b`),
    );
    if (found.issue.proof === undefined) {
      expect(['unknown_key', 'empty_instructions']).toContain(fault.code);
      return;
    }
    const loaded = await loadJob(dir);
    if (loaded.kind !== 'job') throw new Error('not loaded');
    await expectTrue(loaded.job, found.issue);
  });
});

/** Walks the path of the proof with the real deciders, and looks whether it is as it says. */
async function expectTrue(job: Job, issue: Issue): Promise<void> {
  const [workflow] = job.workflows;
  const finding = findingsIn(job).find(
    ({ code, message }) => code === issue.code && message === issue.message,
  );
  if (workflow === undefined || finding === undefined) throw new Error('not found again');
  const { path: way } = finding.proof;
  expect(way.length, 'the length of the path').toBeGreaterThan(0);
  for (const each of [way, ...waysAlike(way)]) {
    const moves = replay(job, workflow, each);
    expect(moves.length, `runs that go like ${JSON.stringify(each)}`).toBeGreaterThan(0);
    const isTrue = moves.some((move) => isAsSaid(workflow, finding, move));
    expect(isTrue, `${issue.message}: ${JSON.stringify(each)}`).toBe(true);
  }
}

/** The same way with each of the other values that are said to lead there. */
function waysAlike(way: readonly PathEvent[]): readonly (readonly PathEvent[])[] {
  return way.flatMap((happening, at) =>
    Object.entries(happening.alike ?? {}).flatMap(([name, others]) =>
      others.map((value) => {
        const values = { ...happening.values, [name]: value };
        return way.with(at, { ...happening, values });
      }),
    ),
  );
}

test('a proof names every value that leads there, not one that stands for them', async () => {
  verifies('LANG-8');
  const yaml = jobOf({
    inputs: 'severity: { description: How bad, enum: [low, medium, high, worst] }',
    steps: ['assess', 'fix', 'panic'],
    reports: 'size: { description: How big, enum: [s, m, l] }',
    whens: {
      fix: '{ var: severity, equals: high }',
      panic: '{ and: [{ var: severity, equals: high }, { var: size, equals: xl }] }',
    },
  });
  const dir = writeFault({ yaml } as Fault);
  const { files } = await lintPaths([dir], async () => []);
  const [proof] = (files[0]?.problems.kept ?? []).flatMap((issue) => issue.proof ?? []);
  expect(proof?.says).toBe(
    'on every path to it severity is "low" or "medium" or "worst" or "high", size is "s" or "m" or "l"',
  );
  expect(describePath(proof?.path ?? [])).toBe(
    'start (severity="low" or "medium" or "worst") → assess (size="s" or "m" or "l") → fix skipped',
  );
});

function jobOf(spec: {
  readonly inputs: string;
  readonly steps: readonly string[];
  readonly reports: string;
  readonly whens: Readonly<Record<string, string>>;
}): string {
  const steps = spec.steps.map((id, index) =>
    [
      `  - id: ${id}`,
      `    name: ${id}`,
      `    description: ${id}`,
      `    instructions_file: steps/${id}.md`,
      '    outputs: {}',
      '    reviews: []',
      ...(index === 0 ? [`    reports: { ${spec.reports} }`] : []),
      ...(spec.whens[id] === undefined ? [] : [`    when: ${spec.whens[id]}`]),
    ].join('\n'),
  );
  return `name: sample
version: "1.0.0"
summary: A sample
common_job_info_provided_to_all_steps_at_runtime: Nothing
workflows:
  - name: main
    summary: All
    inputs: { ${spec.inputs} }
    steps: [${spec.steps.join(', ')}]
steps:
${steps.join('\n')}
`;
}

describe('a finding about a condition says what to do', () => {
  const SEVERITY = 'severity: { description: d, enum: [low, high] }';
  const messageOf = async (spec: Parameters<typeof jobOf>[0]) => {
    const dir = writeFault({ yaml: jobOf(spec) } as Fault);
    const { files } = await lintPaths([dir], async () => []);
    return files.flatMap(({ problems, warnings }) =>
      [...problems.kept, ...warnings.kept].map(({ message }) => message),
    );
  };
  const READS = "The condition of step 'b' reads 'x', which is";

  test.for([
    [
      'an optional input',
      { inputs: 'x: { description: d, required: false }', reports: '' },
      "not set on every path to it; give the input 'x' a default, or make it required",
    ],
    [
      'an optional report',
      { inputs: '', reports: 'x: { description: d, required: false }' },
      "not set on every path to it; give the report 'x' a default, or make it required",
    ],
  ] as const)('%s', async ([, spec, end]) => {
    const whens = { b: '{ var: x, equals: q }' };
    expect(await messageOf({ ...spec, steps: ['a', 'b'], whens })).toEqual([`${READS} ${end}`]);
  });

  test('a report that comes too late, optional or not', async () => {
    for (const required of [true, false]) {
      const reports = `x: { description: d, required: ${required} }`;
      const whens = { b: '{ var: x, equals: q }' };
      // Only the first step reports.
      const yaml = jobOf({ inputs: '', steps: ['a', 'b'], reports, whens }).replace(
        'steps: [a, b]',
        'steps: [b, a]',
      );
      const { files } = await lintPaths([writeFault({ yaml } as Fault)], async () => []);
      expect(files[0]?.problems.kept.map(({ message }) => message)).toEqual([
        `${READS} set on no path to it; report 'x' in a step that every path does before, or declare it as an input of 'main'`,
      ]);
    }
  });

  test.for([
    ['{ var: severity, equals: High }', ": 'severity' is never 'High'; did you mean 'high'?"],
    [
      '{ and: [{ var: severity, equals: hgih }] }',
      ": 'severity' is never 'hgih'; did you mean 'high'?",
    ],
    ['{ var: severity, equals: terrible }', ": 'severity' is never 'terrible'"],
    [
      '{ or: [{ var: severity, equals: Low }, { var: severity, equals: High }] }',
      ": 'severity' is never 'Low'; did you mean 'low'? 'severity' is never 'High'; did you mean 'high'?",
    ],
    ['{ var: r, equals: "true" }', ": 'r' is never 'true'; did you mean true, without quotes?"],
    ['{ and: [{ var: severity, equals: low }, { var: severity, equals: high }] }', ''],
    ['{ not: { or: [{ var: severity, equals: low }, { var: severity, equals: high }] } }', ''],
  ] as const)('a value that a variable never has: %s', async ([b, end]) => {
    const reports = 'r: { type: boolean, description: d }';
    expect(await messageOf({ inputs: SEVERITY, steps: ['a', 'b'], reports, whens: { b } })).toEqual(
      [`The condition of step 'b' never holds${end}`],
    );
  });
});

type Found = ReturnType<typeof findingsIn>[number];

function isAsSaid(workflow: Workflow, { at, code }: Found, move: Move): boolean {
  const { after, context, refusal } = move;
  switch (at.kind) {
    case 'when': {
      const when = stepsOf(workflow).find(({ id }) => id === at.step)?.when;
      const wasAsked =
        move.skipped.includes(at.step) || (after?.position.members.includes(at.step) ?? false);
      if (!when || !wasAsked) return false;
      const variable = when.variables.find(({ name }) => name === at.variable);
      return variable === undefined
        ? !holds(when, context)
        : readVariable(variable, context) === undefined;
    }
    case 'until': {
      const until = loopsOf(workflow).find(({ name }) => name === at.loop)?.until;
      if (until?.kind !== 'when' || !move.untils.some(({ loop }) => loop === at.loop)) return false;
      const variable = until.condition.variables.find(({ name }) => name === at.variable);
      if (variable !== undefined) return readVariable(variable, context) === undefined;
      return code === 'until_cannot_change' || !holds(until.condition, context);
    }
    case 'input': {
      if (!after?.position.members.includes(at.step)) return false;
      return handedInBy(after)({ step: at.from, output: 'out' }).length === 0;
    }
    case 'show':
    case 'run_input':
      return after?.position.at?.name === at.name;
    case 'items':
      return refusal?.includes(at.name) ?? false;
    case 'until_output':
      return refusal?.includes(at.loop) ?? false;
    case 'entry':
      return refusal !== null;
  }
}

test('nothing of this kind is found in what ships with deepwork', async () => {
  verifies('LANG-8');
  const examples = ['quickstart', 'team'].map((name) =>
    path.join(root, 'examples', name, '.deepwork', 'jobs'),
  );
  const { files } = await lintFolders({
    jobs: [path.join(root, 'standard_jobs'), path.join(root, 'templates'), ...examples],
    guides: [path.join(root, 'standard_workflows')],
  });
  expect(files.length).toBeGreaterThan(3);
  for (const { file, problems, warnings } of files) {
    expect(
      [...problems.kept, ...warnings.kept].filter(({ proof }) => proof),
      file,
    ).toEqual([]);
  }
  expect(readFileSync(path.join(root, 'standard_jobs/deepwork_jobs/job.yml'), 'utf8')).toContain(
    'when:',
  );
});
