// Sessions on the journal, a stream each (`journal/event-store.ts`): which are active, which
// have ended, and their views, kept in step. Where the journal lost what was known of a
// session, the next call about it is refused once, with what happened
// (`lost-sessions.ts`): it was meant for a state that no longer is.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { commit as happens, unchanged } from '../core/decision.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { evolve } from '../core/session/evolve.ts';
import { claimOf, type Processes } from '../core/session/ownership.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import type { Owner, Session, SessionDecision, SessionEvent } from '../core/session/state.ts';
import { openEventStore, reasonOf } from '../journal/event-store.ts';
import type { Journal } from '../journal/journal.ts';
import type { EndedIndex } from './ended-index.ts';
import { damagedSession, foreignSession, openLostSessions, wentBack } from './lost-sessions.ts';
import { noticesOfSetAside } from './set-aside-sessions.ts';
import { openShownViews } from './shown-views.ts';
import type { Views } from './views.ts';

const PREFIX = 'session/';
const MAX_ENDED_KEPT = 32;

interface Committed<Prepared> {
  readonly session: Session;
  readonly prepared: Prepared;
  /** False when the decider found that the same call had been accepted already. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
}

export interface SessionStore {
  /** The session as it is now, or null if there is none with this id. */
  load(id: string): Promise<Session | null>;
  /** Every session that is still active, in no order. */
  active(): Promise<readonly Session[]>;
  /** Refused, once, if what a caller knew of its session is gone from the journal. */
  checkLost(owner: Pick<Owner, 'identity'>, found: string | null): void;
  /** Ids of the few sessions whose last answer this caller may want again, newest first. */
  endedFor(caller: Owner): Promise<readonly string[]>;
  /** How many sessions of this owner have ended. */
  endings(owner: Pick<Owner, 'identity'>): Promise<number>;
  /** What this caller should know of sessions whose journal was set aside. */
  notices(owner: Pick<Owner, 'identity'>): Promise<readonly string[]>;
  /** Makes the view of a session right if it is not. */
  refreshView(session: Session): Promise<void>;
  /**
   * Decides and commits. `prepare` gets the state that the commit would lead to and
   * runs before it, so that an answer that cannot be given changes nothing.
   */
  commit<Prepared>(
    id: string,
    decide: (session: Session | null) => SessionDecision | Promise<SessionDecision>,
    prepare: (next: Session) => Promise<Prepared>,
  ): Promise<Committed<Prepared>>;
}

