// Reads the shape of a step in `job.yml`, in the current format and in the list style. Keys
// without effect are still checked, so that mistakes in them are found now.

import { parseCondition } from '../../core/conditions-parse.ts';
import { LINTS } from '../../core/workflow.ts';
import {
  addFaults,
  anyText,
  boolean,
  closedMap,
  emptyText,
  type Field,
  id,
  list,
  namedValues,
  none,
  oneOf,
  optional,
  type Read,
  repeatedIn,
  reportAt,
  required,
  text,
  withHints,
  wordList,
  written,
} from '../reader/fields.ts';
import { describeNode, entryOf, plainValue } from '../source/node.ts';
import { nameList, quote } from '../wording.ts';
import { readListedCriteria, readListedOutputs } from './list-style.ts';
import type {
  ParsedCheck,
  ParsedInput,
  ParsedOutput,
  ParsedReview,
  ParsedStep,
} from './parsed-step.ts';
import { readDeclaredReports } from './variables.ts';

const CHECK_SECONDS = 300;
const MAX_CHECK_SECONDS = 24 * 60 * 60;

const readAskedInput = closedMap({
  name: required(text, emptyText),
  description: required(text, emptyText),
});

const readFileInput = closedMap({
  file: required(text, emptyText),
  from_step: required(text, emptyText),
});

const readInput: Read<ParsedInput> = (node, path, to) => {
  if (entryOf(node, 'file') || entryOf(node, 'from_step')) {
    const { file, from_step } = readFileInput(node, path, to);
    return { kind: 'file', file, fromStep: from_step };
  }
  const { name, description } = readAskedInput(node, path, to);
  return { kind: 'asked', name: name.value, description: description.value };
};

const readOutputMap = closedMap({
  type: required(oneOf('file', 'files'), emptyText),
  description: required(text, emptyText),
  required: required(boolean, () => true),
  rules: optional(written, none),
  lint: optional(oneOf(...LINTS), none),
});

const readOutput: Read<Omit<ParsedOutput, 'name'>> = (node, path, to) => {
  const { type, description, required, rules, lint } = readOutputMap(node, path, to);
  return {
    type: type.value === 'files' ? 'files' : 'file',
    description: description.value,
    required,
    rules,
    lint: LINTS.find((each) => each === lint?.value) ?? null,
  };
};

const readOutputs: Read<ParsedOutput[] | null> = (node, path, to) => {
  const named = namedValues(readOutput)(node, path, to);
  return named?.map(({ name, value }) => ({ name, ...value })) ?? null;
};

const readReviewMap = closedMap({
  run_each: required(text, emptyText),
  quality_criteria: required(namedValues(text, 1), none),
  additional_review_guidance: optional(anyText, none),
});

const readReview: Read<ParsedReview> = (node, path, to) => {
  const { run_each, quality_criteria, additional_review_guidance } = readReviewMap(node, path, to);
  const criteria = quality_criteria ?? [];
  return {
    runEach: run_each,
    criteria: criteria.map(({ name, value }) => ({ name: name.value, text: value.value })),
    guidance: additional_review_guidance?.value ?? null,
  };
};

const readTimeout: Read<number> = (node, path, to) => {
  const value = node.kind === 'scalar' ? node.value : null;
  if (typeof value === 'number' && value > 0 && value <= MAX_CHECK_SECONDS) return value;
  const range = `above 0 and up to ${MAX_CHECK_SECONDS}`;
  to.add('wrong_type', path, `expected a number of seconds ${range}, found ${describeNode(node)}`);
  return CHECK_SECONDS;
};

const readCheckMap = closedMap({
  name: required(text, emptyText),
  run: required(text, emptyText),
  timeout_seconds: optional(readTimeout, () => CHECK_SECONDS),
});

export const readCheck: Read<ParsedCheck> = (node, path, to) => {
  const { name, run, timeout_seconds } = readCheckMap(node, path, to);
  return { name, run: run.value, timeoutSeconds: timeout_seconds };
};

