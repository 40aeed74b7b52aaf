// States folded from the journal: each stream is folded once, and later reads continue from there.
// A commit decides on the newest state, appends, and decides again if another writer was first.
// Nothing is locked.
//
// The journal is the truth, even if it lost events that this process has seen: if a stream was
// truncated, replaced by an older copy, deleted, or is not this user's. Then the state in memory
// is dropped, and the rules given to the store decide how callers are informed.
//
// A state may be one object that is updated in place. So an event is applied once, when it
// has its place in the stream, and by number: of two concurrent readers, the second finds the
// state already ahead and applies nothing twice.

import type { Decision } from '../core/decision.ts';
import { isUncertain, type Refusal, Refused } from '../core/refusal.ts';
import {
  type Journal,
  type NewEvent,
  type SetAsideStream,
  StreamDamaged,
  StreamForeign,
  StreamRolledBack,
} from './journal.ts';

/** Contention alone never loses this often; something must be broken. */
const MAX_TRIES = 2000;
/** A conflict without a newer event is not a race; the stream may have been set aside. */
const MAX_FALSE_CONFLICTS = 5;
const MOVED = 'its journal is moved or replaced while it is written';

/** What the events mean, and how changed or missing streams are reported. */
export interface EventStoreRules<State, Event> {
  evolve(state: State | null, event: Event): State;
  /** There is no such stream. `before` is the last known state, passed once. May refuse. */
  missing(stream: string, before: State | null, setAside: readonly SetAsideStream[]): void;
  /** The stream lost known events; called once. `again` reads it from the start. */
  rolledBack(stream: string, before: State, again: () => Promise<State | null>): Promise<void>;
  damaged(stream: string, error: StreamDamaged): Refusal;
  /** Refuses, or lets the stream start over without what was set aside. */
  foreign(stream: string, error: StreamForeign): void;
  cannotSave(stream: string, reason: string): Refusal;
  /** It is unknown whether an event was recorded under this number. */
  unsure?(stream: string, seq: number): void;
  /** Events of other writers were read; `before` is null if nothing was known. */
  caughtUp?(state: State, before: State | null): Promise<void>;
}

export interface EventStore<State, Event> {
  /** The state as last read; null if nothing is known. */
  known(stream: string): State | null;
  allKnown(): Iterable<readonly [stream: string, state: State]>;
  /** The current state; null if there is no such stream. `version`: just read from the journal. */
  load(stream: string, version?: string | null): Promise<State | null>;
  /** Drops the state; it is read again when needed. */
  forget(stream: string): void;
  /**
   * Decides, repeatedly if needed, and commits. `placed` runs when the event has its place,
   * while the disk makes it durable; it must not fail, and nothing may be answered yet.
   */
  commit<Answer>(
    stream: string,
    decide: (state: State | null) => Decision<Event, Answer> | Promise<Decision<Event, Answer>>,
    placed?: () => Promise<void> | void,
  ): Promise<Answer>;
}

