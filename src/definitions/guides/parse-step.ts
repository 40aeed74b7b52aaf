// One step of a guide: its fields, its conditions, and the rules for its output.

import { pauseIfDue } from '../../async/slices.ts';
import { type Condition, parseCondition } from '../../core/conditions.ts';
import { kindOf } from '../../core/conditions-problems.ts';
import { type Criteria, parseCriteria } from '../../core/rules.ts';
import { type Fields, openFields } from './fields.ts';
import type { GuideStep } from './guide-model.ts';
import type { Path } from './json-places.ts';
import { CRITERIA_FIELD, type ProblemLog } from './problem-log.ts';
import { countSchemas, type SchemaBudget } from './schema-budget.ts';

export const STEP_FIELDS = [
  'id',
  'title',
  'prompt',
  'askForFiles',
  'requireConfirmation',
  'runCondition',
  CRITERIA_FIELD,
  'guidance',
  'agentRole',
  'modelHint',
  'preface',
  // Judged by its value: see `reportType`.
  'type',
];

/** Null if it is no object; a step of which something was noted must not be used. */
export async function parseStep(
  source: unknown,
  path: Path,
  budget: SchemaBudget,
  log: ProblemLog,
): Promise<GuideStep | null> {
  const fields = openFields(source, STEP_FIELDS, path, 'A step', log);
  if (fields === null) return null;
  reportType(fields, log);
  const optional = {
    askForFiles: fields.boolean('askForFiles'),
    requireConfirmation: readConfirmation(fields, log),
    runCondition: readCondition(fields, 'runCondition', log),
    agentRole: fields.text('agentRole', { least: 10, most: 1024 }),
    modelHint: fields.text('modelHint', { most: 128 }),
    preface: fields.text('preface', { most: 512 }),
  };
  const id = fields.id();
  return {
    id,
    title: fields.requiredText('title', { most: 128 }),
    prompt: fields.requiredText('prompt', { most: 8192 }),
    guidance: fields.texts('guidance', { most: 1024, unique: false }),
    criteria: await readCriteria(fields, id, path, budget, log),
    ...withoutAbsent(optional),
  };
}

/** Steps have no types here, but in other engines some are loops. */
function reportType(fields: Fields, log: ProblemLog): void {
  if (!fields.has('type')) return;
  const type = fields.get('type');
  if (type === 'loop' || type === 'parallel') log.add(fields.at('type'), `Not supported: ${type}`);
  else log.add(fields.at('type'), 'Unknown field: type', 'key');
}

function readConfirmation(fields: Fields, log: ProblemLog): boolean | Condition | undefined {
  const name = 'requireConfirmation';
  const value = fields.get(name);
  if (value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return readCondition(fields, name, log);
  }
  const message = `"${name}" must be true, false or a condition, got ${kindOf(value)}`;
  log.add(fields.at(name), message);
  return undefined;
}

function readCondition(fields: Fields, name: string, log: ProblemLog): Condition | undefined {
  if (!fields.has(name)) return undefined;
  const { condition, problems } = parseCondition(fields.get(name));
  for (const { path, message } of problems) log.add([...fields.at(name), ...path], message, 'key');
  return condition ?? undefined;
}

async function readCriteria(
  fields: Fields,
  id: string,
  path: Path,
  budget: SchemaBudget,
  log: ProblemLog,
): Promise<Criteria | null> {
  const written = fields.get(CRITERIA_FIELD);
  const schemas = countSchemas(written);
  if (schemas > budget.left) {
    log.add(fields.at(CRITERIA_FIELD), `More than ${budget.most} schema rules in one workflow`);
    return null;
  }
  budget.left -= schemas;
  const { criteria, problems } = await parseCriteria(written, pauseIfDue);
  for (const problem of problems) {
    if (problem.kind !== 'schema') log.addCriteria({ id, path }, problem.path, problem.message);
    else log.add([...fields.at(CRITERIA_FIELD), ...problem.path], problem.message, 'key');
  }
  return criteria;
}

function withoutAbsent<T extends object>(fields: T): T {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as T;
}
