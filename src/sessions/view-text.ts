// The text of a session's view. It is written anew at every step and contains every step before, but a
// step changes little of it. So the texts of steps and history items are kept between two writes, and
// the thousandth step costs about as much as the tenth.

import { type HistoryItem, historyItems } from '../core/session/history.ts';
import { progressOfAll } from '../core/session/progress.ts';
import type { Progress, Session } from '../core/session/state.ts';
import { progressView, viewFields } from '../core/session/view.ts';
import { openJoinedTexts } from '../files/joined-texts.ts';

export type ViewText = readonly (string | Uint8Array)[];

/** Sessions whose texts are kept; the others are written from scratch. */
const MAX_SESSIONS = 16;

/** Returns the text in pieces, which are valid until the next call. */
export function openViewTexts(): (session: Session) => ViewText {
  const kept = new Map<string, ReturnType<typeof openLists>>();

  return (session) => {
    const { id, status } = session;
    const { steps, items } = kept.get(id) ?? openLists();
    kept.delete(id);
    if (status === 'active') kept.set(id, { steps, items });
    const [oldest] = kept.keys();
    if (kept.size > MAX_SESSIONS && oldest !== undefined) kept.delete(oldest);
    return [
      JSON.stringify(viewFields(session), null, 2).slice(0, -'\n}'.length),
      ',\n  "step_progress": ',
      ...within('{', steps(progressOfAll(session)), '}'),
      ',\n  "history": ',
      ...within('[', items(historyItems(session.history)), ']'),
      '\n}\n',
    ];
  };
}

const INDENT = '\n    ';

function openLists() {
  return {
    steps: openJoinedTexts<Progress>(
      `,${INDENT}`,
      (step) => `${JSON.stringify(step.stepId)}: ${indented(progressView(step))}`,
    ),
    items: openJoinedTexts<HistoryItem>(`,${INDENT}`, indented),
  };
}

/** Strings in JSON contain no bare newline. */
function indented(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', INDENT);
}

function within(open: string, list: Uint8Array, close: string): ViewText {
  return list.length === 0 ? [open, close] : [open, INDENT, list, '\n  ', close];
}
