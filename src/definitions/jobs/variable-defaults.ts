// Checks that the defaults of declared variables match their patterns. Patterns may take long, so
// this pauses between them, and all patterns of a file share a time budget.

import { inSlices, pauseIfDue } from '../../async/slices.ts';
import type { Path } from '../../core/issue.ts';
import { isSpent, openPatternBudget } from '../../core/pattern-budget.ts';
import {
  type DeclaredVariable,
  problemApartFromPattern,
  problemWithPattern,
} from '../../core/variables.ts';
import type { Report } from '../reader/issues.ts';
import type { ParsedJob } from './parsed-job.ts';

/** A file may belong to someone else, and is read to list it; real patterns need a fraction. */
const MAX_FILE_MILLISECONDS = 200;

const NOT_TESTED = `the default was not tested, because the patterns of this file together took longer than ${MAX_FILE_MILLISECONDS} ms; simplify them`;

export async function checkDefaults(parsed: ParsedJob, to: Report): Promise<void> {
  const budget = openPatternBudget(MAX_FILE_MILLISECONDS);
  for (const { variable, path } of declaredIn(parsed)) {
    const { pattern, default: initial } = variable;
    if (pattern === null || initial === null || to.full()) continue;
    // The reader has reported it.
    if (problemApartFromPattern(variable, initial) !== null) continue;
    await pauseIfDue();
    const problem = isSpent(budget)
      ? NOT_TESTED
      : await inSlices(problemWithPattern(variable, initial, budget));
    if (problem !== null) to.add('wrong_value', [...path, variable.name, 'default'], problem);
  }
}

interface PlacedVariable {
  readonly variable: DeclaredVariable;
  /** Of the map that declares it. */
  readonly path: Path;
}

function declaredIn({ steps, workflows }: ParsedJob): readonly PlacedVariable[] {
  return [
    ...(steps ?? []).flatMap(({ reports }, at) => placed(reports, ['steps', at, 'reports'])),
    ...(workflows ?? []).flatMap(({ inputs }, at) => placed(inputs, ['workflows', at, 'inputs'])),
  ];
}

function placed(
  variables: readonly DeclaredVariable[] | null,
  path: Path,
): readonly PlacedVariable[] {
  return (variables ?? []).map((variable) => ({ variable, path }));
}
