// Sessions on the journal, one stream each (`journal/event-store.ts`): which are active, which
// have ended, and their views. If the journal lost known events of a session, the next call
// about it is refused once, with the reason (`lost-journals.ts`): the call was meant for a
// state that no longer exists.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { commit as commitEvent, unchanged } from '../core/decision.ts';
import { isUncertain, Refused, refuse } from '../core/refusal.ts';
import { ofExisting } from '../core/session/decide.ts';
import type { SessionDecision, SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import { claimOf, type Processes } from '../core/session/ownership.ts';
import { noSuchSession, takenOver } from '../core/session/refusals.ts';
import { isSessionId, type Owner, type Session } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import { openEventStore, reasonOf } from '../journal/event-store.ts';
import type { Journal } from '../journal/journal.ts';
import { isStoreUnavailable } from '../journal/postgres/unavailable.ts';
import { keptPlace } from '../journal/stream-name.ts';
import type { EndedIndex } from './ended-index.ts';
import { openListing } from './listing.ts';
import { damagedSession, foreignSession, openLostJournals, rolledBack } from './lost-journals.ts';
import { setAsideNotices } from './set-aside-notices.ts';
import { openShownViews } from './shown-views.ts';
import type { Views } from './views.ts';

const MAX_ENDED_KEPT = 32;
/** For more sessions than this, all versions are queried together. */
const MAX_SINGLE_VERSIONS = 2;

interface Committed<Prepared> {
  readonly session: Session;
  readonly prepared: Prepared;
  /** False if the decider found that the same call had already been accepted. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
}

export interface SessionStore {
  /** The current session, or null if there is none with this id. */
  load(id: string): Promise<Session | null>;
  /** Every active session, in no particular order. */
  active(): Promise<readonly Session[]>;
  /** The same as this process last read it; reads the journal only if it never has. */
  lastSeen(): Promise<readonly Session[]>;
  /** Refuses once if the journal lost what a caller knew of its session. */
  checkLost(owner: Pick<Owner, 'identity'>, found: string | null): void;
  /** Ids of the few sessions whose last answer this caller may need again, newest first. */
  endedFor(caller: Owner): Promise<readonly string[]>;
  /** How many sessions of this owner have ended. */
  endings(owner: Pick<Owner, 'identity'>): Promise<number>;
  /** Notices for this caller about sessions whose journal was set aside. */
  notices(owner: Pick<Owner, 'identity'>): Promise<readonly string[]>;
  /** Rewrites the view of a session if it is not up to date. */
  refreshView(session: Session): Promise<void>;
  /**
   * Decides and commits. `prepare` gets the state that the commit would lead to and runs
   * before it, so that nothing changes if the answer cannot be made.
   */
  commit<Prepared>(
    id: string,
    decide: (session: Session | null) => SessionDecision | Promise<SessionDecision>,
    prepare: (next: Session) => Promise<Prepared>,
  ): Promise<Committed<Prepared>>;
  /** The same for a session that must exist, if there is no answer to prepare. */
  change(
    id: string,
    decide: (session: Session) => SessionDecision | Promise<SessionDecision>,
  ): Promise<Committed<null>>;
  /** Waits for the commits of a session in progress here. Throws if one may not be on the disk. */
  committed(id: string): Promise<void>;
}

export function openSessionStore(
  journal: Journal,
  views: Views,
  endedIndex: EndedIndex,
  processes: Processes,
  unsure: (made: { readonly id: string; readonly seq: number }) => void = () => {},
  onProblem: (line: string) => void = () => {},
): SessionStore {
  const events = openEventStore<Session, SessionEvent>(journal, {
    evolve,
    missing(stream, before, setAside) {
      const id = idOf(stream);
      const damaged = setAside
        .filter(({ why }) => why === 'damaged')
        .map(({ kept }) => keptPlace(kept));
      if (damaged.length > 0) throw new Refused(damagedSession(id, damaged.join(', ')));
      const [foreign] = setAside;
      if (foreign !== undefined) throw new Refused(foreignSession(id, 'key', foreign.kept));
      if (before !== null) lose(before);
    },
    async rolledBack(stream, before, again) {
      const now = await again();
      forgetEnded();
      if (now === null) lose(before);
      else lost.rolledBack(idOf(stream), rolledBack(before, now));
    },
    damaged: (stream, { kept }) => damagedSession(idOf(stream), keptPlace(kept)),
    foreign(stream, { reason, kept }) {
      throw new Refused(foreignSession(idOf(stream), reason, kept));
    },
    cannotSave: (stream, reason) => cannotSave(idOf(stream), reason),
    unsure: (stream, seq) => unsure({ id: idOf(stream), seq }),
    async caughtUp(session, before) {
      forgetOldest(session);
      // If several machines share the journal, each shows only its own or requested sessions.
      if (processes.canLoseWork?.() === true) return;
      // A running process writes the view of what it committed; one that is gone cannot.
      const abandoned = processes.livenessOf(session.owner.process) !== 'alive';
      if (before === null || abandoned) await shown.refresh(session).catch(() => {});
    },
  });
  const lost = openLostJournals(onProblem);
  const noteListing = openListing(views);
  const shown = openShownViews(views, load, () => processes.canLoseWork?.() === true);
  // Of the known sessions, those that ended last: a call that ended one may be repeated.
  // Older ones are read from the journal again if needed; keeping all would leak memory.
  const ended = new Set<string>();

  function forgetOldest({ id, status }: Session): void {
    ended.delete(id);
    if (status === 'active') return;
    ended.add(id);
    const [oldest] = ended;
    if (ended.size <= MAX_ENDED_KEPT || oldest === undefined) return;
    ended.delete(oldest);
    events.forget(SESSION_STREAMS + oldest);
  }

  // An ended session changes only if a person opens it again, which marks it. So it is checked once.
  const over = new Set<string>();
  // Listed sessions that may be active; `named` is a new list whenever anything changed.
  let named: readonly string[] = [];
  let candidates: readonly string[] = [];
  let listed = false;

  async function load(id: string, version?: string): Promise<Session | null> {
    return isSessionId(id) ? events.load(SESSION_STREAMS + id, version) : null;
  }

  function lose(session: Session): void {
    forgetEnded();
    if (session.status === 'active') lost.vanished(session);
  }

  // If one stream lost events, ended ones may have, too.
  function forgetEnded(): void {
    over.clear();
    named = [];
  }

  /** Notices sessions that were active and are no longer listed. */
  async function noticeVanished(names: readonly string[]): Promise<void> {
    const there = new Set(names);
    for (const [stream, { id, status }] of events.allKnown()) {
      if (status === 'active' && !there.has(stream)) await load(id).catch(report);
    }
  }

  async function active(): Promise<Session[]> {
    const names = await journal.names(SESSION_STREAMS);
    const mark = journal.mark?.() ?? null;
    const reopened = views.marks.list().filter((id) => over.delete(id));
    if (names !== named || reopened.length > 0) {
      await noticeVanished(names);
      candidates = names.map(idOf).filter(isSessionId);
    }
    named = names;
    candidates = candidates.filter((id) => !over.has(id));
    const sessions: Session[] = [];
    const many =
      candidates.length > MAX_SINGLE_VERSIONS
        ? await journal.versions?.(SESSION_STREAMS)
        : undefined;
    const versionOf = async (stream: string) =>
      many === undefined ? journal.version(stream) : (many.get(stream) ?? null);
    for (const id of candidates) {
      // A new process may have ten thousand of these to check.
      if (sliceIsOver()) await nextSlice();
      const version = await versionOf(SESSION_STREAMS + id);
      if (version === null) continue;
      const session = await activeIn(id, version);
      if (session !== null) sessions.push(session);
    }
    // A crash may have left the mark of one that ended.
    for (const id of reopened) if (over.has(id) && views.marks.isOld(id)) views.marks.remove(id);
    await endedIndex.save();
    if (!listed) markOpen(sessions);
    listed = true;
    if (mark !== null) {
      const open = () => names.map(idOf).filter((id) => isSessionId(id) && !over.has(id));
      await noteListing(mark, names.length, open);
    }
    return sessions;
  }

  function knownActive(): Session[] {
    return [...events.allKnown()].flatMap(([, each]) => (each.status === 'active' ? [each] : []));
  }

  const isHere = ({ process }: Owner) => machineOf(process) === machineOf(processes.own());

  /** Marks can be deleted, and a session that another process ended may still have one. */
  function markOpen(sessions: readonly Session[]): void {
    const marked = new Set(views.marks.list());
    for (const { id, owner } of sessions) {
      // A hook needs only the work of its own client, which runs on this machine.
      if (!marked.has(id) && isHere(owner)) views.marks.add(id);
    }
    for (const id of marked) if (over.has(id)) views.marks.remove(id);
    views.marks.setComplete();
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
      if (isStoreUnavailable(error)) throw error;
      // One unreadable session must not hide the others; requested by id, it reports why.
      report(error);
    }
    return null;
  }

  function report(error: unknown): void {
    const { message } = error as Error;
    onProblem(message);
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

  /** By session. */
  const committing = new Map<string, Set<Promise<unknown>>>();

  async function commit<Prepared>(...args: Parameters<typeof commitNow<Prepared>>) {
    const [id] = args;
    const all = committing.get(id) ?? new Set();
    const mine = commitNow(...args);
    committing.set(id, all.add(mine));
    try {
      return await mine;
    } finally {
      all.delete(mine);
      if (all.size === 0) committing.delete(id);
    }
  }

  async function committed(id: string): Promise<void> {
    for (const each of await Promise.allSettled(committing.get(id) ?? [])) {
      if (each.status === 'rejected' && isUncertain(each.reason)) throw each.reason;
    }
  }

  async function commitNow<Prepared>(
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
      SESSION_STREAMS + id,
      async (session) => {
        views.check();
        lost.check(id);
        const decision = await decide(session);
        if (decision.kind === 'refused') return decision;
        if (decision.kind === 'unchanged') return unchanged(await answer(session, false));
        if (session !== null && isTakenFrom(session, decision.event)) {
          throw new Refused(takenOver(session));
        }
        next = evolve(session, decision.event);
        const wasOpen = session?.status === 'active';
        if (!wasOpen || session.owner.process !== next.owner.process) views.marks.add(id);
        return commitEvent(decision.event, await answer(next, true));
      },
      async () => {
        forgetOldest(next);
        warnings = await show(next);
      },
    );
    if (!committed.changed) return { ...committed, warnings: [] };
    if (committed.session.status !== 'active') await unmark(committed.session);
    return { ...committed, warnings: [...warnings, ...lost.warnings(committed.session.owner)] };
  }

  /** Recorded as ended before its mark is removed, so that a reader finds it by either. */
  async function unmark(session: Session): Promise<void> {
    // The event is committed, so a failure here must not fail the call.
    const version = await journal.version(SESSION_STREAMS + session.id).catch(() => null);
    if (version !== null) endedIndex.add(version, session);
    await endedIndex.save();
    views.marks.remove(session.id);
  }

  /** A call claims its session first; if the owner differs at the commit, it was taken over. */
  function isTakenFrom({ owner }: Session, { data }: SessionEvent): boolean {
    if (processes.canLoseWork?.() !== true || !('by' in data)) return false;
    return data.by !== undefined && data.by.identity !== owner.identity;
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
    lastSeen: async () => (listed ? knownActive() : active()),
    endedFor,
    endings,
    commit,
    change: (id, decide) => commit(id, ofExisting(id, decide), async () => null),
    committed,
    notices: (owner) => setAsideNotices({ journal, views, processes }, owner).catch(() => []),
    refreshView: shown.refresh,
    checkLost(owner, found) {
      if (found !== null) lost.check(found);
      else lost.checkVanished(owner);
    },
  };
}

/** `machine/process/start` → `machine` */
function machineOf(process: string): string {
  return process.split('/', 1)[0] as string;
}

function idOf(stream: string): string {
  return stream.slice(SESSION_STREAMS.length);
}

function cannotSave(id: string, reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save session '${id}': ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again; nothing was lost.',
  );
}
