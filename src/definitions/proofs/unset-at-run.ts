// Whether a variable is set on every path to a nested run. It matters only if the other workflow
// requires the input that is taken from it, which only all jobs together can tell, so it is asked
// one variable at a time. This also keeps the walk small: together, variables that no condition
// reads would multiply its states.

import type { PatternBudget } from '../../core/pattern-budget.ts';
import type { Proof } from '../../core/proof.ts';
import type { Job, Workflow } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import type { WorkflowFacts } from './facts.ts';
import { proof } from './judge-whens.ts';
import { isUndeclared, mayBeOmitted } from './tracked.ts';
import { walk } from './walk.ts';

export interface UnsetAtRun {
  /** It is set on no path; otherwise it is not set on some. */
  readonly isNever: boolean;
  readonly proof: Proof;
}

/** Null if it is always set there, or if there are too many paths to tell. */
export function unsetAtRun(
  job: Job,
  workflow: Workflow,
  run: string,
  variable: string,
  budget: PatternBudget,
): UnsetAtRun | null {
  const input = workflow.inputs?.find(({ name }) => name === variable);
  if (input !== undefined && !mayBeOmitted(input)) return null;
  // What nothing declares is reported as such.
  if (isUndeclared(job, variable)) return null;
  const facts = factsAbout(job, workflow, variable, budget);
  const { missing = null, there = false } = facts?.runs.get(run)?.get(variable) ?? {};
  if (!facts?.complete || missing === null) return null;
  const where = there ? 'on this path' : 'on any path';
  return { isNever: !there, proof: proof(`${quote(variable)} is not set ${where}`, missing) };
}

const walked = new WeakMap<Workflow, Map<string, WorkflowFacts>>();

/** Of more variables in one workflow nothing is said, so that lint stays fast. */
const MAX_VARIABLES = 100;

/** Cached, because many runs may read the same variable; null if it would take too long. */
function factsAbout(
  job: Job,
  workflow: Workflow,
  variable: string,
  budget: PatternBudget,
): WorkflowFacts | null {
  const known = walked.get(workflow) ?? new Map<string, WorkflowFacts>();
  walked.set(workflow, known);
  const before = known.get(variable);
  if (before !== undefined) return before;
  const isTooLarge = [...known.values()].some(({ complete }) => !complete);
  if (isTooLarge || known.size >= MAX_VARIABLES) return null;
  const facts = walk(job, workflow, budget, [variable]);
  known.set(variable, facts);
  return facts;
}