export function openSessionStore(
  journal: Journal,
  views: Views,
  endedIndex: EndedIndex,
  processes: Processes,
): SessionStore {
  const events = openEventStore<Session, SessionEvent>(journal, {
    evolve,
    missing(stream, before, setAside) {
      const id = idOf(stream);
      const damaged = setAside.filter(({ why }) => why === 'damaged').map(({ kept }) => kept);
      if (damaged.length > 0) throw new Refused(damagedSession(id, damaged.join(', ')));
      const [foreign] = setAside;
      if (foreign !== undefined) throw new Refused(foreignSession(id, 'key', foreign.kept));
      if (before !== null) lose(before);
    },
    async wentBack(stream, before, again) {
      const now = await again();
      forgetEnded();
      if (now === null) lose(before);
      else lost.wentBack(idOf(stream), wentBack(before, now));
    },
    damaged: (stream, { kept }) => damagedSession(idOf(stream), kept),
    foreign(stream, { reason, kept }) {
      throw new Refused(foreignSession(idOf(stream), reason, kept));
    },
    cannotSave: (stream, reason) => cannotSave(idOf(stream), reason),
    async caughtUp(session, before) {
      letGoOfOldest(session);
      // Whoever is alive writes the view of what it committed; the dead cannot.
      const abandoned = processes.livenessOf(session.owner.process) !== 'alive';
      if (before === null || abandoned) await shown.refresh(session).catch(() => {});
    },
  });
  const lost = openLostSessions();
  const shown = openShownViews(views, load);
  // Of those that are known, the last that ended: a call that ended one may come again.
  // Older ones are read from the journal again if anybody asks, or a long life would keep
  // them all.
  const ended = new Set<string>();

  function letGoOfOldest({ id, status }: Session): void {
    if (status === 'active') return;
    ended.delete(id);
    ended.add(id);
    const [oldest] = ended;
    if (ended.size <= MAX_ENDED_KEPT || oldest === undefined) return;
    ended.delete(oldest);
    events.forget(PREFIX + oldest);
  }

  // What has ended never changes again and need not be looked at twice.
  const over = new Set<string>();
  // Those of the listed sessions that may be active; the list is new when anything changed.
  let named: readonly string[] = [];
  let candidates: readonly string[] = [];
  let listed = false;

  async function load(id: string, version?: string): Promise<Session | null> {
    return isSessionId(id) ? events.load(PREFIX + id, version) : null;
  }

  function lose(session: Session): void {
    forgetEnded();
    if (session.status === 'active') lost.vanished(session);
  }

  // Where one stream lost something, so may those that had ended have.
  function forgetEnded(): void {
    over.clear();
    named = [];
  }

  /** Those of the sessions that were active, and are not there any more. */
  async function noticeVanished(names: readonly string[]): Promise<void> {
    const there = new Set(names);
    for (const [stream, { id, status }] of events.allKnown()) {
      if (status === 'active' && !there.has(stream)) await load(id).catch(report);
    }
  }

  async function active(): Promise<Session[]> {
    const names = await journal.names(PREFIX);
    if (names !== named) {
      await noticeVanished(names);
      candidates = names.map(idOf).filter(isSessionId);
    }
    named = names;
    candidates = candidates.filter((id) => !over.has(id));
    const sessions: Session[] = [];
    for (const id of candidates) {
      // Of a new process these may be ten thousand.
      if (sliceIsOver()) await nextSlice();
      const version = await journal.version(PREFIX + id);
      if (version === null) continue;
      const session = await activeIn(id, version);
      if (session !== null) sessions.push(session);
    }
    await endedIndex.save();
    listed = true;
    return sessions;
  }

  async function activeIn(id: string, version: string): Promise<Session | null> {
    if (await endedIndex.has(id, version)) {
      over.add(id);
      return null;
    }
    try {
      const session = await load(id, version);
      if (session === null || session.status === 'active') return session;
      over.add(id);
      endedIndex.add(version, session);
    } catch (error) {
      // One unreadable session must not hide the others; asked for by id, it says why.
      report(error);
    }
    return null;
  }

  function report(error: unknown): void {
    const { message } = error as Error;
    process.stderr.write(`deepwork: ${message}\n`);
    lost.warn(message);
  }

  async function endedFor(caller: Owner): Promise<string[]> {
    await active();
    const open = (await endedIndex.ofAgent(caller)).filter(
      ({ owner }) => claimOf(caller, owner, processes.livenessOf(owner.process)) === 'open',
    );
    return [...(await endedIndex.of(caller.identity)), ...open.flatMap(({ ids }) => ids)];
  }

  async function endings({ identity }: Pick<Owner, 'identity'>): Promise<number> {
    if (!listed) await active();
    return endedIndex.count(identity);
  }

  async function commit<Prepared>(
    id: string,
    decide: (session: Session | null) => SessionDecision | Promise<SessionDecision>,
    prepare: (next: Session) => Promise<Prepared>,
  ): Promise<Committed<Prepared>> {
    let next: Session;
    let warnings: readonly string[] = [];
    const answer = async (now: Session | null, changed: boolean) => {
      if (now === null) throw new Refused(noSuchSession(id));
      return { session: now, prepared: await prepare(now), changed };
    };
    const committed = await events.commit(
      PREFIX + id,
      async (session) => {
        views.check();
        lost.check(id);
        const decision = await decide(session);
        if (decision.kind === 'refused') return decision;
        if (decision.kind === 'unchanged') return unchanged(await answer(session, false));
        next = evolve(session, decision.event);
        return happens(decision.event, await answer(next, true));
      },
      async () => {
        letGoOfOldest(next);
        warnings = await show(next);
      },
    );
    if (!committed.changed) return { ...committed, warnings: [] };
    return { ...committed, warnings: [...warnings, ...lost.warnings(committed.session.owner)] };
  }

  async function show(session: Session): Promise<string[]> {
    try {
      await shown.show(session);
      return [];
    } catch (error) {
      return [`The view of session '${session.id}' could not be written: ${reasonOf(error)}`];
    }
  }

  return {
    load,
    active,
    endedFor,
    endings,
    commit,
    notices: (owner) => noticesOfSetAside({ journal, views, processes }, owner).catch(() => []),
    refreshView: shown.refresh,
    checkLost(owner, found) {
      if (found !== null) lost.check(found);
      else lost.checkVanished(owner);
    },
  };
}

function idOf(stream: string): string {
  return stream.slice(PREFIX.length);
}

function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}

function cannotSave(id: string, reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save session '${id}': ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again; nothing was lost.',
  );
}
