// Reads the older format of a job, still found in many repositories: a step lists the paths that
// it writes and the criteria they must meet. It is converted while reading, so that only the
// reader knows that there are two formats.
//
//   outputs: [report.md, {file: data/, doc_spec: …}]   → required outputs of those names
//   quality_criteria: [Is complete, Names its sources] → one review of the whole step

import {
  closedMap,
  emptyText,
  ignored,
  type Located,
  list,
  none,
  optional,
  type Read,
  repeatedIn,
  reportAt,
  required,
  text,
} from '../reader/fields.ts';
import { entryOf, type Node } from '../source/node.ts';
import { quote } from '../wording.ts';
import type { ParsedOutput, ParsedReview } from './parsed-step.ts';

export function isListStyle(root: Node): boolean {
  const steps = entryOf(root, 'steps')?.value;
  if (steps?.kind !== 'list') return false;
  return steps.items.some((step) => entryOf(step, 'outputs')?.value.kind === 'list');
}

const readOutputMap = closedMap({
  file: required(text, emptyText),
  doc_spec: optional(ignored, none),
});

export const LISTED_OUTPUT_KEYS = readOutputMap.keys;

const readOutputPath: Read<Located> = (node, path, to) =>
  node.kind === 'map' ? readOutputMap(node, path, to).file : text(node, path, to);

export const readListedOutputs: Read<ParsedOutput[] | null> = (node, path, to) => {
  const paths = list(readOutputPath)(node, path, to);
  for (const each of repeatedIn(paths ?? [])) {
    reportAt(to, 'duplicate_value', each, `duplicate output ${quote(each.value, 60)}`);
  }
  return paths?.map(outputAt) ?? null;
};

function outputAt(name: Located): ParsedOutput {
  const many = name.value.endsWith('/');
  return {
    name,
    type: many ? 'files' : 'file',
    description: many ? `The files in ${name.value}` : `The file ${name.value}`,
    required: true,
    rules: null,
    lint: null,
  };
}

export const readListedCriteria: Read<ParsedReview[]> = (node, path, to) => {
  const texts = list(text)(node, path, to) ?? [];
  if (texts.length === 0) return [];
  const criteria = texts.map(({ value }, index) => ({
    name: `criterion_${index + 1}`,
    text: value,
  }));
  return [{ runEach: { value: 'step', path, at: 'value' }, criteria, guidance: null }];
};
