// Takes over what was left behind: the whole stack that contains a session, from the bottom up, so that
// of two callers the one that gets the bottom gets all of it.

import { unchanged } from '../core/decision.ts';
import { Refused } from '../core/refusal.ts';
import { decideAdopt } from '../core/session/decide.ts';
import type { SessionDecision } from '../core/session/events.ts';
import { claimOf, type Processes } from '../core/session/ownership.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import { leftStacks, levelAbove, stackOf } from '../core/session/stack.ts';
import type { Owner, Session } from '../core/session/state.ts';
import type { Clock } from '../environment/clock.ts';
import type { SessionStore } from './store.ts';

const MAX_REMEMBERED = 1000;

interface Takeovers {
  /** Returns the session as its new owner has it. */
  takeOver(owner: Owner, session: Session): Promise<Session>;
  /** The event by which this process took a session over; null if it did not. */
  at(sessionId: string): number | null;
}

export function openTakeovers(
  store: SessionStore,
  clock: Clock,
  livenessOf: Processes['livenessOf'],
): Takeovers {
  const events = new Map<string, number>();

  async function takeOver(owner: Owner, session: Session): Promise<Session> {
    const sessions = await store.active();
    const left = leftStacks(sessions, owner, livenessOf);
    const stack = left.find((each) => each.sessions.some(({ id }) => id === session.id));
    const taken = (stack?.sessions ?? []).map(({ id, takeovers }) => ({ id, takeovers }));
    const above = levelAbove(stackOf(sessions, owner.identity));
    for (const [index, { id }] of taken.entries()) {
      let isTaken = false;
      const take = (now: Session | null): SessionDecision => {
        const claim = now && claimOf(owner, now.owner, livenessOf(now.owner.process));
        if (claim === 'own') return unchanged();
        isTaken = claim === 'alive' || claim === 'others';
        if (now === null || isTaken) return { kind: 'refused', refusal: noSuchSession(id) };
        return decideAdopt(now, { at: clock(), owner, level: above + index, stack: taken });
      };
      await store
        .commit(id, take, async () => null)
        .then(({ session: now, changed }) => changed && remember(id, now.seq))
        .catch((error: unknown) => {
          // Other sessions of the stack may have ended; only the requested one matters.
          if (id === session.id || !(error instanceof Refused)) throw error;
        });
      if (isTaken) throw new Refused(noSuchSession(session.id));
    }
    const now = await store.load(session.id);
    if (now?.owner.identity !== owner.identity) throw new Refused(noSuchSession(session.id));
    return now;
  }

  function remember(id: string, seq: number): void {
    events.delete(id);
    events.set(id, seq);
    const [oldest] = events.keys();
    if (events.size > MAX_REMEMBERED && oldest !== undefined) events.delete(oldest);
  }

  return { takeOver, at: (sessionId) => events.get(sessionId) ?? null };
}
