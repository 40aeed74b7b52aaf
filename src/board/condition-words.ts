// A condition in words, for people: `security is "high" and not (draft)`.

import type { Clause, Condition } from '../core/conditions.ts';
import { shownUpTo } from '../core/wording.ts';

const MAX_WORDS = 200;
const MAX_OPERAND = 60;

/** Null: it always holds. */
export function conditionInWords(condition: Condition | null): string | null {
  if (condition === null || condition.clauses.length === 0) return null;
  return shownUpTo(joined(condition.clauses), MAX_WORDS);
}

const COMPARED = {
  equals: 'is',
  not_equals: 'is not',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
} as const;

function joined(clauses: readonly Clause[]): string {
  return clauses.length === 0 ? 'always' : clauses.map(inWords).join(' and ');
}

function inWords(clause: Clause): string {
  switch (clause.operator) {
    case 'truthy':
      return clause.variable.name;
    case 'and':
    case 'or': {
      const members = clause.members.map(joined);
      const only = members[0] ?? (clause.operator === 'and' ? 'always' : 'never');
      return members.length < 2 ? only : `(${members.join(` ${clause.operator} `)})`;
    }
    case 'not':
      return `not (${joined(clause.member)})`;
    default: {
      const operand = shownUpTo(JSON.stringify(clause.operand) ?? 'null', MAX_OPERAND);
      return `${clause.variable.name} ${COMPARED[clause.operator]} ${operand}`;
    }
  }
}
