// `for_each`: one step that is done once for each item of a list.

import type { Step } from '../../../core/workflow.ts';
import { closedMap, emptyText, id, optional, required, wholeNumber } from '../../reader/fields.ts';
import { quote } from '../../wording.ts';
import { makeRef, noRef, readRef } from './output-ref.ts';
import { type EntrySyntax, NAME_ONLY } from './parsed-entry.ts';

const [DEFAULT_PARALLEL, MAX_PARALLEL] = [4, 32];
const [DEFAULT_ITEMS, MAX_ITEMS] = [100, 1000];

const readForEach = closedMap({
  name: required(id, emptyText),
  items: required(readRef, noRef),
  step: required(id, emptyText),
  max_parallel: optional(wholeNumber(1, MAX_PARALLEL, DEFAULT_PARALLEL), () => DEFAULT_PARALLEL),
  max_items: optional(wholeNumber(1, MAX_ITEMS, DEFAULT_ITEMS), () => DEFAULT_ITEMS),
});

export const forEachSyntax: EntrySyntax = {
  keys: { for_each: readForEach.keys },
  read: () => (node, path, to) => {
    const { name, items, step, max_parallel, max_items } = readForEach(node, path, to);
    return {
      ...NAME_ONLY,
      kind: 'for_each',
      name,
      steps: [step],
      check: ({ earlierOutput, problem }) => {
        if (earlierOutput(items)?.kind !== 'for_each') return;
        const message = `takes its items from ${quote(items.step)}, which itself runs once for each item`;
        problem('wrong_value', items.written, message);
      },
      make: (parts) => ({
        kind: 'for_each',
        name: name.value,
        items: makeRef(items),
        step: parts.step(step.value) as Step,
        maxParallel: max_parallel,
        maxItems: max_items,
      }),
    };
  },
};
