// Judges the conditions of a guide. Guides declare no variables, and each call brings its own
// context, so any step whose condition can hold is reachable. All that can be proved is that a
// condition holds for no context at all.

import { type Clause, type Condition, holds } from '../../core/conditions.ts';
import { parseCondition } from '../../core/conditions-parse.ts';
import { isRecord } from '../../core/is-record.ts';
import type { Fault, Path } from '../../core/issue.ts';
import { shownUpTo } from '../../core/wording.ts';
import type { WrittenGuide } from '../guides/guide-model.ts';
import { quote } from '../wording.ts';
import { comparisonsIn, contextsOf, freeValues, UNSET } from './domains.ts';

export function judgeGuide({ steps }: Pick<WrittenGuide, 'steps'>): readonly Fault[] {
  return steps.flatMap((step, index) => {
    const at = ['steps', index];
    const id = quote(String(step.id));
    return [
      ...judge(
        { written: step.runCondition, path: [...at, 'runCondition'] },
        `The condition of step ${id} never holds: no call reaches it`,
      ),
      ...judge(
        { written: step.requireConfirmation, path: [...at, 'requireConfirmation'] },
        `The requireConfirmation of step ${id} never holds: no one is asked to confirm it`,
      ),
      ...conditionsIn(step.validationCriteria, [...at, 'validationCriteria']).flatMap((each) =>
        judge(each, `The condition of a rule of step ${id} never holds: the rule is never applied`),
      ),
    ];
  });
}

interface Written {
  readonly written: unknown;
  readonly path: Path;
}

function judge({ written, path }: Written, message: string): Fault[] {
  if (!isRecord(written)) return [];
  const { condition } = parseCondition(written);
  if (!condition || canHold(condition.clauses)) return [];
  return [{ code: 'never_holds', path, message, proof: { says: whyNever(condition), path: [] } }];
}

/** The conditions of rules, at any depth of `and`, `or` and `not`. */
function conditionsIn(criteria: unknown, path: Path): Written[] {
  if (Array.isArray(criteria)) {
    return criteria.flatMap((each, index) => conditionsIn(each, [...path, index]));
  }
  if (!isRecord(criteria)) return [];
  const { condition, and, or, not } = criteria;
  return [
    ...(condition === undefined ? [] : [{ written: condition, path: [...path, 'condition'] }]),
    ...conditionsIn(and, [...path, 'and']),
    ...conditionsIn(or, [...path, 'or']),
    ...conditionsIn(not, [...path, 'not']),
  ];
}

/** Conditions above these limits are assumed to be satisfiable. */
const MAX_COMPARISONS = 100;
const MAX_CONTEXTS = 4096;

function canHold(clauses: readonly Clause[]): boolean {
  if (comparisonsOf(clauses) > MAX_COMPARISONS) return true;
  const condition: Condition = { source: {}, clauses, variables: [] };
  const options = [...comparisonsIn([condition])].map(
    ([name, compared]) => [name, [UNSET, ...freeValues(name, compared)]] as const,
  );
  const contexts = contextsOf(options, MAX_CONTEXTS);
  return contexts === null || contexts.some((context) => holds(condition, context));
}

function comparisonsOf(clauses: readonly Clause[]): number {
  return clauses.reduce((count, clause) => {
    if ('members' in clause) return count + comparisonsOf(clause.members.flat());
    return count + ('member' in clause ? comparisonsOf(clause.member) : 1);
  }, 0);
}

/** Names only the parts that contradict each other. */
function whyNever({ clauses }: Condition): string {
  let parts = clauses.flatMap(flat);
  for (const part of parts) {
    const others = parts.filter((each) => each !== part);
    if (!canHold(others)) parts = others;
  }
  const words = parts.map(describeClause).join(' and ');
  return `no context has ${shownUpTo(words, MAX_WORDS)}`;
}

const MAX_WORDS = 300;

/** The members of an `and` have to hold like the clauses of one object. */
function flat(clause: Clause): readonly Clause[] {
  return clause.operator === 'and' ? clause.members.flat().flatMap(flat) : [clause];
}

const SIGNS = { equals: '=', not_equals: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' } as const;

function describeClause(clause: Clause): string {
  switch (clause.operator) {
    case 'truthy':
      return clause.variable.name;
    case 'not':
      return `not (${describeClauses(clause.member)})`;
    case 'and':
      return `(${clause.members.map(describeClauses).join(' and ')})`;
    case 'or':
      return clause.members.length === 0
        ? 'one of no alternatives'
        : `(${clause.members.map(describeClauses).join(' or ')})`;
    default: {
      const { operator, variable, operand } = clause;
      return `${variable.name} ${SIGNS[operator]} ${shownUpTo(JSON.stringify(operand), 60)}`;
    }
  }
}

function describeClauses(clauses: readonly Clause[]): string {
  return clauses.length === 0 ? 'anything' : clauses.map(describeClause).join(' and ');
}
