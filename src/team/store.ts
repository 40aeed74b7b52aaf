// The team on the journal: one stream, folded once and read on from there. To commit is
// to decide on the newest state, append, and decide again if another process was first.
// Commits of one process take turns, since of two at once one would be sure to lose.
//
// The journal on disk is the truth, also when it lost what this process has seen: a log
// that was cut, replaced by an older copy, deleted, or is not this user's. What is in
// memory is dropped then, stderr says so, and the next call is refused once (`raise`): it
// was meant for a state that no longer is.

import { keyedMutex } from '../async/keyed-mutex.ts';
import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import { type Fold, foldTeam } from '../core/team/evolve.ts';
import type { Team, TeamDecision, TeamEvent } from '../core/team/state.ts';
import {
  type Journal,
  type NewEvent,
  type Position,
  StreamDamaged,
  StreamForeign,
  StreamWentBack,
} from '../journal/journal.ts';

export const TEAM_STREAM = 'team/log';
/** A writer that loses this often is not contending but broken. */
const TRIES = 2000;
/** Losing without anything newer being there is no race; it can be a log set aside. */
const MAX_LOST_TO_NO_ONE = 5;
/** Changes by other processes are told at once; this is for those that are not. */
const LOOK_AGAIN_MS = 1000;

export interface TeamStore {
  /** As it was when last looked at. */
  readonly team: Team;
  /** As it is now. */
  load(): Promise<Team>;
  /** Refused, once, if the journal lost something that was known of it. */
  raise(): void;
  /** Whether that is still to be said. */
  readonly lost: boolean;
  /** What was set aside because it was damaged, if there is nothing in its place. */
  damaged(): Promise<readonly string[]>;
  /** Makes an event the first of all. False if there is one already. */
  begin(event: TeamEvent): Promise<boolean>;
  /** `placed` runs when the event has its place, while the disk is still writing it. */
  commit<Answer>(
    decide: (team: Team) => TeamDecision<Answer>,
    placed?: () => void,
  ): Promise<Answer>;
  /**
   * Waits until `look` sees something, for at most so long. Null: it saw nothing in time,
   * or nobody waits any more.
   */
  waitFor<Seen>(
    look: (team: Team) => Seen | null,
    signal: AbortSignal,
    milliseconds: number,
  ): Promise<Seen | null>;
}

