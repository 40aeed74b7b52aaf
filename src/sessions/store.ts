// Sessions on the journal: loads a session by folding its stream, commits what the
// decider decided, and keeps the view in step. Nothing is locked: when another writer
// was first, the command is decided again on the newer state.
//
// The journal on disk is the truth, also when it lost what this process has seen: a stream
// that was cut, rolled back or deleted. What is in memory is dropped then, and the next
// call about that session is refused once, with what happened (`lost-sessions.ts`): it was
// meant for a state that no longer is.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { evolve } from '../core/session/evolve.ts';
import { claimOf } from '../core/session/ownership.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import type { Decision, Owner, Session, SessionEvent } from '../core/session/state.ts';
import { livenessOf } from '../environment/process-identity.ts';
import {
  type After,
  type Journal,
  type NewEvent,
  type Position,
  StreamDamaged,
  StreamForeign,
  StreamWentBack,
  type WhileSyncing,
} from '../journal/journal.ts';
import type { EndedIndex } from './ended-index.ts';
import { foreignSession, openLostSessions, wentBack } from './lost-sessions.ts';
import { noticesOfSetAside } from './set-aside-sessions.ts';
import { openShownViews } from './shown-views.ts';
import type { Views } from './views.ts';

const PREFIX = 'session/';
/** A writer that loses this often is not contending but broken. */
const TRIES = 2000;
/** Losing without anything newer being there is no race; it can be a stream set aside. */
const MAX_LOST_TO_NO_ONE = 5;
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
    decide: (session: Session | null) => Decision | Promise<Decision>,
    prepare: (next: Session) => Promise<Prepared>,
  ): Promise<Committed<Prepared>>;
}

