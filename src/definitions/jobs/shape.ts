// Reads the shape of a `job.yml` as a whole: its keys and their types. References between its
// parts are checked in `references.ts`.

import {
  closedMap,
  emptyText,
  type Field,
  id,
  ignored,
  list,
  none,
  optional,
  type Read,
  required,
  shortText,
  text,
  version,
} from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import type { Node } from '../source/node.ts';
import { ENTRY_KEYS, readEntry } from './entries/read-entry.ts';
import { isListStyle, LISTED_OUTPUT_KEYS } from './list-style.ts';
import type { ParsedJob, ParsedWorkflow } from './parsed-job.ts';
import { LISTED_STEP_KEYS, readStep, readStepOfListStyle, STEP_KEYS } from './step-shape.ts';
import { readDeclaredInputs, VARIABLE_KEYS } from './variables.ts';

const COMMON_INFO = 'common_job_info_provided_to_all_steps_at_runtime';

const readWorkflowMap = closedMap({
  name: required(id, emptyText),
  summary: required(shortText, emptyText),
  // An empty list is a problem of lint: it stops this workflow, not the whole job.
  steps: required(list(readEntry), none),
  inputs: optional(readDeclaredInputs, none),
  agent: optional(text, none),
});

const readWorkflow: Read<ParsedWorkflow> = (node, path, to) => {
  const { name, summary, steps, inputs } = readWorkflowMap(node, path, to);
  return { name, summary: summary.value, entries: steps ?? [], inputs };
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
  changelog: optional(ignored, none),
});

/** Every allowed key, by the object that contains it. */
export const JOB_KEYS: Readonly<Record<string, readonly string[]>> = {
  root: readCurrentRoot.keys,
  workflow: readWorkflowMap.keys,
  variable: VARIABLE_KEYS,
  ...ENTRY_KEYS,
  ...STEP_KEYS,
};

/** The keys that only the list style has. */
export const LIST_STYLE_KEYS: readonly string[] = [
  ...readListStyleRoot.keys.filter((key) => !readCurrentRoot.keys.includes(key)),
  ...LISTED_STEP_KEYS,
  ...LISTED_OUTPUT_KEYS,
];

export function readShape(root: Node, to: Report): ParsedJob {
  const readRoot = isListStyle(root) ? readListStyleRoot : readCurrentRoot;
  const { [COMMON_INFO]: info, ...fields } = readRoot(root, [], to);
  const { name, version, summary, steps, workflows } = fields;
  const description = fields.description?.value ?? null;
  const commonInfo = info?.value ?? description ?? '';
  return { name, version, summary, description, commonInfo, steps, workflows };
}
