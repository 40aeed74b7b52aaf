// `loop`: entries that are repeated, pass by pass, until something holds.

import {
  closedMap,
  emptyText,
  id,
  list,
  none,
  required,
  wholeNumber,
} from '../../reader/fields.ts';
import { type EntrySyntax, NAME_ONLY } from './parsed-entry.ts';
import { makeUntil, readUntil, UNTIL_KEYS } from './until.ts';

const MAX_LOOP_DEPTH = 3;
const MAX_PASSES = 100;

const fields = {
  name: required(id, emptyText),
  until: required(readUntil, none),
  max: required(wholeNumber(1, MAX_PASSES, 1), () => 1),
};

export const loopSyntax: EntrySyntax = {
  keys: { loop: [...Object.keys(fields), 'steps'], until: UNTIL_KEYS },
  read:
    ({ depth, readEntry }) =>
    (node, path, to) => {
      const isTooDeep = depth > MAX_LOOP_DEPTH;
      if (isTooDeep) to.add('too_deep', path, `loops nest at most ${MAX_LOOP_DEPTH} deep`);
      const readLoop = closedMap({ ...fields, steps: required(list(readEntry, 1), none) });
      const read = isTooDeep
        ? { name: emptyText(path), until: null, max: 1, steps: null }
        : readLoop(node, path, to);
      const { name, until, max } = read;
      const entries = read.steps ?? [];
      return {
        ...NAME_ONLY,
        kind: 'loop',
        name,
        entries,
        until,
        check: ({ ownOutput }) => {
          if (until?.kind === 'rules') ownOutput(until.output);
        },
        make: (parts) => ({
          kind: 'loop',
          name: name.value,
          entries: entries.map((entry) => entry.make(parts)),
          until: makeUntil(until, parts),
          max,
        }),
      };
    },
};
