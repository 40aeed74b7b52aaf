// The deciders alone, with sessions in memory. After each event the promises that hold for every
// history are checked. States and events can be frozen recursively, so that any mutation throws.

import type { Refusal } from '../../src/core/refusal.ts';
import { decideAdopt } from '../../src/core/session/decide.ts';
import type { SessionDecision, SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import { MAX_HISTORY_ITEMS } from '../../src/core/session/history.ts';
import { progressOfAll } from '../../src/core/session/progress.ts';
import { noSuchSession } from '../../src/core/session/refusals.ts';
import { leftStacks, levelAbove, stackOf } from '../../src/core/session/stack.ts';
import type { Session } from '../../src/core/session/state.ts';
import { agrees } from './answers.ts';
import type { Actor } from './calls.ts';
import { isRefusal, namedOwner, type Shell, unsteadyClock } from './shell.ts';

/** The stacks' refusal for a caller with nothing to work on. */
const NOTHING_ACTIVE: Refusal = { code: 'no_session', message: 'No session', next: null };

export function openPureShell(guarded: boolean): Shell {
  const keep = guarded ? freeze : <T>(value: T) => value;
  const sessions = new Map<string, Session>();
  const streams = new Map<string, SessionEvent[]>();
  const dead = new Set<string>();
  const clock = unsteadyClock();
  const ownerOf = ({ owner, process }: Actor) => ({ ...namedOwner(owner), process });
  const active = () => [...sessions.values()].filter(({ status }) => status === 'active');
  const livenessOf = (process: string) => (dead.has(process) ? 'gone' : 'alive');

  function commit(id: string, decide: (now: Session | null) => SessionDecision) {
    const before = sessions.get(id) ?? null;
    const decision = decide(before);
    if (decision.kind === 'refused') return decision.refusal;
    if (decision.kind === 'unchanged') return before ?? noSuchSession(id);
    const event = keep(decision.event);
    const after = keep(evolve(before, event));
    checkEvent(before, event, after);
    sessions.set(id, after);
    streams.set(id, [...(streams.get(id) ?? []), event]);
    return after;
  }

  return {
    clock,
    ownerOf,
    nameOf: (process) => process,
    async claim(actor, id) {
      const own = stackOf(active(), actor.owner);
      const mine = id === null ? own.at(-1) : own.find((session) => session.id === id);
      if (mine !== undefined) return mine;
      const orphans = leftStacks(active(), ownerOf(actor), livenessOf);
      const open = orphans.filter(({ claim }) => claim === 'open');
      const named = orphans.find((each) => each.sessions.some((session) => session.id === id));
      const stack = (id !== null ? named : open.length === 1 ? open[0] : undefined)?.sessions ?? [];
      const target = id === null ? stack.at(-1) : stack.find((session) => session.id === id);
      if (target === undefined) return id === null ? NOTHING_ACTIVE : noSuchSession(id);
      const whole = stack.map(({ id: each, takeovers }) => ({ id: each, takeovers }));
      for (const [index, session] of stack.entries()) {
        const level = levelAbove(own) + index;
        const adoption = { at: clock(), owner: ownerOf(actor), level, stack: whole };
        const taken = commit(session.id, (now) => decideAdopt(now as Session, adoption));
        if (isRefusal(taken)) return taken;
      }
      return sessions.get(target.id) as Session;
    },
    load: async (id) => sessions.get(id) ?? null,
    commit: async (_actor, id, decide) => commit(id, decide),
    stack: async (owner) => stackOf(active(), owner),
    async die(process) {
      dead.add(process);
    },
    async rebuild() {
      for (const [id, grown] of sessions) {
        const events = streams.get(id) ?? [];
        const stored = JSON.parse(JSON.stringify(events)) as typeof events;
        const folded = stored.reduce<Session | null>(evolve, null);
        // The order of steps matters; that of keys does not.
        const order = (session: Session) => progressOfAll(session).map(({ stepId }) => stepId);
        if (folded === null || !agrees(folded, grown) || !agrees(order(folded), order(grown))) {
          throw new Error(`session ${id} folded from its events is not the session as it grew`);
        }
        sessions.set(id, keep(folded));
      }
    },
  };
}

/** What holds for every session after every event, whatever the history. */
function checkEvent(before: Session | null, event: SessionEvent, after: Session): void {
  const promise = (kept: boolean, what: string) => {
    if (!kept) throw new Error(`${what} (event: ${JSON.stringify(event)})`);
  };
  const isActive = before === null || before.status === 'active';
  const reopens = before?.status === 'completed' && event.type === 'went_back';
  promise(after.seq === (before?.seq ?? 0) + 1, 'sequence numbers have no gap');
  promise(
    isActive || (reopens && event.data.person !== undefined),
    'nothing happens to an ended session, unless a person opens a completed one again',
  );
  promise((before === null) === (event.type === 'started'), 'a session is started once, first');
  promise(after.status !== 'active' || after.position.members.length > 0, 'work has members');
  promise((after.endedAt === null) === (after.status === 'active'), 'only what ended has an end');
  promise((after.history?.length ?? 0) <= 2 * MAX_HISTORY_ITEMS, 'history is bounded');
  const arrives = 'position' in event.data && event.data.position !== null;
  const step = after.position.arrival - (before?.position.arrival ?? 0);
  promise(step === (arrives ? 1 : 0), 'each arrival has the next number, and nothing else has');
  const { identity, process } = after.owner;
  promise(process.startsWith(`${identity}#`), "the process on record is one of the owner's");
}

/**
 * Freezes a value recursively, and throws at any part that JSON would drop or alter. Frozen parts
 * were frozen completely: states share what did not change.
 */
function freeze<T>(value: T): T {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : null;
  if (prototype !== Object.prototype && prototype !== Array.prototype) {
    throw new TypeError(`not plain JSON: ${String(value)}`);
  }
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value as object)) freeze(part);
  return value;
}
