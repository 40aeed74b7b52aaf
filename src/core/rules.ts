// Criteria define what a text must be like: rules (contains, regex, length, schema), each
// with a message for when it is not met, combined by `and`, `or` and `not`:
//
//   [{"type": "contains", "value": "401", "message": "Must reject bad tokens"},
//    {"or": [{"type": "regex", "pattern": "(?i)jwt", "message": "Should use JWT"},
//            {"type": "contains", "value": "session", "message": "Should use sessions"}]}]
//
// They are compiled when their file is read; the parts are in `rules/`. Steps of guides and
// outputs of jobs share them.

import type { Condition, Context } from './conditions.ts';
import type { Criteria, CriteriaPart } from './rules/model.ts';
import { messagesOf } from './rules/requirement-texts.ts';

export type { Criteria } from './rules/model.ts';
export { parseCriteria } from './rules/parse.ts';
export { validateText } from './rules/validate.ts';

/** The messages of the rules that apply in a context, in file order. */
export function applicableMessages(criteria: Criteria, context: Context): string[] {
  return criteria.members.flatMap((member) => messagesOf(member, context));
}

/** The conditions of all rules, in file order. */
export function conditionsOf(criteria: Criteria): Condition[] {
  return criteria.members.flatMap(conditionsIn);
}

function conditionsIn(member: CriteriaPart): Condition[] {
  switch (member.kind) {
    case 'and':
    case 'or':
      return member.members.flatMap(conditionsIn);
    case 'not':
      return conditionsIn(member.member);
    default:
      return member.condition === null ? [] : [member.condition];
  }
}
