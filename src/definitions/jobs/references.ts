// Checks the references between the parts of a job. The checks are numbered as in the
// documentation and run in that order; each goes through the file from top to bottom. Number 9,
// the instruction files, needs the disk and is in `job-yml.ts`, between the two groups here.

import { outputVariable } from '../../core/command-variables.ts';
import { isGiven, repeatedIn, reportAt } from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import { cut, nameList, quote } from '../wording.ts';
import { findCycles } from './dependency-cycles.ts';
import { orderOfSteps, stepIdsOf } from './entries/all-entries.ts';
import { checkEntries } from './entries/check-entries.ts';
import type { ParsedJob, ParsedWorkflow } from './parsed-job.ts';
import type { ParsedOutput, ParsedStep } from './parsed-step.ts';

interface Graph {
  readonly steps: readonly ParsedStep[];
  readonly workflows: readonly ParsedWorkflow[];
  /** The first step of each id. */
  readonly byId: ReadonlyMap<string, ParsedStep>;
}

type Check = (graph: Graph, to: Report) => void;

export function checkBeforeInstructions(parsed: ParsedJob, to: Report): void {
  runChecks(parsed, to, [
    checkDependencies,
    checkCycles,
    checkInputSteps,
    checkInputDependencies,
    checkReviews,
    checkWorkflows,
    checkStepIds,
    checkOrder,
  ]);
}

export function checkAfterInstructions(parsed: ParsedJob, to: Report): void {
  runChecks(parsed, to, [checkOutputNames, checkOutputVariables, checkInputFiles]);
}

function runChecks(parsed: ParsedJob, to: Report, checks: readonly Check[]): void {
  // Without a readable list of steps every reference would look wrong.
  if (parsed.steps === null) return;
  const byId = new Map<string, ParsedStep>();
  for (const step of parsed.steps) {
    if (isGiven(step.id) && !byId.has(step.id.value)) byId.set(step.id.value, step);
  }
  const graph: Graph = { steps: parsed.steps, workflows: parsed.workflows ?? [], byId };
  for (const check of checks) if (!to.full()) check(graph, to);
}

const checkDependencies: Check = ({ steps, byId }, to) => {
  for (const { id, dependencies } of steps) {
    for (const dependency of dependencies.filter(isGiven)) {
      if (byId.has(dependency.value)) continue;
      const named = quote(dependency.value);
      const message = `Step ${quote(id.value)} depends on non-existent step ${named}`;
      reportAt(to, 'unknown_step', dependency, message);
    }
  }
};

const checkCycles: Check = ({ byId }, to) => {
  for (const { step, through } of findCycles(byId)) {
    const message = `Circular dependency detected involving step ${quote(step.id.value)}`;
    reportAt(to, 'circular_dependency', through, message);
  }
};

const checkInputSteps: Check = ({ steps, byId }, to) => {
  for (const { step, fromStep } of fileInputs(steps)) {
    if (byId.has(fromStep.value)) continue;
    const [id, from] = [quote(step.id.value), quote(fromStep.value)];
    const message = `Step ${id} references non-existent step ${from} in file input`;
    reportAt(to, 'unknown_step', fromStep, message);
  }
};

const checkInputDependencies: Check = ({ steps, byId }, to) => {
  for (const { step, fromStep, dependencies } of fileInputs(steps)) {
    if (!byId.has(fromStep.value) || dependencies.has(fromStep.value)) continue;
    const [id, from] = [quote(step.id.value), quote(fromStep.value)];
    const problem = `Step ${id} has file input from ${from} but ${from} is not in dependencies`;
    reportAt(to, 'missing_dependency', fromStep, problem);
  }
};

function* fileInputs(steps: readonly ParsedStep[]) {
  for (const step of steps) {
    const dependencies = new Set(step.dependencies.map(({ value }) => value));
    for (const input of step.inputs) {
      if (input.kind !== 'file' || !isGiven(input.fromStep)) continue;
      yield { step, dependencies, file: input.file, fromStep: input.fromStep };
    }
  }
}

const checkReviews: Check = ({ steps }, to) => {
  for (const { id, outputs, reviews } of steps) {
    if (outputs === null) continue;
    const names = new Set(outputs.map(({ name }) => name.value));
    const valid = `'step', ${nameList([...names].sort()) || '(no outputs)'}`;
    for (const { runEach } of reviews) {
      if (!isGiven(runEach) || runEach.value === 'step' || names.has(runEach.value)) continue;
      const review = `Step ${quote(id.value)} has review with run_each=${quote(runEach.value)}`;
      const message = `${review} but no output with that name. Valid values: ${valid}`;
      reportAt(to, 'unknown_output', runEach, message);
    }
  }
};

