// What a new conversation learns about unfinished work in this project: one line for each run that no
// process is working on, and how to go on with it.

import type { Processes } from '../core/session/ownership.ts';
import { openStepId } from '../core/session/progress.ts';
import { type Session, workflowLabel } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import { age } from './age.ts';

const MAX_LISTED = 10;

export function listUnfinished(
  sessions: readonly Session[],
  { livenessOf }: Processes,
  now: number,
): string | null {
  const left = sessions.filter(({ owner }) => livenessOf(owner.process) !== 'alive');
  // Taking over the top session of a stack takes over the whole stack.
  const isTop = (session: Session) =>
    !left.some(
      ({ owner, level }) => owner.identity === session.owner.identity && level > session.level,
    );
  const tops = left.filter(isTop).sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1));
  if (tops.length === 0) return null;
  const lines = tops.slice(0, MAX_LISTED).map((session) => {
    const where = `${workflowLabel(session)} at step '${openStepId(session)}'`;
    const last = age(session.lastActivityAt, now);
    return `- ${session.id}: ${where}, goal '${shown(session.goal)}', last active ${last} ago`;
  });
  const more = tops.length - lines.length;
  return [
    'deepwork: unfinished work in this project. Do not take it up unless your user wants it.',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    'To go on with one: call get_active_workflow with its id as session_id. To give it up: abort_workflow with session_id and the reason.',
  ].join('\n');
}
