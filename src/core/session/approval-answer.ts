// Decides an `approve`: a person approves or rejects exactly the files that were shown. The
// command brings their hashes; whether the same bytes were judged before is known here. No agent,
// override or timeout can approve anything.

import { commit, refused, unchanged } from '../decision.ts';
import type { ApproveEntry } from '../workflow.ts';
import { actorIfNew } from './decide.ts';
import type { Answered, SessionDecision } from './events.ts';
import { planGoBack } from './go-back.ts';
import { approvalsOf, digestOf, NOTHING_SAID, type ShownFiles } from './judged-files.ts';
import { decideLate, isPast } from './late-calls.ts';
import { type CallCommand, definitionIfNew, moveBy, movingFrom } from './move-fields.ts';
import { leaveEntry } from './next-entry.ts';
import { currentEntry } from './positions.ts';
import { stepIsPast } from './refusals.ts';
import { sentBy } from './repeats.ts';
import type { Owner, Session } from './state.ts';

export interface AskedCommand {
  readonly at: string;
  readonly by: Owner;
  readonly arrival: number;
  /** The `approve`, or the loop. */
  readonly name: string;
  readonly question: string;
  /** For an approval. */
  readonly files?: ShownFiles;
  readonly feedback: string;
}

/** Records, once, that a person was asked. */
export function decideAsked(session: Session, command: AskedCommand): SessionDecision {
  const { at, by, arrival, name, question, files, feedback } = command;
  if (isPast(session, arrival)) return refused(stepIsPast(session, name));
  if (session.position.asked?.question === question) return unchanged();
  return commit({
    type: 'asked',
    at,
    data: {
      ...actorIfNew(session, by),
      arrival,
      name,
      question,
      ...(files && { files }),
      feedback,
    },
  });
}

export interface ApprovalCommand extends CallCommand {
  readonly name: string;
  /** As they are now. */
  readonly files: ShownFiles;
  /** A person's answer about exactly these files; null if no one was asked about them. */
  readonly said: PersonSaid | null;
}

export interface PersonSaid extends Answered {
  readonly approves: boolean;
  readonly words: string | null;
}

/**
 * Unchanged if there is no new answer. Then `verdictOn` tells whether a person has to be asked
 * (null) or these bytes stay rejected.
 */
export function decideApproval(session: Session, command: ApprovalCommand): SessionDecision {
  const { at, by, arrival, call, name, files, inUse } = command;
  if (isPast(session, arrival)) return decideLate(session, command, name);
  const here = currentEntry(session, inUse.workflow);
  if (here?.place.entry.kind !== 'approve') return refused(inUse.stepGone(session));
  // It is already approved, and a loop around it waits for a person.
  if (session.position.limit !== undefined) return unchanged();
  const verdict = verdictOn(session, command);
  if (verdict === null) return unchanged();
  const { said } = verdict;
  const data = {
    ...actorIfNew(session, by),
    arrival,
    ...definitionIfNew(session, command),
    name,
    files,
    ...(said !== null && { answer: { question: said.question, by: said.by, route: said.route } }),
    sent: sentBy(call),
  };
  if (verdict.approves) {
    const move = moveBy(leaveEntry(movingFrom(session, command), here.place, here.loops), command);
    if (move.kind === 'refused') return move;
    return commit({ type: 'approved', at, data: { ...data, ...move.data } });
  }
  const { words } = verdict;
  const to = mayGoBack(session, here.place.entry);
  if (to === null) {
    if (said === null) return unchanged();
    return commit({ type: 'rejected', at, data: { ...data, words, position: null } });
  }
  const back = planGoBack(session, to, command);
  if (back.kind === 'refused') return back;
  const { position, invalidated } = back;
  const warnings = [...(command.warnings ?? []), ...back.warnings];
  const went = { to, position, invalidated, ...(warnings.length > 0 && { warnings }) };
  return commit({ type: 'rejected', at, data: { ...data, words, ...went } });
}

/** The verdict on exactly these bytes in this session, earlier or now. An approval wins. */
export function verdictOn(
  session: Session,
  { name, files, said }: Pick<ApprovalCommand, 'name' | 'files' | 'said'>,
): { approves: boolean; words: string | null; said: PersonSaid | null } | null {
  const digest = digestOf(files);
  // An approval that shows no files asks each time.
  const known = digest === null ? NOTHING_SAID : approvalsOf(session, name);
  if (known.approved.some((each) => each === digest))
    return { approves: true, words: null, said: null };
  const before = known.rejected.find((each) => each.digest === digest);
  if (before !== undefined) return { approves: false, words: before.words, said: null };
  return said && { approves: said.approves, words: said.words, said };
}

/** The step that a rejection goes back to; null: the session stays. */
function mayGoBack(session: Session, { name, onReject }: ApproveEntry): string | null {
  if (onReject === null || approvalsOf(session, name).back >= onReject.max) return null;
  return onReject.goTo;
}
