// Compiles the rules for the outputs of steps. Problems of rules are also kept by step, because
// validating the output of such a step fails with a code of its own.

import { pauseIfDue } from '../../async/slices.ts';
import type { Path } from '../../core/issue.ts';
import { COMPOSITIONS } from '../../core/rules/parse.ts';
import { type Criteria, parseCriteria } from '../../core/rules.ts';
import { onOneLine } from '../../core/wording.ts';
import { addFaults } from '../reader/fields.ts';
import type { IssueLog } from '../reader/issues.ts';
import { plainValue, pointerTo } from '../source/node.ts';
import { cut } from '../wording.ts';
import { GUIDE_BOUNDS } from './guide-fields.ts';
import type { CriteriaFault } from './guide-model.ts';
import type { ParsedGuideStep } from './parse-step.ts';
import { countSchemas, MAX_SCHEMAS } from './schema-budget.ts';

export interface CompiledCriteria {
  /** Of each step whose rules are valid. */
  readonly criteria: ReadonlyMap<ParsedGuideStep, Criteria>;
  /** The first one of each step. */
  readonly faults: readonly CriteriaFault[];
  /** The file has no other problems. */
  readonly only: boolean;
}

export async function compileCriteria(
  steps: readonly ParsedGuideStep[],
  log: IssueLog,
): Promise<CompiledCriteria> {
  const criteria = new Map<ParsedGuideStep, Criteria>();
  const faults = new Map<string, CriteriaFault>();
  let others = log.found;
  let schemas = 0;
  for (const step of steps) {
    // If there are no other problems, the faults of every step are needed.
    if (log.full() && others > 0) break;
    const { id, validationCriteria: written } = step;
    if (written === null) continue;
    const value = plainValue(written.node);
    const total = schemas + countSchemas(value);
    if (total > MAX_SCHEMAS) {
      const message = `More than ${MAX_SCHEMAS} schema rules in one workflow`;
      log.add('over_limit', written.path, message);
      others += 1;
      continue;
    }
    schemas = total;
    const compiled = await parseCriteria(value, pauseIfDue);
    addFaults(compiled.problems, written.path, log, 'key');
    if (compiled.criteria !== null) criteria.set(step, compiled.criteria);
    const ofRules = compiled.problems.filter(({ code }) => code !== 'wrong_schema');
    others += compiled.problems.length - ofRules.length;
    const [first] = ofRules;
    if (first === undefined || faults.has(id)) continue;
    const rule = pointerTo(['validationCriteria', ...pathOfRule(first.path)]);
    const reason = onOneLine(cut(first.message, GUIDE_BOUNDS.maxLength));
    faults.set(id, { step: id, rule, reason });
  }
  return { criteria, faults: [...faults.values()], only: others === 0 };
}

/** The path of the rule that contains the faulty field. */
function pathOfRule(path: Path): Path {
  const field = path.findIndex(
    (step) => typeof step === 'string' && !COMPOSITIONS.some((name) => name === step),
  );
  const rule = field === -1 ? [...path] : path.slice(0, field);
  while (rule.at(-1) === 'and' || rule.at(-1) === 'or') rule.pop();
  return rule;
}
