// The shape of a step in `job.yml`, in the current format and in the list-style one.
// Keys that have no effect any more are still checked, so that a typing mistake in
// them does not wait for the day they matter again.

import { parseCondition } from '../core/conditions.ts';
import { LINTS } from '../core/workflow.ts';
import type { CheckDraft, InputDraft, OutputDraft, ReviewDraft, StepDraft } from './draft.ts';
import { readListedCriteria, readListedOutputs } from './list-style.ts';
import {
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
  required,
  type ShapeReport,
  text,
} from './read-fields.ts';
import { nameList, quote } from './wording.ts';
import { describeNode, entryOf, locate, type Node, type Path, plainValue } from './yaml-node.ts';

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

const readInput: Read<InputDraft> = (node, path, to) => {
  if (entryOf(node, 'file') || entryOf(node, 'from_step')) {
    const { file, from_step } = readFileInput(node, path, to);
    return { kind: 'file', file, fromStep: from_step };
  }
  const { name, description } = readAskedInput(node, path, to);
  return { kind: 'asked', name: name.value, description: description.value };
};

interface OutputFields {
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  readonly rules: OutputDraft['rules'];
  readonly lint: OutputDraft['lint'];
}

const readOutputMap = closedMap({
  type: required(oneOf('file', 'files'), emptyText),
  description: required(text, emptyText),
  required: required(boolean, () => true),
  rules: optional((node: Node, path: Path) => ({ node, path }), none),
  lint: optional(oneOf(...LINTS), none),
});

const readOutput: Read<OutputFields> = (node, path, to) => {
  const { type, description, required, rules, lint } = readOutputMap(node, path, to);
  return {
    type: type.value === 'files' ? 'files' : 'file',
    description: description.value,
    required,
    rules,
    lint: LINTS.find((each) => each === lint?.value) ?? null,
  };
};

const readOutputs: Read<OutputDraft[] | null> = (node, path, to) => {
  const named = namedValues(readOutput)(node, path, to);
  return named?.map(({ name, value }) => ({ name, ...value })) ?? null;
};

const readReviewMap = closedMap({
  run_each: required(text, emptyText),
  quality_criteria: required(namedValues(text, 1), none),
  additional_review_guidance: optional(anyText, none),
});

const readReview: Read<ReviewDraft> = (node, path, to) => {
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
  const most = `above 0 and up to ${MAX_CHECK_SECONDS}`;
  to.add(path, node.at, `expected a number of seconds ${most}, found ${describeNode(node)}`);
  return CHECK_SECONDS;
};

const readCheckMap = closedMap({
  name: required(text, emptyText),
  run: required(text, emptyText),
  timeout_seconds: optional(readTimeout, () => CHECK_SECONDS),
});

const readCheck: Read<CheckDraft> = (node, path, to) => {
  const { name, run, timeout_seconds } = readCheckMap(node, path, to);
  return { name, run: run.value, timeoutSeconds: timeout_seconds };
};

/** Evidence is kept by the check's name, so two of one name could not be told apart. */
const readChecks: Read<CheckDraft[] | null> = (node, path, to) => {
  const checks = list(readCheck)(node, path, to);
  const names = new Set<string>();
  for (const [index, { name }] of (checks ?? []).entries()) {
    if (names.has(name.value) && name.value !== '') {
      to.add([...path, index, 'name'], name.at, `duplicate check name ${quote(name.value, 60)}`);
    }
    names.add(name.value);
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
    to.add(path, node.at, `${wanted}, found ${keys || describeNode(node)}`);
  }
  return null;
};

const hookList = optional(list(readHookAction), none);
const readHooks = closedMap({
  after_agent: hookList,
  before_tool: hookList,
  before_prompt: hookList,
});

const readCondition: Read<StepDraft['when']> = (node, path, to) => {
  const { condition, problems } = parseCondition(plainValue(node));
  addForeignProblems(problems, node, path, to);
  return condition;
};

/** Problems of a parser that knows only values: the path leads to the place. */
export function addForeignProblems(
  problems: readonly { readonly path: Path; readonly message: string }[],
  node: Node,
  path: Path,
  to: ShapeReport,
): void {
  for (const problem of problems) {
    to.add([...path, ...problem.path], locate(node, problem.path), problem.message);
  }
}

const commonFields = {
  id: required(id, emptyText),
  name: required(text, emptyText),
  description: required(text, emptyText),
  instructions_file: required(text, emptyText),
  inputs: optional(list(readInput), none),
  dependencies: optional(list(id), none),
  checks: optional(readChecks, none),
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
  new Map([['quality_criteria', 'criteria belong into an entry of reviews']]),
);

const readListStyleStep = closedMap({
  ...commonFields,
  outputs: required<OutputDraft[] | null>(
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

export const readStep: Read<StepDraft> = (node, path, to) =>
  draftStep(readCurrentStep(node, path, to), []);

export const readStepOfListStyle: Read<StepDraft> = (node, path, to) => {
  const fields = readListStyleStep(node, path, to);
  return draftStep(fields, fields.quality_criteria);
};

function draftStep(
  fields: ReturnType<typeof readCurrentStep>,
  listedReviews: readonly ReviewDraft[],
): StepDraft {
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
    when: fields.when,
  };
}