const checkWorkflows: Check = ({ workflows, byId }, to) => {
  const repeated = repeatedIn(workflows.map(({ name }) => name));
  for (const { name, entries } of workflows) {
    if (repeated.has(name)) {
      reportAt(to, 'duplicate_id', name, `Duplicate workflow name: ${quote(name.value)}`);
    }
    const members = entries.flatMap(stepIdsOf);
    const again = repeatedIn(members);
    for (const member of members.filter(isGiven)) {
      const [workflow, step] = [quote(name.value), quote(member.value)];
      if (!byId.has(member.value)) {
        const message = `Workflow ${workflow} references non-existent step ${step}`;
        reportAt(to, 'unknown_step', member, message);
      } else if (again.has(member)) {
        const message = `Workflow ${workflow} contains duplicate step ${step}`;
        reportAt(to, 'duplicate_id', member, message);
      }
    }
  }
  for (const workflow of workflows) checkEntries(workflow, byId, to);
};

const checkStepIds: Check = ({ steps }, to) => {
  for (const id of repeatedIn(steps.map((step) => step.id))) {
    reportAt(to, 'duplicate_id', id, `Duplicate step id: ${quote(id.value)}`);
  }
};

const checkOrder: Check = ({ workflows, byId }, to) => {
  // Dependencies on unknown steps are reported already; repeated ones count once.
  const needs = new Map<string, readonly string[]>();
  for (const [id, { dependencies }] of byId) {
    const known = dependencies.filter(({ value }) => byId.has(value) && value !== id);
    needs.set(id, [...new Set(known.map(({ value }) => value))]);
  }
  for (const { name, entries } of workflows) {
    const entryOfStep = orderOfSteps(entries);
    const checked = new Set<string>();
    for (const member of entries.flatMap(stepIdsOf)) {
      if (checked.has(member.value)) continue;
      checked.add(member.value);
      const own = entryOfStep.get(member.value) ?? 0;
      for (const needed of needs.get(member.value) ?? []) {
        if (to.full()) return;
        const before = entryOfStep.get(needed);
        if (before !== undefined && before < own) continue;
        const message = orderProblem(name.value, member.value, needed, before !== undefined);
        reportAt(to, before === undefined ? 'missing_dependency' : 'wrong_order', member, message);
      }
    }
  }
};

function orderProblem(workflow: string, step: string, needed: string, there: boolean): string {
  const [name, s, d] = [quote(workflow), quote(step), quote(needed)];
  return there
    ? `Workflow ${name} runs ${s} before its dependency ${d}`
    : `Workflow ${name} lacks ${d}, a dependency of ${s}`;
}

/** In a review, `step` means the whole step, so an output of that name could not be named. */
const checkOutputNames: Check = ({ steps }, to) => {
  for (const { id, outputs } of steps) {
    const named = outputs?.find(({ name }) => name.value === 'step');
    const message = `Step ${quote(id.value)} has an output named 'step'`;
    if (named) reportAt(to, 'reserved_name', named.name, message);
  }
};

/** A check would be given only one of two outputs with the same variable. */
const checkOutputVariables: Check = ({ steps }, to) => {
  for (const { id, outputs, checks } of steps) {
    if (checks.length === 0) continue;
    const taken = new Map<string, string>();
    for (const { name } of outputs ?? []) {
      const variable = outputVariable(name.value);
      const other = taken.get(variable);
      taken.set(variable, name.value);
      if (other === undefined) continue;
      const both = `${quote(other)} and ${quote(name.value)} would both be ${cut(variable, 120)}`;
      const message = `Step ${quote(id.value)} has checks, and its outputs ${both}`;
      reportAt(to, 'duplicate_value', name, message);
    }
  }
};

const checkInputFiles: Check = ({ steps, byId }, to) => {
  const offers = new Map<ParsedStep, (file: string) => boolean>();
  for (const { step, file, fromStep } of fileInputs(steps)) {
    const source = byId.get(fromStep.value);
    if (!source?.outputs || !isGiven(file)) continue;
    const offered = offers.get(source) ?? offerOf(source.outputs);
    offers.set(source, offered);
    if (offered(file.value)) continue;
    const input = `Step ${quote(step.id.value)} has file input ${quote(file.value)}`;
    reportAt(
      to,
      'unknown_output',
      file,
      `${input} but ${quote(fromStep.value)} has no such output`,
    );
  }
};

/** An output that is a folder provides every path below it. */
function offerOf(outputs: readonly ParsedOutput[]): (file: string) => boolean {
  const names = new Set(outputs.map(({ name }) => name.value));
  const folders = [...names].filter((name) => name.endsWith('/')).slice(0, 1000);
  return (file) => names.has(file) || folders.some((folder) => file.startsWith(folder));
}
