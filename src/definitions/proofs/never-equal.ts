// Why a condition never holds, if it compares a variable with a value that the variable never has:
// most often a misspelt value of an enum.

import type { Clause, Condition } from '../../core/conditions.ts';
import { sameValue } from '../../core/conditions-values.ts';
import type { Hints } from '../../core/nearest.ts';
import { quote } from '../wording.ts';
import { describeValue } from './path-events.ts';

/** All values that a variable has where the condition is evaluated; null if not all are known. */
type ValuesOf = (name: string) => readonly unknown[] | null;

/** For the end of a message; empty if the reason is another one. */
export function neverEqual({ clauses }: Condition, valuesOf: ValuesOf, hints: Hints): string {
  const reasons = [...new Set(reasonsIn(clauses, valuesOf, hints))].slice(0, MAX_REASONS);
  return reasons.length === 0 ? '' : `: ${reasons.join(' ')}`;
}

const MAX_REASONS = 3;

/** Empty unless one of the clauses cannot hold for such a reason. */
function reasonsIn(
  clauses: readonly Clause[],
  valuesOf: ValuesOf,
  hints: Hints,
): readonly string[] {
  for (const clause of clauses) {
    const reasons = reasonsOf(clause, valuesOf, hints);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

function reasonsOf(clause: Clause, valuesOf: ValuesOf, hints: Hints): readonly string[] {
  switch (clause.operator) {
    case 'equals': {
      const { variable, operand } = clause;
      const values = valuesOf(variable.name);
      if (values === null || values.some((each) => sameValue(each, operand))) return [];
      const known = values.filter((each) => each !== undefined);
      const value = typeof operand === 'string' ? quote(operand) : describeValue(operand);
      return [`${quote(variable.name)} is never ${value}${meant(operand, known, hints)}`];
    }
    case 'and':
      return reasonsIn(clause.members.flat(), valuesOf, hints);
    case 'or': {
      const each = clause.members.map((member) => reasonsIn(member, valuesOf, hints));
      return each.every((reasons) => reasons.length > 0) ? each.flat() : [];
    }
    default:
      return [];
  }
}

function meant(operand: unknown, known: readonly unknown[], hints: Hints): string {
  const other = known.find(
    (each) => typeof each !== typeof operand && String(each) === String(operand),
  );
  if (other !== undefined) {
    return typeof other === 'string'
      ? `; did you mean ${JSON.stringify(other)}, with quotes?`
      : `; did you mean ${String(other)}, without quotes?`;
  }
  const texts = known.filter((each) => typeof each === 'string');
  return typeof operand === 'string' ? hints.didYouMean(operand, texts) : '';
}
