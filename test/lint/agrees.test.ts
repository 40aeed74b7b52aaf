// Lint agrees with the engine: what it finds in thousands of small random workflows is exactly
// what comes of running each of them in every possible way.

import { expect, test } from 'vitest';
import { openPatternBudget } from '../../src/core/pattern-budget.ts';
import { type Job, runsOf } from '../../src/core/workflow.ts';
import type { Finding } from '../../src/definitions/proofs/finding.ts';
import { findingsIn } from '../../src/definitions/proofs/findings.ts';
import { unsetAtRun } from '../../src/definitions/proofs/unset-at-run.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { declaredNames, whatIsWrong } from './oracle.ts';
import { randomJob } from './random-workflows.ts';

/** 10,000 and more were run before a release; see CONTRIBUTING.md. */
const FIRST_SEED = 900_000;
const COUNT = Number(process.env.DEEPWORK_WORKFLOWS ?? 80);

function asText({ code, severity, at }: Finding): string {
  switch (at.kind) {
    case 'when':
      return [code, severity, 'when', at.step, at.variable ?? ''].join(' ').trim();
    case 'until':
      return [code, severity, 'until', at.loop, at.variable ?? ''].join(' ').trim();
    case 'until_output':
      return `${code} ${severity} until_output ${at.loop}`;
    case 'entry':
      return `${code} ${severity} entry ${at.name}`;
    case 'input':
      return `${code} ${severity} input ${at.step} ${at.from}`;
    case 'run_input':
      return `${code} ${severity} run_input ${at.name} ${at.input}`;
    case 'items':
      return `${code} ${severity} items ${at.name}`;
    case 'show':
      return `${code} ${severity} show ${at.name}`;
  }
}

function foundBy(job: Job): readonly string[] {
  const [workflow] = job.workflows;
  const ofFile = findingsIn(job).map((finding) => {
    const text = asText(finding);
    if (finding.at.kind !== 'show') return text;
    const { name, index } = finding.at;
    const entries = workflow?.entries.flatMap(function flat(entry): readonly (typeof entry)[] {
      return entry.kind === 'loop' ? entry.entries.flatMap(flat) : [entry];
    });
    const entry = entries?.find((each) => each.kind === 'approve' && each.name === name);
    return `${text} ${entry?.kind === 'approve' ? entry.show[index]?.step : ''}`;
  });
  return [...ofFile, ...unsetAtRuns(job)].sort();
}

/** As if each run took a required input from every variable. */
function unsetAtRuns(job: Job): readonly string[] {
  return job.workflows.flatMap((workflow) =>
    runsOf(workflow).flatMap(({ name: run }) =>
      declaredNames(job).flatMap((name) => {
        const unset = unsetAtRun(job, workflow, run, name, openPatternBudget());
        if (unset === null) return [];
        const severity = unset.isNever ? 'problem' : 'warning';
        return [`unset_variable ${severity} run_input ${run} ${name}`];
      }),
    ),
  );
}

const TIMEOUT = Math.max(900_000, COUNT * 200);

test('lint finds what happens when a workflow is run in every way, and nothing else', {
  timeout: TIMEOUT,
}, () => {
  verifies('LANG-8');
  const { counts, left } = compare(randomJob);
  if (COUNT < 500) return;
  expect(left, 'workflows that were too large to be run in every way').toBeLessThan(COUNT / 5);
  for (const kind of KINDS) {
    expect(counts.get(kind) ?? 0, `workflows with: ${kind}`).toBeGreaterThanOrEqual(3);
  }
});

test('so it does where loops begin with anything, and steps take what is done for each item', {
  timeout: TIMEOUT,
}, () => {
  verifies('LANG-8');
  const { left } = compare((random) => randomJob(random, true));
  expect(left, 'workflows that were too large to be run in every way').toBeLessThan(COUNT / 2);
});

/** How often each kind of finding was made, and how many workflows were too large. */
function compare(make: (random: Random) => Job) {
  // By default always the same ones, as in the simulation; DEEPWORK_SEED looks at others.
  const seed = process.env.DEEPWORK_SEED === undefined ? FIRST_SEED : chooseSeed();
  const counts = new Map<string, number>();
  let left = 0;
  for (let nth = 0; nth < COUNT; nth += 1) {
    const job = make(randomFrom(seed + nth));
    const [workflow] = job.workflows;
    if (workflow === undefined) throw new Error('no workflow');
    const expected = whatIsWrong(job, workflow);
    if (expected === null) {
      left += 1;
      continue;
    }
    const found = foundBy(job);
    const shown = () =>
      `workflow ${seed + nth} (DEEPWORK_SEED=${seed + nth} DEEPWORK_WORKFLOWS=1): ${JSON.stringify(workflow, null, 1)}`;
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      expect(found, shown()).toEqual(expected);
    }
    for (const text of found) {
      const kind = text.split(' ').slice(0, 3).join(' ');
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    counts.set('none', (counts.get('none') ?? 0) + (found.length === 0 ? 1 : 0));
  }
  if (COUNT >= 500) {
    console.info(JSON.stringify(Object.fromEntries([...counts].sort())), `left out: ${left}`);
  }
  return { counts, left };
}

const KINDS = [
  'none',
  'undeclared_variable problem when',
  'undeclared_variable warning when',
  'undeclared_variable problem until',
  'unset_variable problem when',
  'unset_variable warning when',
  'unset_variable warning until',
  'unset_variable warning run_input',
  'unset_variable problem run_input',
  'never_holds problem when',
  'never_holds problem until',
  'until_cannot_change problem until',
  'skipped_source warning input',
  'skipped_source problem input',
  'skipped_source problem items',
  'skipped_source problem until_output',
  'nothing_to_show problem show',
  'unreachable problem entry',
];
