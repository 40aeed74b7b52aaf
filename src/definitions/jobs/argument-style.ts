// Reads the newer format of a job, with `step_arguments`: named data that steps take and produce,
// and workflows that contain their steps, with the instructions in the file. `argument-model.ts`
// turns it into the common model.
//
//   step_arguments:
//     - {name: topic, description: What it is about, type: string}
//     - {name: report.md, description: The report, type: file_path}
//   workflows:
//     write:
//       summary: Write a report
//       steps:
//         - name: draft
//           instructions: Write about the topic.
//           inputs: {topic: {required: true}}
//           outputs: {report.md: {required: true}}

import type { Path } from '../../core/issue.ts';
import {
  anyText,
  boolean,
  checkId,
  closedMap,
  emptyText,
  id,
  type Located,
  list,
  namedValues,
  none,
  oneOf,
  optional,
  type Read,
  repeatedIn,
  required,
  shortText,
  text,
  version,
  type WrittenPart,
  written,
} from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import { entryOf, type Node } from '../source/node.ts';

export interface ArgumentJob {
  readonly name: Located;
  readonly version: string | null;
  readonly summary: string;
  /** Of several with one name, the first one. */
  readonly arguments: readonly Argument[];
  /** The names of the others. */
  readonly repeated: ReadonlySet<Located>;
  readonly workflows: readonly ArgumentWorkflow[];
  /** Keys that are allowed and have no effect. */
  readonly withoutEffect: readonly Path[];
}

export interface Argument {
  readonly name: Located;
  readonly description: string;
  readonly type: 'string' | 'file_path';
  readonly review: ArgumentReview | null;
  readonly schema: WrittenPart | null;
}

export interface ArgumentReview {
  readonly strategy: 'individual' | 'matches_together';
  readonly instructions: string;
}

export interface ArgumentWorkflow {
  readonly name: Located;
  readonly summary: string;
  readonly commonInfo: string | null;
  readonly afterword: string | null;
  readonly steps: readonly ArgumentStep[];
}

export interface ArgumentStep {
  readonly name: Located;
  /** Null in a step that runs another workflow. */
  readonly instructions: string | null;
  readonly subWorkflow: { readonly workflow: Located; readonly job: Located | null } | null;
  readonly inputs: readonly ArgumentUse[];
  readonly outputs: readonly ArgumentUse[];
  readonly requirements: readonly { readonly name: string; readonly text: string }[];
}

export interface ArgumentUse {
  readonly name: Located;
  readonly required: boolean;
  readonly review: ArgumentReview | null;
}

export function isArgumentStyle(root: Node): boolean {
  if (entryOf(root, 'step_arguments')) return true;
  return entryOf(root, 'workflows')?.value.kind === 'map';
}

/** A key whose value is ignored; its path is reported as having no effect. */
const withoutEffect: Read<Path> = (_, path) => path;

const COMMON_INFO = 'common_job_info_provided_to_all_steps_at_runtime';

const readReviewMap = closedMap({
  strategy: required(oneOf('individual', 'matches_together'), emptyText),
  instructions: required(text, emptyText),
  agent: optional(withoutEffect, none),
  additional_context: optional(withoutEffect, none),
});

const readArgumentMap = closedMap({
  name: required(text, emptyText),
  description: required(text, emptyText),
  type: required(oneOf('string', 'file_path'), emptyText),
  review: optional(written, none),
  json_schema: optional(written, none),
});

const readInputMap = closedMap({ required: optional(boolean, () => true) });

const readOutputMap = closedMap({
  required: optional(boolean, () => true),
  review: optional(written, none),
});

const readSubWorkflowMap = closedMap({
  workflow_name: required(id, emptyText),
  workflow_job: optional(text, none),
});

const requirementMap = optional(namedValues(text), none);

const readStepMap = closedMap({
  name: required(id, emptyText),
  instructions: optional(text, none),
  sub_workflow: optional(readSubWorkflowMap, none),
  inputs: optional(namedValues(readInputMap), none),
  outputs: optional(namedValues(readOutputMap), none),
  process_requirements: requirementMap,
  // Their former name.
  process_quality_attributes: requirementMap,
});

