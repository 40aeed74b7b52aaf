// `run`: another workflow, run as a session of its own. Whether it exists and takes these inputs is
// checked by lint, which knows the other files.

import type { RunInput } from '../../../core/workflow.ts';
import {
  closedMap,
  emptyText,
  id,
  namedValues,
  none,
  optional,
  type Read,
  required,
  text,
} from '../../reader/fields.ts';
import { plainValue } from '../../source/node.ts';
import { type EntrySyntax, NAME_ONLY } from './parsed-entry.ts';

const readValue = closedMap({ value: required<unknown>((node) => plainValue(node), none) });

const readInput: Read<{ from: string } | { value: unknown }> = (node, path, to) => {
  if (node.kind === 'map') return { value: readValue(node, path, to).value };
  return { from: text(node, path, to).value };
};

const readRun = closedMap({
  name: required(id, emptyText),
  job: required(text, emptyText),
  workflow: required(id, emptyText),
  inputs: optional(namedValues(readInput), none),
});

export const runSyntax: EntrySyntax = {
  keys: { run: readRun.keys },
  read: () => (node, path, to) => {
    const { name, job, workflow, inputs } = readRun(node, path, to);
    const other = {
      job: job.value,
      workflow: workflow.value,
      inputs: (inputs ?? []).map(({ name, value }): RunInput => ({ name: name.value, ...value })),
    };
    return {
      ...NAME_ONLY,
      kind: 'run',
      name,
      run: other,
      make: () => ({ kind: 'run', name: name.value, ...other }),
    };
  },
};
