// Which sessions belong to whom. A stack is every active session of one owner, bottom to top;
// a call without a session id means its caller's top. When the process that last acted for an
// owner is gone, its stack is orphaned: `core/session/ownership.ts` decides who may take it over, and
// `take-over.ts` does it.

import { Refused } from '../core/refusal.ts';
import { conversationOf } from '../core/session/conversation.ts';
import type { Processes } from '../core/session/ownership.ts';
import { describeAbort, noSuchSession } from '../core/session/refusals.ts';
import { type LeftStack, leftStacks, stackOf } from '../core/session/stack.ts';
import { type Ending, type Owner, type Session, workflowLabel } from '../core/session/state.ts';
import type { Clock } from '../environment/clock.ts';
import { loadReadable } from './load-readable.ts';
import {
  inOrderOfStart,
  LISTED,
  leftUnfinished,
  MAX_IN_ERROR,
  nothingActive,
  type Orphan,
  orphanOf,
  topOf,
  whyUnavailable,
} from './orphans.ts';
import type { SessionStore } from './store.ts';
import { openTakeovers } from './take-over.ts';

/** The number listed at once; longer lists are not read. */
const MAX_ORPHANS = 50;

export interface Stacks {
  of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]>;
  /**
   * The sessions a call without a session id would act on, bottom to top: the owner's own
   * stack, or the only orphaned one that is open to it, or the only one of its conversation.
   */
  actedOn(owner: Owner): Promise<readonly Session[]>;
  /** The same as this process last saw it, without reading the journal. */
  lastSeen(owner: Owner): Promise<readonly Session[]>;
  /** The session a call refers to; takes it over first if its owner is gone. */
  claim(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same without changing anything; refuses if nothing is active for this caller. */
  look(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same, but null if nothing is active. */
  peek(owner: Owner, sessionId: string | null): Promise<Session | null>;
  /** The event by which this process took a session over; null if it did not. */
  takenOverAt(sessionId: string): number | null;
  /** Orphaned sessions that any call of this owner may take over. */
  open(owner: Owner): Promise<readonly Session[]>;
  /** The tops of orphaned stacks that this caller may take over. */
  orphans(owner: Owner): Promise<readonly Orphan[]>;
  /** This caller's unfinished work that is not active, and how to continue it. */
  unfinished(owner: Owner): Promise<readonly string[]>;
  /** Descriptions of this owner's last runs, newest first, as long as a person aborted them. */
  endedByPerson(owner: Owner): Promise<readonly string[]>;
  /** What to record if a session of this owner ends now; `others` end with it. */
  ending(
    owner: Pick<Owner, 'identity'>,
    sessionId: string,
    others?: readonly string[],
  ): Promise<Ending>;
}

export function openStacks(store: SessionStore, clock: Clock, processes: Processes): Stacks {
  const { livenessOf } = processes;
  const takeovers = openTakeovers(store, clock, livenessOf);

  async function of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]> {
    return stackOf(await store.active(), owner.identity);
  }

  async function byId(owner: Owner, id: string): Promise<Session> {
    const session = await store.load(id);
    store.checkLost(owner, id);
    if (session === null) throw new Refused(noSuchSession(id));
    if (session.status !== 'active') {
      const { abortedBy, abortReason } = session;
      const how =
        abortedBy === null
          ? `It is ${session.status}.`
          : `${describeAbort(abortedBy, abortReason)}.`;
      throw new Refused(noSuchSession(id, how));
    }
    if (session.owner.identity === owner.identity) return session;
    const sessions = await store.active();
    // A concurrent call may have taken it over by now.
    const now = sessions.find((each) => each.id === id);
    if (now?.owner.identity === owner.identity) return now;
    const left = leftStacks(sessions, owner, livenessOf);
    if (left.some((stack) => stack.sessions.some((each) => each.id === id))) return session;
    throw new Refused(noSuchSession(id, whyUnavailable(owner, session, sessions, processes)));
  }

  async function find(owner: Owner, sessionId: string | null): Promise<Session | LeftStack[]> {
    if (sessionId !== null) return byId(owner, sessionId);
    const sessions = await store.active();
    const top = stackOf(sessions, owner.identity).at(-1);
    store.checkLost(owner, top?.id ?? null);
    if (top !== undefined) return top;
    const left = leftStacks(sessions, owner, livenessOf);
    const meant = meantBy(
      owner,
      left.filter(({ claim }) => claim === 'open'),
    );
    return meant === undefined ? left : topOf(meant);
  }

  function openAmong(sessions: readonly Session[], owner: Owner): readonly LeftStack[] {
    return leftStacks(sessions, owner, livenessOf).filter(({ claim }) => claim === 'open');
  }

  function actedOnAmong(sessions: readonly Session[], owner: Owner): readonly Session[] {
    const own = stackOf(sessions, owner.identity);
    if (own.length > 0) return own;
    return meantBy(owner, openAmong(sessions, owner))?.sessions ?? [];
  }

  async function look(owner: Owner, sessionId: string | null): Promise<Session> {
    const found = await find(owner, sessionId);
    if (Array.isArray(found))
      throw new Refused(
        nothingActive(found, await endedByPerson(owner), await store.notices(owner), processes),
      );
    return found;
  }

  async function endedByPerson(owner: Owner): Promise<readonly string[]> {
    const texts: string[] = [];
    // From the newest back to the first one that was not aborted by a person.
    for (const ended of (await store.endedFor(owner)).slice(0, MAX_IN_ERROR)) {
      const session = await loadReadable(store, ended);
      if (session === null || session.abortedBy === null) break;
      const { id, abortedBy, abortReason } = session;
      texts.push(`${abortedBy} aborted run ${id} (${workflowLabel(session)}): ${abortReason}.`);
    }
    return texts;
  }

  return {
    of,
    endedByPerson,
    async peek(owner, sessionId) {
      const found = await find(owner, sessionId);
      return Array.isArray(found) ? null : found;
    },
    look,
    takenOverAt: takeovers.at,
    async claim(owner, sessionId) {
      const found = await look(owner, sessionId);
      return found.owner.identity === owner.identity ? found : takeovers.takeOver(owner, found);
    },
    actedOn: async (owner) => actedOnAmong(await store.active(), owner),
    lastSeen: async (owner) => actedOnAmong(await store.lastSeen(), owner),
    async open(owner) {
      return openAmong(await store.active(), owner).flatMap(({ sessions }) => sessions);
    },
    async unfinished(owner) {
      const left = inOrderOfStart(openAmong(await store.active(), owner));
      const texts = left.slice(0, MAX_IN_ERROR).map((each) => leftUnfinished(each, processes));
      const more = left.length - texts.length;
      return more > 0 ? [...texts, `Left unfinished: ${more} more (${LISTED})`] : texts;
    },
    async orphans(owner) {
      const left = leftStacks(await store.active(), owner, livenessOf);
      return inOrderOfStart(left)
        .slice(0, MAX_ORPHANS)
        .map((each) => orphanOf(each, processes));
    },
    async ending(owner, sessionId, others = []) {
      const ends = [sessionId, ...others];
      const rest = (await of(owner)).filter(({ id }) => !ends.includes(id));
      const nth = (await store.endings(owner)) + 1;
      return { nth, resumes: rest.at(-1)?.id ?? null };
    },
  };
}

/** The orphaned stack that a call without a session id means. */
function meantBy({ identity }: Owner, open: readonly LeftStack[]): LeftStack | undefined {
  if (open.length === 1) return open[0];
  const conversation = conversationOf(identity);
  if (conversation === null) return undefined;
  const own = open.filter((left) => conversationOf(topOf(left).owner.identity) === conversation);
  return own.length === 1 ? own[0] : undefined;
}