const readWorkflowMap = closedMap({
  summary: required(shortText, emptyText),
  steps: required(list(written), none),
  agent: optional(withoutEffect, none),
  [COMMON_INFO]: optional(text, none),
  post_workflow_instructions: optional(anyText, none),
});

const readRootMap = closedMap({
  name: required(id, emptyText),
  summary: required(shortText, emptyText),
  step_arguments: required(list(written), none),
  workflows: required(namedValues(written, 1), none),
  version: optional(version, none),
});

/** Every key of this style. */
export const ARGUMENT_STYLE_KEYS: readonly string[] = [
  readRootMap,
  readArgumentMap,
  readReviewMap,
  readWorkflowMap,
  readStepMap,
  readOutputMap,
  readSubWorkflowMap,
].flatMap(({ keys }) => keys);

export function readArgumentStyle(root: Node, to: Report): ArgumentJob {
  const ineffective: Path[] = [];
  const fields = readRootMap(root, [], to);
  const all = (fields.step_arguments ?? []).map((each) => readArgument(each, to, ineffective));
  const repeated = repeatedIn(all.map(({ name }) => name));
  return {
    name: fields.name,
    version: fields.version?.value ?? null,
    summary: fields.summary.value,
    arguments: all.filter(({ name }) => !repeated.has(name)),
    repeated,
    workflows: (fields.workflows ?? []).map(({ name, value }) => {
      checkId(name, to);
      return readWorkflow(name, value, to, ineffective);
    }),
    withoutEffect: ineffective,
  };
}

function readArgument({ node, path }: WrittenPart, to: Report, ineffective: Path[]): Argument {
  const { name, description, type, review, json_schema } = readArgumentMap(node, path, to);
  const isFile = type.value === 'file_path';
  // A schema applies only to the text of a file, and only if it is written inline.
  const hasSchema = json_schema !== null && isFile && json_schema.node.kind === 'map';
  if (json_schema !== null && !hasSchema) ineffective.push(json_schema.path);
  return {
    name,
    description: description.value,
    type: isFile ? 'file_path' : 'string',
    review: review && readReview(review, to, ineffective),
    schema: hasSchema ? json_schema : null,
  };
}

function readReview({ node, path }: WrittenPart, to: Report, ineffective: Path[]): ArgumentReview {
  const { strategy, instructions, agent, additional_context } = readReviewMap(node, path, to);
  ineffective.push(...[agent, additional_context].filter((key) => key !== null));
  return {
    strategy: strategy.value === 'matches_together' ? 'matches_together' : 'individual',
    instructions: instructions.value,
  };
}

function readWorkflow(
  name: Located,
  { node, path }: WrittenPart,
  to: Report,
  ineffective: Path[],
): ArgumentWorkflow {
  const fields = readWorkflowMap(node, path, to);
  if (fields.agent !== null) ineffective.push(fields.agent);
  return {
    name,
    summary: fields.summary.value,
    commonInfo: fields[COMMON_INFO]?.value ?? null,
    afterword: fields.post_workflow_instructions?.value || null,
    steps: (fields.steps ?? []).map((step) => readStep(step, to, ineffective)),
  };
}

function readStep({ node, path }: WrittenPart, to: Report, ineffective: Path[]): ArgumentStep {
  const fields = readStepMap(node, path, to);
  const { instructions, sub_workflow: sub } = fields;
  if (node.kind === 'map' && (instructions === null) === (sub === null)) {
    const found = sub === null ? 'neither' : 'both';
    const message = `expected exactly one of instructions, sub_workflow; found ${found}`;
    to.add('wrong_value', path, message);
  }
  const required = [fields.process_requirements, fields.process_quality_attributes];
  return {
    name: fields.name,
    instructions: instructions?.value ?? null,
    subWorkflow: sub && { workflow: sub.workflow_name, job: sub.workflow_job },
    inputs: (fields.inputs ?? []).map(({ name, value }) => ({ name, ...value, review: null })),
    outputs: (fields.outputs ?? []).map(({ name, value }) => ({
      name,
      required: value.required,
      review: value.review && readReview(value.review, to, ineffective),
    })),
    requirements: required.flatMap((each) =>
      (each ?? []).map(({ name, value }) => ({ name: name.value, text: value.value })),
    ),
  };
}