export function openEventStore<State, Event>(
  journal: Journal,
  rules: EventStoreRules<State, Event>,
): EventStore<State, Event> {
  const held = new Map<string, Held<State>>();

  function apply(into: Held<State>, seq: number, hash: string, event: Event): void {
    if (seq <= into.seq) return;
    if (seq > into.seq + 1) throw new Error(`Event ${seq} cannot follow event ${into.seq}`);
    into.state = rules.evolve(into.state, event);
    into.seq = seq;
    into.hash = hash;
  }

  // The version is always taken before reading, so a state is at least as new as its version
  // says; a race costs at most one extra read.
  async function current(stream: string, asked?: string | null): Promise<Held<State> | null> {
    const version = asked === undefined ? await journal.version(stream) : asked;
    if (version === null) {
      await miss(stream);
      return null;
    }
    const into = held.get(stream) ?? nothing<State>();
    if (into.version === version) return into;
    held.set(stream, into);
    const before = into.state;
    try {
      for await (const event of journal.read(stream, { seq: into.seq, hash: into.hash })) {
        apply(into, event.seq, event.hash, event as unknown as Event);
      }
    } catch (error) {
      await lose(stream, into, error);
      // Reading it again would find the same: it could not be moved away.
      if (error instanceof StreamForeign && error.inPlace) return null;
      return current(stream);
    }
    // Another call found that the stream was rolled back, and started over, during this read.
    if (held.get(stream) !== into) return current(stream);
    into.version = version;
    if (into.state === null) held.delete(stream);
    else if (into.state !== before) await rules.caughtUp?.(into.state, before);
    return into;
  }

  async function miss(stream: string): Promise<void> {
    const before = held.get(stream);
    const setAside = (await journal.setAside(stream)).filter((each) => each.stream === stream);
    // Another call may have found the same.
    const isFirst = before !== undefined && held.get(stream) === before;
    if (isFirst) held.delete(stream);
    rules.missing(stream, isFirst ? before.state : null, setAside);
  }

  /** Throws unless the stream has to be read from the start. */
  async function lose(stream: string, into: Held<State>, error: unknown): Promise<void> {
    const { state } = into;
    const isFirst = held.get(stream) === into;
    if (isFirst) held.delete(stream);
    if (error instanceof StreamDamaged) throw new Refused(rules.damaged(stream, error));
    if (error instanceof StreamForeign) return rules.foreign(stream, error);
    if (!(error instanceof StreamRolledBack) || state === null) throw error;
    if (isFirst) await rules.rolledBack(stream, state, () => load(stream));
  }

  async function load(stream: string, version?: string | null): Promise<State | null> {
    return (await current(stream, version))?.state ?? null;
  }

  /** `isPlaced`: the event is in the stream, but perhaps not on the disk. */
  function cannotSave(stream: string, error: unknown, isPlaced = false): Refused {
    if (error instanceof Refused) return error;
    return new Refused(rules.cannotSave(stream, reasonOf(error)), isPlaced);
  }

  return {
    known: (stream) => held.get(stream)?.state ?? null,
    *allKnown() {
      for (const [stream, { state }] of held) if (state !== null) yield [stream, state];
    },
    load,
    forget(stream) {
      held.delete(stream);
    },

    async commit(stream, decide, placed = () => {}) {
      let falseConflicts = 0;
      for (let tries = 0; tries < MAX_TRIES && falseConflicts < MAX_FALSE_CONFLICTS; tries++) {
        const found = await current(stream).catch((error: unknown) => {
          throw cannotSave(stream, error);
        });
        const into = found ?? nothing<State>();
        const { seq, hash } = into;
        const decision = await decide(into.state);
        if (decision.kind === 'refused') throw new Refused(decision.refusal);
        if (decision.kind === 'unchanged') return decision.answer;
        const { event, answer } = decision;
        let isPlaced = false;
        try {
          const stored = event as unknown as NewEvent;
          const result = await journal.append(stream, { seq, hash }, stored, async (now, own) => {
            isPlaced = true;
            apply(into, own.seq, own.hash, event);
            // A state that was lost meanwhile does not come back.
            if (found === null && !held.has(stream)) held.set(stream, into);
            into.version = now;
            await placed();
          });
          if (result.kind === 'appended') return answer;
        } catch (error) {
          held.delete(stream);
          const refused = cannotSave(stream, error, isPlaced);
          if (isUncertain(refused)) rules.unsure?.(stream, seq + 1);
          throw refused;
        }
        // Another writer was first, unless there is nothing newer.
        into.version = null;
        const latest = await current(stream).catch(() => null);
        if ((latest?.seq ?? 0) === seq) falseConflicts += 1;
      }
      const reason = falseConflicts > 0 ? MOVED : 'too many writers at once';
      throw new Refused(rules.cannotSave(stream, reason));
    },
  };
}

/** A state, and the last event it includes. */
interface Held<State> {
  state: State | null;
  seq: number;
  hash: string;
  /** Of the stream when it was last read to its end; null: read on first. */
  version: string | null;
}

function nothing<State>(): Held<State> {
  return { state: null, seq: 0, hash: '', version: null };
}

/** With the system's code, if it has one; most messages of Node begin with it. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined || message.startsWith(code) ? message : `${code}: ${message}`;
}