/** Evidence is kept by the check's name, so names must be unique. */
const readChecks: Read<ParsedCheck[] | null> = (node, path, to) => {
  const checks = list(readCheck)(node, path, to);
  for (const name of repeatedIn((checks ?? []).map((check) => check.name))) {
    reportAt(to, 'duplicate_value', name, `duplicate check name ${quote(name.value, 60)}`);
  }
  return checks;
};

const HOOK_ACTIONS = ['prompt', 'prompt_file', 'script'];

const readHookAction: Read<null> = (node, path, to) => {
  const entries = node.kind === 'map' ? node.entries : [];
  const [entry] = entries;
  if (entries.length === 1 && entry && HOOK_ACTIONS.includes(entry.key)) {
    text(entry.value, [...path, entry.key], to);
  } else {
    const wanted = `expected a map with exactly one of ${nameList(HOOK_ACTIONS)}`;
    const keys = nameList(entries.map(({ key }) => key));
    to.add('wrong_type', path, `${wanted}, found ${keys || describeNode(node)}`);
  }
  return null;
};

const hookList = optional(list(readHookAction), none);
const readHooks = closedMap({
  after_agent: hookList,
  before_tool: hookList,
  before_prompt: hookList,
});

export const readCondition: Read<ParsedStep['when']> = (node, path, to) => {
  const { condition, problems } = parseCondition(plainValue(node));
  addFaults(problems, path, to);
  return condition;
};

const commonFields = {
  id: required(id, emptyText),
  name: required(text, emptyText),
  description: required(text, emptyText),
  instructions_file: required(text, emptyText),
  inputs: optional(list(readInput), none),
  dependencies: optional(wordList(id), none),
  checks: optional(readChecks, none),
  reports: optional(readDeclaredReports, none),
  when: optional(readCondition, none),
  exposed: optional(boolean, none),
  hidden: optional(boolean, none),
  agent: optional(text, none),
  hooks: optional(readHooks, none),
  stop_hooks: hookList,
} satisfies Record<string, Field<unknown>>;

const readCurrentStep = closedMap(
  {
    ...commonFields,
    outputs: required(readOutputs, none),
    reviews: required(list(readReview), none),
  },
  withHints(new Map([['quality_criteria', 'put criteria into an entry of reviews']])),
);

const readListStyleStep = closedMap({
  ...commonFields,
  outputs: required<ParsedOutput[] | null>(
    (node, path, to) => (node.kind === 'list' ? readListedOutputs : readOutputs)(node, path, to),
    none,
  ),
  reviews: optional(list(readReview), none),
  quality_criteria: optional(readListedCriteria, () => []),
});

export const STEP_KEYS = {
  step: readCurrentStep.keys,
  input: [...readAskedInput.keys, ...readFileInput.keys],
  output: readOutputMap.keys,
  review: readReviewMap.keys,
  check: readCheckMap.keys,
  hooks: readHooks.keys,
  'hook action': HOOK_ACTIONS,
};

export const LISTED_STEP_KEYS = readListStyleStep.keys.filter(
  (key) => !readCurrentStep.keys.includes(key),
);

export const readStep: Read<ParsedStep> = (node, path, to) =>
  draftStep(readCurrentStep(node, path, to), []);

export const readStepOfListStyle: Read<ParsedStep> = (node, path, to) => {
  const fields = readListStyleStep(node, path, to);
  return draftStep(fields, fields.quality_criteria);
};

function draftStep(
  fields: ReturnType<typeof readCurrentStep>,
  listedReviews: readonly ParsedReview[],
): ParsedStep {
  return {
    id: fields.id,
    name: fields.name.value,
    description: fields.description.value,
    instructionsFile: fields.instructions_file,
    dependencies: fields.dependencies ?? [],
    inputs: fields.inputs ?? [],
    outputs: fields.outputs,
    reviews: [...(fields.reviews ?? []), ...listedReviews],
    checks: fields.checks ?? [],
    reports: fields.reports,
    when: fields.when,
  };
}
