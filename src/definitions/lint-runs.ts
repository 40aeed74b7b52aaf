// Checks that nested workflows exist, accept their inputs, and end. This needs all jobs together.
// A nested run is never skipped, so a workflow that runs itself, even indirectly, never ends.

import { basename, dirname } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { type Hints, limitedHints } from '../core/nearest.ts';
import { openPatternBudget } from '../core/pattern-budget.ts';
import type { DeclaredVariable } from '../core/variables.ts';
import { onOneLine } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import type { PlacedRun } from './jobs/placed-runs.ts';
import type { KnownDefinition, LintedFile } from './lint-report.ts';
import { lintRunInputs } from './lint-run-inputs.ts';
import { lintUnsetInputs } from './lint-unset-inputs.ts';
import { type Issues, inFileOrder } from './reader/issues.ts';
import { cut, quote } from './wording.ts';

/** What a `run` can name. As at a start, the directory of a job counts before its declared name. */
export type KnownDefinitions = ReadonlyMap<string, KnownDefinition>;

export function knownIn(files: readonly LintedFile[]): KnownDefinitions {
  const known = new Map<string, KnownDefinition>();
  const add = (name: string, each: KnownDefinition | undefined) => {
    // Of several with the same name, the first one is run.
    if (each !== undefined && !known.has(name)) known.set(name, each);
  };
  for (const { kind, file, known: each } of files) {
    if (kind === 'job') add(basename(dirname(file)), each);
  }
  for (const { known: each } of files) add(each?.name ?? '', each);
  return known;
}

/** `isAll`: there are no definitions besides the known ones. */
export function lintRuns(
  files: readonly LintedFile[],
  known: KnownDefinitions,
  isAll: boolean,
  /** For the patterns of each file. */
  milliseconds?: number,
): readonly LintedFile[] {
  const hints = limitedHints();
  return files.map((file) => {
    const budget = openPatternBudget(milliseconds);
    const { name = '', runs = [], workflows = null, job } = file.known ?? {};
    const found = runs.flatMap((run): readonly Issue[] => {
      const issue = unknownTarget(run, known, isAll, hints) ?? cycleOf(name, run, known);
      const placed = issue === null ? [] : [{ ...issue, path: run.path, at: run.at }];
      const inputs = inputsOf(run, known);
      if (inputs === null) return placed;
      const from = workflowIn(workflows, run.from);
      return [...placed, ...lintRunInputs(run, from, inputs, hints, budget)];
    });
    const unset = runs.flatMap((run) => {
      const from = workflowIn(workflows, run.from);
      if (job === undefined || from === undefined) return [];
      return lintUnsetInputs(run, job, from, inputsOf(run, known) ?? [], budget);
    });
    const unsetAs = (wanted: 'problem' | 'warning') =>
      unset.filter(({ severity }) => severity === wanted).map(({ issue }) => issue);
    return {
      ...file,
      problems: withIssues(file.problems, [...found, ...unsetAs('problem')]),
      warnings: withIssues(file.warnings, unsetAs('warning')),
    };
  });
}

function withIssues(issues: Issues, found: readonly Issue[]): Issues {
  if (found.length === 0) return issues;
  const short = found.map((each) => ({ ...each, message: onOneLine(cut(each.message, 1000)) }));
  const { kept, ...counts } = issues;
  return inFileOrder({ kept: [...kept, ...short], ...counts });
}

type Found = Pick<Issue, 'code' | 'message'>;

function unknownTarget(
  { from, name, job, workflow }: PlacedRun,
  known: KnownDefinitions,
  isAll: boolean,
  hints: Hints,
): Found | null {
  const who = `${quote(name)} of workflow ${quote(from)} runs`;
  const target = known.get(job);
  if (target === undefined) {
    if (!isAll) return null;
    const meant = hints.didYouMean(job, [...known.keys()]);
    const message = `${who} workflow ${quote(workflow)} of job ${quote(job)}, and there is no such job${meant}`;
    return { code: 'unknown_workflow', message };
  }
  const { workflows } = target;
  if (workflows === null || workflows === 'any') return null;
  const names = workflows.map((each) => each.name);
  if (names.includes(workflow)) return null;
  const meant = hints.didYouMean(workflow, names);
  const message = `${who} workflow ${quote(workflow)} of job ${quote(job)}, which has no such workflow${meant}`;
  return { code: 'unknown_workflow', message };
}

/** The declared inputs of the workflow that is run; null if it is not known. */
function inputsOf(
  { job, workflow }: PlacedRun,
  known: KnownDefinitions,
): readonly DeclaredVariable[] | null {
  const workflows = known.get(job)?.workflows ?? null;
  if (workflows === 'any') return [];
  const target = workflowIn(workflows, workflow);
  return target === undefined ? null : (target.inputs ?? []);
}

function workflowIn(workflows: KnownDefinition['workflows'], wanted: string): Workflow | undefined {
  if (workflows === null || workflows === 'any') return undefined;
  return workflows.find(({ name }) => name === wanted);
}

/** The shortest cycle from the workflow through this run back to itself. */
function cycleOf(own: string, run: PlacedRun, known: KnownDefinitions): Found | null {
  const start = { job: own, workflow: run.from };
  const isStart = ({ job, workflow }: Place) => job === own && workflow === run.from;
  const paths: Place[][] = [[start, run]];
  const seen = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const last = path.at(-1) as Place;
    if (isStart(last)) {
      const cycle = path.map(({ job, workflow }) => `${job}/${workflow}`).join(' → ');
      const message = `Workflow ${quote(run.from)} runs itself and never ends: ${cycle}`;
      return { code: 'circular_run', message };
    }
    const key = `${last.job}/${last.workflow}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const next = known.get(last.job)?.runs.filter(({ from }) => from === last.workflow) ?? [];
    for (const each of next) paths.push([...path, each]);
  }
  return null;
}

interface Place {
  readonly job: string;
  readonly workflow: string;
}
