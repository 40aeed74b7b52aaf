// `approve`: the work goes on when a person agrees.

import {
  closedMap,
  emptyText,
  id,
  list,
  none,
  optional,
  required,
  text,
  wholeNumber,
} from '../../reader/fields.ts';
import { makeRef, readRef } from './output-ref.ts';
import { type EntrySyntax, NAME_ONLY } from './parsed-entry.ts';

const [DEFAULT_REJECTIONS, MAX_REJECTIONS] = [3, 100];

const readOnReject = closedMap({
  go_to: required(id, emptyText),
  max: optional(wholeNumber(1, MAX_REJECTIONS, DEFAULT_REJECTIONS), () => DEFAULT_REJECTIONS),
});

const readApprove = closedMap({
  name: required(id, emptyText),
  question: required(text, emptyText),
  show: optional(list(readRef), none),
  on_reject: optional(readOnReject, none),
});

export const approveSyntax: EntrySyntax = {
  keys: { approve: readApprove.keys, on_reject: readOnReject.keys },
  read: () => (node, path, to) => {
    const { name, question, on_reject, ...read } = readApprove(node, path, to);
    const show = read.show ?? [];
    return {
      ...NAME_ONLY,
      kind: 'approve',
      name,
      check: ({ earlierOutput, earlierEntry }) => {
        for (const ref of show) earlierOutput(ref);
        if (on_reject !== null) earlierEntry(on_reject.go_to);
      },
      make: () => ({
        kind: 'approve',
        name: name.value,
        question: question.value,
        show: show.map(makeRef),
        onReject: on_reject && { goTo: on_reject.go_to.value, max: on_reject.max },
      }),
    };
  },
};
