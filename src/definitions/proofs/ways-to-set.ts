// What to change in a job so that a variable is set wherever it is read: the next move of a
// finding about a variable that is not set.

import type { DeclaredVariable } from '../../core/variables.ts';
import { stepsOf, type Workflow } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import { mayBeOmitted } from './tracked.ts';

/**
 * For the end of a message. The workflows are those in which the variable is not set; `isNever`:
 * on no path, so what may be omitted now would come too late anyway.
 */
export function waysToSet(name: string, workflows: readonly Workflow[], isNever: boolean): string {
  const isIn = (declared: readonly DeclaredVariable[] = []) =>
    declared.some((each) => each.name === name && mayBeOmitted(each));
  const kind = workflows.some(({ inputs }) => isIn(inputs))
    ? 'input'
    : !isNever && workflows.flatMap(stepsOf).some(({ reports }) => isIn(reports))
      ? 'report'
      : null;
  if (kind !== null) return `; give the ${kind} ${quote(name)} a default, or make it required`;
  const owners = workflows.map((workflow) => quote(workflow.name)).join(', ');
  return `; report ${quote(name)} in a step that every path does before, or declare it as an input of ${owners}`;
}