export function openSessionStore(
  journal: Journal,
  views: Views,
  endedIndex: EndedIndex,
): SessionStore {
  // A version is always taken before reading, so a cached session is at least as new as
  // its version says; the worst that a race can do is one read too many.
  const known = new Map<string, Known>();
  const lost = openLostSessions();
  const shown = openShownViews(views, load);
  // Of those, the last that ended: a call that ended one may come again. Older ones are
  // read from the journal again if anybody asks, or a long life would keep them all.
  const ended = new Set<string>();

  function remember(id: string, now: Known): void {
    known.set(id, now);
    if (now.session.status === 'active') return;
    ended.delete(id);
    ended.add(id);
    const [oldest] = ended;
    if (ended.size <= MAX_ENDED_KEPT || oldest === undefined) return;
    ended.delete(oldest);
    known.delete(oldest);
  }

  // What has ended never changes again and need not be looked at twice.
  const over = new Set<string>();
  // Those of the listed sessions that may be active; the list is new when anything changed.
  let named: readonly string[] = [];
  let candidates: readonly string[] = [];
  let listed = false;

  async function load(id: string): Promise<Session | null> {
    if (!isSessionId(id)) return null;
    const stream = PREFIX + id;
    const version = await journal.version(stream);
    const before = known.get(id);
    if (version === null) {
      known.delete(id);
      await reportIfSetAside(id);
      if (before !== undefined) lose(before.session);
      return null;
    }
    if (before !== undefined && before.version === version) return before.session;
    return read(id, version, before ?? null);
  }

  async function read(id: string, version: string, before: Known | null): Promise<Session | null> {
    const from = before?.session ?? null;
    let session = from;
    let hash = before?.hash ?? '';
    try {
      for await (const event of journal.read(PREFIX + id, positionOf(before))) {
        session = evolve(session, event as unknown as SessionEvent);
        hash = event.hash;
      }
    } catch (error) {
      known.delete(id);
      if (error instanceof StreamDamaged) throw damagedSession(id, error.setAside);
      if (error instanceof StreamForeign) throw foreignSession(id, error);
      if (!(error instanceof StreamWentBack) || from === null) throw error;
      const now = await read(id, version, null);
      forgetEnded();
      if (now === null) lose(from);
      else lost.wentBack(id, wentBack(from, now));
      return now;
    }
    if (session === null) return null;
    remember(id, { version, session, hash });
    // Whoever is alive writes the view of what it committed; the dead cannot.
    const abandoned = livenessOf(session.owner.process) !== 'alive';
    if (from === null || (abandoned && session !== from)) {
      await shown.refresh(session).catch(() => {});
    }
    return session;
  }

  async function reportIfSetAside(id: string): Promise<void> {
    const kept = await journal.damaged(PREFIX + id);
    if (kept.length > 0) throw damagedSession(id, kept.join(', '));
    const [foreign] = await journal.quarantined(PREFIX + id);
    if (foreign !== undefined) throw foreignSession(id, { reason: 'key', setAside: foreign });
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
    for (const [id, { session }] of known) {
      if (session.status === 'active' && !there.has(PREFIX + id)) await load(id).catch(report);
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
      const before = known.get(id);
      const session =
        before?.version === version ? before.session : await read(id, version, before ?? null);
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
      ({ owner }) => claimOf(caller, owner, livenessOf(owner.process)) === 'open',
    );
    return [...(await endedIndex.of(caller.identity)), ...open.flatMap(({ ids }) => ids)];
  }

  async function endings({ identity }: Pick<Owner, 'identity'>): Promise<number> {
    if (!listed) await active();
    return endedIndex.count(identity);
  }

  async function commit<Prepared>(
    id: string,
    decide: (session: Session | null) => Decision | Promise<Decision>,
    prepare: (next: Session) => Promise<Prepared>,
  ): Promise<Committed<Prepared>> {
    let lostToNoOne = 0;
    for (let tries = 0; tries < TRIES && lostToNoOne < MAX_LOST_TO_NO_ONE; tries++) {
      const session = await load(id).catch((error: unknown) => {
        throw error instanceof Refused ? error : new Refused(cannotSave(id, reasonOf(error)));
      });
      views.check();
      lost.check(id);
      const held = known.get(id);
      const at = held !== undefined && held.session === session ? positionOf(held) : session?.seq;
      const decision = await decide(session);
      if (decision.kind === 'refused') throw new Refused(decision.refusal);
      if (decision.kind === 'repeat') {
        if (session === null) throw new Refused(noSuchSession(id));
        return { session, prepared: await prepare(session), changed: false, warnings: [] };
      }
      const next = evolve(session, decision.event);
      const prepared = await prepare(next);
      let warnings: readonly string[] = [];
      const appended = await append(id, at ?? 0, decision.event, async (version, { hash }) => {
        remember(id, { version: version ?? 'older than any', session: next, hash });
        warnings = await show(next);
      });
      if (appended) {
        const more = lost.warnings(next.owner);
        return { session: next, prepared, changed: true, warnings: [...warnings, ...more] };
      }
      // Another writer came first. If there is nothing newer, the stream is read anew.
      const latest = await load(id).catch(() => null);
      if (latest?.seq !== session?.seq) continue;
      known.delete(id);
      lostToNoOne += 1;
    }
    throw new Refused(cannotSave(id, lostToNoOne > 0 ? MOVED : 'too many writers at once'));
  }

  async function append(
    id: string,
    at: After,
    event: SessionEvent,
    whileSyncing: WhileSyncing,
  ): Promise<boolean> {
    try {
      const stored = event as unknown as NewEvent;
      const result = await journal.append(PREFIX + id, at, stored, whileSyncing);
      return result.kind === 'appended';
    } catch (error) {
      known.delete(id);
      if (error instanceof Refused) throw error;
      throw new Refused(cannotSave(id, reasonOf(error)));
    }
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
    notices: (owner) => noticesOfSetAside(journal, views, owner).catch(() => []),
    refreshView: shown.refresh,
    checkLost(owner, found) {
      if (found !== null) lost.check(found);
      else lost.checkVanished(owner);
    },
  };
}

interface Known {
  readonly version: string;
  readonly session: Session;
  /** Of the session's last event. */
  readonly hash: string;
}

const START: Position = { seq: 0, hash: '' };

function positionOf(known: Known | null): Position {
  return known === null ? START : { seq: known.session.seq, hash: known.hash };
}

function idOf(stream: string): string {
  return stream.slice(PREFIX.length);
}

function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}

const MOVED = 'its journal is moved or replaced while it is written';

function cannotSave(id: string, reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save session '${id}': ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again; nothing was lost.',
  );
}

function damagedSession(id: string, kept: string): Refused {
  return new Refused(
    refuse(
      'session_damaged',
      `Session '${id}' cannot be read: its journal is damaged and was set aside as ${kept}`,
      'tell your user; the bytes are kept, and `deepwork repair` lists them. Start the workflow again to go on.',
    ),
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${code}: ${message}`;
}
