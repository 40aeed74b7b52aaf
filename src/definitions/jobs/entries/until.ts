// What ends a loop: a check that passes, a condition that holds, or an output that meets rules.

import type { Criteria } from '../../../core/rules.ts';
import type { Until } from '../../../core/workflow.ts';
import { closedMap, none, optional, type Read, written } from '../../reader/fields.ts';
import { entryOf, plainValue } from '../../source/node.ts';
import { nameList } from '../../wording.ts';
import { readCheck, readCondition } from '../step-shape.ts';
import { makeRef, noRef, readRef } from './output-ref.ts';
import type { EntryParts, ParsedUntil } from './parsed-entry.ts';

const KINDS = ['check', 'when', 'rules'];

const readUntilMap = closedMap({
  check: optional(readCheck, none),
  when: optional(readCondition, none),
  rules: optional(written, none),
  output: optional(readRef, none),
});

export const UNTIL_KEYS = readUntilMap.keys;

export const readUntil: Read<ParsedUntil | null> = (node, path, to) => {
  const { check, when, rules, output } = readUntilMap(node, path, to);
  if (node.kind !== 'map') return null;
  const given = KINDS.filter((key) => entryOf(node, key));
  if (given.length !== 1) {
    const found = nameList(given) || 'none of them';
    to.add('wrong_type', path, `expected exactly one of ${nameList(KINDS)}, found ${found}`);
    return null;
  }
  if (rules === null && output !== null) {
    to.add('unknown_key', [...path, 'output'], "'output' belongs to 'rules'", 'key');
  }
  if (check !== null) return { kind: 'check', check };
  if (rules === null) return { kind: 'when', condition: when };
  const value = plainValue(rules.node);
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) {
    to.add(
      'wrong_length',
      rules.path,
      'expected at least 1 rule: without rules the loop would always be done',
    );
  }
  if (output === null) {
    to.add('missing_key', path, "missing required key 'output': the output that the rules judge");
  }
  return { kind: 'rules', output: output ?? noRef(path), rules };
};

/** Anything unreadable was a problem before, so the casts are valid here. */
export function makeUntil(until: ParsedUntil | null, { rules }: EntryParts): Until {
  const found = until as ParsedUntil;
  switch (found.kind) {
    case 'check': {
      const { name, run, timeoutSeconds } = found.check;
      return { kind: 'check', check: { name: name.value, run, timeoutSeconds } };
    }
    case 'when':
      return { kind: 'when', condition: found.condition as NonNullable<typeof found.condition> };
    case 'rules':
      return {
        kind: 'rules',
        output: makeRef(found.output),
        criteria: rules(found) as Criteria,
      };
  }
}
