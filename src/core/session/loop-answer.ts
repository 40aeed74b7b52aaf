// Decides how to continue with a loop that is not done and has no pass left, as a person answered.
// An agent cannot end a loop by itself.

import { commit, refused } from '../decision.ts';
import { placeOf } from '../places.ts';
import { actorIfNew, decideAbort } from './decide.ts';
import type { Answered, SessionDecision } from './events.ts';
import { decideLate, isPast } from './late-calls.ts';
import { type CallCommand, definitionIfNew, moveBy, movingFrom } from './move-fields.ts';
import { leaveEntry, nextPass } from './next-entry.ts';
import { currentEntry } from './positions.ts';
import { sentBy } from './repeats.ts';
import type { Session } from './state.ts';

/** The choices of the question. */
export const LOOP_CHOICES = {
  one_more: 'One pass more',
  go_on: 'Go on as it is',
  abort: 'Abort',
} as const;

export interface LoopAnswerCommand extends CallCommand {
  readonly answer: Answered;
  /** A text without a choice means one pass more. */
  readonly choice: keyof typeof LOOP_CHOICES;
  readonly words: string | null;
}

export function decideLoopAnswer(session: Session, command: LoopAnswerCommand): SessionDecision {
  const { at, by, arrival, call, answer, choice, words, inUse } = command;
  const { limit, members } = session.position;
  if (isPast(session, arrival) || limit === undefined) {
    return decideLate(session, command, call.stepId ?? members[0] ?? '');
  }
  if (choice === 'abort') {
    const explanation = words ?? `Loop '${limit.loop}' was not done after pass ${limit.pass}`;
    const ending = command.ending ?? { nth: 0, resumes: null };
    return decideAbort(session, { at, by: { person: answer.by }, explanation, ending });
  }
  const here = currentEntry(session, inUse.workflow);
  const loop = placeOf(inUse.workflow, limit.loop);
  if (here === null || loop?.entry.kind !== 'loop') return refused(inUse.stepGone(session));
  // The passes of the loops around it; those of inner loops have ended.
  const around = here.loops.slice(0, loop.loops.length);
  const moving = movingFrom(session, command);
  const own = { name: limit.loop, pass: limit.pass };
  const onward =
    choice === 'one_more'
      ? nextPass(moving, loop, [...around, own], words ?? limit.said)
      : leaveEntry(moving, loop, around);
  const move = moveBy(onward, command);
  if (move.kind === 'refused') return move;
  const isStaying = move.data.limit !== undefined;
  return commit({
    type: 'loop_answered',
    at,
    data: {
      ...actorIfNew(session, by),
      arrival,
      ...definitionIfNew(session, command),
      loop: limit.loop,
      pass: limit.pass,
      choice,
      words,
      answer,
      sent: sentBy(call),
      ...move.data,
      ...(words !== null && !isStaying && { feedback: words }),
    },
  });
}