export function openTeamStore(journal: Journal): TeamStore {
  let held: Held = { fold: foldTeam(), hash: '' };
  let version: string | null = null;
  let notice: Refusal | null = null;
  const inTurn = keyedMutex();
  const waiting = new Set<() => void>();

  function reset(): void {
    held = { fold: foldTeam(), hash: '' };
    version = null;
  }

  function lose(refusal: Refusal): void {
    reset();
    notice = refusal;
    process.stderr.write(`deepwork: ${refusal.message}\n`);
    for (const wake of waiting) wake();
  }

  function raise(): void {
    const refusal = notice;
    notice = null;
    if (refusal !== null) throw new Refused(refusal);
  }

  function apply(into: Held, seq: number, hash: string, event: TeamEvent): void {
    if (!into.fold.apply(seq, event)) return;
    into.hash = hash;
    if (into === held) for (const wake of waiting) wake();
  }

  async function load(): Promise<Team> {
    const latest = await journal.version(TEAM_STREAM);
    if (latest === version && latest !== null) return held.fold.team;
    if (latest === null) {
      const before = held;
      const kept = await journal.damaged(TEAM_STREAM);
      const isFirst = before === held && before.fold.team.seq > 0;
      if (isFirst && kept.length === 0) lose(vanished());
      else if (isFirst) reset();
      if (kept.length > 0) throw damagedLog(kept.join(', '));
      return held.fold.team;
    }
    const into = held;
    try {
      for await (const { seq, hash, type, at, data } of journal.read(TEAM_STREAM, endOf(into))) {
        apply(into, seq, hash, { type, at, data } as unknown as TeamEvent);
      }
    } catch (error) {
      const { seq } = into.fold.team;
      // Another call may have found the same, and begun anew, while this one was reading.
      const isFirst = into === held;
      if (isFirst) reset();
      if (error instanceof StreamDamaged) throw damagedLog(error.setAside);
      if (error instanceof StreamForeign && error.setAside === fileInPlace) {
        throw new Refused(foreignLog(error));
      }
      if (error instanceof StreamForeign) lose(foreignLog(error));
      else if (!(error instanceof StreamWentBack)) throw error;
      else if (isFirst) lose(wentBack(seq));
      return load();
    }
    if (into !== held) return load();
    version = latest;
    return held.fold.team;
  }

  /** `newer`: another writer came first; without that, the log itself is not as it was. */
  async function tryOnce<Answer>(
    decide: (team: Team) => TeamDecision<Answer>,
    placed: () => void,
  ): Promise<{ readonly answer: Answer } | { readonly newer: boolean }> {
    await load();
    raise();
    const into = held;
    const at = endOf(into);
    const decision = decide(into.fold.team);
    if (decision.kind === 'refused') throw new Refused(decision.refusal);
    if (decision.kind === 'unchanged') return { answer: decision.answer };
    const { event, answer } = decision;
    try {
      const stored = event as unknown as NewEvent;
      const result = await journal.append(TEAM_STREAM, at, stored, async (now, { hash }) => {
        apply(into, at.seq + 1, hash, event);
        if (into === held) version = now;
        placed();
      });
      if (result.kind === 'appended') return { answer };
    } catch (error) {
      reset();
      if (error instanceof Refused) throw error;
      throw new Refused(cannotSave(reasonOf(error)));
    }
    // Another writer came first, unless there is nothing newer.
    version = null;
    return { newer: (await load()).seq !== at.seq };
  }

  return {
    get team() {
      return held.fold.team;
    },
    load,
    raise,
    get lost() {
      return notice !== null;
    },

    async damaged() {
      const exists = (await journal.version(TEAM_STREAM)) !== null;
      return exists ? [] : journal.damaged(TEAM_STREAM);
    },

    begin: (event) =>
      inTurn(TEAM_STREAM, async () => {
        reset();
        const stored = event as unknown as NewEvent;
        return (await journal.append(TEAM_STREAM, 0, stored)).kind === 'appended';
      }),

    commit: (decide, placed = () => {}) =>
      inTurn(TEAM_STREAM, async () => {
        let lostToNoOne = 0;
        for (let tries = 0; tries < TRIES && lostToNoOne < MAX_LOST_TO_NO_ONE; tries++) {
          const done = await tryOnce(decide, placed);
          if ('answer' in done) return done.answer;
          if (!done.newer) lostToNoOne += 1;
        }
        throw new Refused(cannotSave(lostToNoOne > 0 ? MOVED : 'too many writers at once'));
      }),

    async waitFor(look, signal, milliseconds) {
      const until = performance.now() + milliseconds;
      let wake = () => {};
      const woken = () => wake();
      const unwatch = journal.watch(TEAM_STREAM, () => {
        load().catch(() => {});
      });
      waiting.add(woken);
      signal.addEventListener('abort', woken);
      try {
        for (;;) {
          const team = await load();
          raise();
          const seen = look(team);
          const left = until - performance.now();
          if (seen !== null || left <= 0 || signal.aborted) return seen;
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((resolve) => {
            wake = resolve;
            timer = setTimeout(resolve, Math.min(left, LOOK_AGAIN_MS));
          });
          clearTimeout(timer);
        }
      } finally {
        unwatch();
        waiting.delete(woken);
        signal.removeEventListener('abort', woken);
      }
    },
  };
}

/** The fold, and the hash of its last event. */
interface Held {
  readonly fold: Fold;
  hash: string;
}

function endOf({ fold, hash }: Held): Position {
  return { seq: fold.team.seq, hash };
}

const MOVED = 'its journal is moved or replaced while it is written';
/** Of a log that could not be moved away, relative to the journal's folder. */
const fileInPlace = `${TEAM_STREAM}.jsonl`;

function cannotSave(reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save the team's state: ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again.',
  );
}

// The texts of the team's tools carry no next move beside them, so the message has it.

function wentBack(seq: number): Refusal {
  return refuse(
    'team_went_back',
    `The team's journal was cut or replaced by an older copy while the server was running: it no longer has event ${seq}. Nothing of this call was recorded. Tell your user, and make the call again: the team goes on from what the journal says now.`,
  );
}

function vanished(): Refusal {
  return refuse(
    'team_lost',
    "The team's journal was deleted while the server was running, as `git clean -fdx` does. Nothing of this call was recorded. Tell your user, and make the call again: the team goes on from .sgai/state.json if that is there, and begins empty if not.",
  );
}

function foreignLog({ reason, setAside }: StreamForeign): Refusal {
  const why =
    reason === 'git'
      ? 'it came with the repository (git tracks it)'
      : "it is not under this user's key";
  return refuse(
    'team_foreign',
    `The team's journal is not believed: this user did not write it here; ${why}. It is kept as .deepwork/journal/${setAside}. Make the call again to go on without it. If it is your user's own (copied from another machine, restored), ask them to run \`deepwork repair --journal\` first.`,
  );
}

function damagedLog(kept: string): Refused {
  return new Refused(
    refuse(
      'team_damaged',
      `The team's journal is damaged and was set aside as ${kept}. Ask your user to run \`deepwork repair\`, which goes on from state.json.`,
    ),
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${code}: ${message}`;
}
