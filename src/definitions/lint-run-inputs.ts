// Compares the inputs that a `run` gives with those that the workflow it runs declares. Values of
// variables are known only at run time, so a variable is judged by what it is declared to be.

import type { Issue } from '../core/issue.ts';
import type { Hints } from '../core/nearest.ts';
import type { PatternBudget } from '../core/pattern-budget.ts';
import { type DeclaredVariable, problemWith } from '../core/variables.ts';
import { shown } from '../core/wording.ts';
import { stepsOf, type Workflow } from '../core/workflow.ts';
import type { PlacedRun, PlacedRunInput } from './jobs/placed-runs.ts';
import { nameList, quote } from './wording.ts';

/** `from`: the workflow with the `run`; `declared`: the inputs of the other one. */
export function lintRunInputs(
  run: PlacedRun,
  from: Workflow | undefined,
  declared: readonly DeclaredVariable[],
  hints: Hints,
  budget: PatternBudget,
): readonly Issue[] {
  const { inputs } = run;
  if (inputs === null) return [];
  const who = `${quote(run.name)} of workflow ${quote(run.from)}`;
  const target = `${run.job}/${run.workflow}`;
  const byName = new Map(declared.map((each) => [each.name, each]));
  const names = [...byName.keys()].sort();
  // A misspelt input is reported as such, not also as left out.
  const given = new Set<string | null>();
  const found: Issue[] = [];
  for (const { input, path, nameAt, at } of inputs) {
    // As at run time, null counts as not given.
    if ('value' in input && input.value === null) continue;
    const variable = byName.get(input.name);
    const meant = variable?.name ?? hints.nearest(input.name, names);
    given.add(meant);
    if (variable === undefined) {
      const message = `${who} gives ${quote(input.name)} to ${target}, ${noSuchInput(meant, names)}`;
      found.push({ code: 'unknown_input', path, at: nameAt, message });
      continue;
    }
    const problem = problemOf(input, variable, from, budget);
    if (problem === null) continue;
    const message = `${who} gives ${target} a wrong ${quote(input.name)}: ${problem}`;
    found.push({ code: 'wrong_input', path, at, message });
  }
  for (const { name, required } of declared) {
    if (!required || given.has(name)) continue;
    const message = `${who} leaves out ${quote(name)}, a required input of ${target}`;
    found.push({ code: 'missing_input', path: run.path, at: run.at, message });
  }
  return found;
}

function noSuchInput(meant: string | null, names: readonly string[]): string {
  if (names.length === 0) return 'which has no inputs';
  const hint = meant === null ? `its inputs: ${nameList(names)}` : `did you mean ${quote(meant)}?`;
  return `which has no such input; ${hint}`;
}

function problemOf(
  input: PlacedRunInput['input'],
  variable: DeclaredVariable,
  from: Workflow | undefined,
  budget: PatternBudget,
): string | null {
  if ('value' in input) return problemWith(variable, input.value, budget);
  if (!('from' in input) || from === undefined) return null;
  const sources = [...(from.inputs ?? []), ...stepsOf(from).flatMap(({ reports = [] }) => reports)];
  const same = sources.filter(({ name }) => name === input.from);
  if (same.length === 0 || same.some((source) => mayFit(source, variable, budget))) return null;
  const is = [...new Set(same.map(kindOf))].join(' or ');
  return `${quote(input.from)} is ${is}, and ${quote(variable.name)} must ${demandOf(variable, same)}`;
}

/** What no value of these sources meets: of type, enum and pattern, the first that fails. */
function demandOf(variable: DeclaredVariable, sources: readonly DeclaredVariable[]): string {
  const { enum: values, pattern } = variable;
  const isOfType = sources.some((source) => valueType(source) === valueType(variable));
  if (values !== null || pattern === null || !isOfType) return `be ${kindOf(variable)}`;
  return `match ${shown(pattern.source)}`;
}

/** Whether some value of the one is accepted for the other. */
function mayFit(
  source: DeclaredVariable,
  variable: DeclaredVariable,
  budget: PatternBudget,
): boolean {
  if (source.enum !== null) {
    return source.enum.some((each) => problemWith(variable, each, budget) === null);
  }
  return valueType(source) === valueType(variable);
}

/** The path of a file is a text. */
function valueType({ type }: DeclaredVariable): string {
  return type === 'file' ? 'string' : type;
}

function kindOf({ type, enum: values }: DeclaredVariable): string {
  return values === null ? `a ${type}` : `one of ${nameList(values.map(String))}`;
}
