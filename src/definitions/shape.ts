// The shape of a `job.yml` as a whole: which keys it has and what may stand in them.
// Whether the parts fit together is the business of `references.ts`.

import type { JobDraft, WorkflowDraft } from './draft.ts';
import { isListStyle, LISTED_OUTPUT_KEYS } from './list-style.ts';
import {
  closedMap,
  emptyText,
  type Field,
  id,
  type Located,
  list,
  none,
  optional,
  type Read,
  required,
  type ShapeReport,
  shortText,
  text,
  version,
} from './read-fields.ts';
import { LISTED_STEP_KEYS, readStep, readStepOfListStyle, STEP_KEYS } from './step-shape.ts';
import { entryOf, type Node } from './yaml-node.ts';

const COMMON_INFO = 'common_job_info_provided_to_all_steps_at_runtime';

/** Either an id, or a list of ids that run side by side. */
const readEntry: Read<readonly Located[]> = (node, path, to) =>
  node.kind === 'list' ? (list(id, 1)(node, path, to) ?? []) : [id(node, path, to)];

const readWorkflowMap = closedMap({
  name: required(id, emptyText),
  summary: required(shortText, emptyText),
  steps: required(list(readEntry, 1), none),
  agent: optional(text, none),
});

const readWorkflow: Read<WorkflowDraft> = (node, path, to) => {
  const { name, summary, steps } = readWorkflowMap(node, path, to);
  return { name, summary: summary.value, entries: steps ?? [] };
};

const commonFields = {
  name: required(id, emptyText),
  version: required(version, emptyText),
  summary: required(shortText, emptyText),
  description: optional(text, none),
  workflows: optional(list(readWorkflow), () => []),
} satisfies Record<string, Field<unknown>>;

const readCurrentRoot = closedMap({
  ...commonFields,
  [COMMON_INFO]: required(text, emptyText),
  steps: required(list(readStep, 1), none),
});

const readListStyleRoot = closedMap({
  ...commonFields,
  [COMMON_INFO]: optional(text, none),
  steps: required(list(readStepOfListStyle, 1), none),
  changelog: optional(() => null, none),
});

/** Every key that the reader takes, by the object it stands in. */
export const JOB_KEYS: Readonly<Record<string, readonly string[]>> = {
  root: readCurrentRoot.keys,
  workflow: readWorkflowMap.keys,
  ...STEP_KEYS,
};

/** Those that only the list style has. */
export const LIST_STYLE_KEYS: readonly string[] = [
  ...readListStyleRoot.keys.filter((key) => !readCurrentRoot.keys.includes(key)),
  ...LISTED_STEP_KEYS,
  ...LISTED_OUTPUT_KEYS,
];

/** Where a file shows that it is written in a dialect that cannot be run, or null. */
export function foreignDialectAt(root: Node): number | null {
  const mark = entryOf(root, 'step_arguments');
  if (mark) return mark.keyAt;
  const workflows = entryOf(root, 'workflows');
  return workflows?.value.kind === 'map' ? workflows.keyAt : null;
}

export function readShape(root: Node, to: ShapeReport): JobDraft {
  if (isListStyle(root)) {
    const fields = readListStyleRoot(root, [], to);
    const { name, version, summary, steps, workflows } = fields;
    const description = fields.description?.value ?? null;
    const commonInfo = fields[COMMON_INFO]?.value ?? description ?? '';
    return { at: root.at, name, version, summary, description, commonInfo, steps, workflows };
  }
  const fields = readCurrentRoot(root, [], to);
  const { name, version, summary, steps, workflows } = fields;
  const description = fields.description?.value ?? null;
  const commonInfo = fields[COMMON_INFO].value;
  return { at: root.at, name, version, summary, description, commonInfo, steps, workflows };
}
