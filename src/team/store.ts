// The team on the journal: one stream, folded once and read on from there. To commit is
// to decide on the newest state, append, and decide again if another process was first.
// Commits of one process take turns, since of two at once one would be sure to lose.

import { Refused, refuse } from '../core/refusal.ts';
import type { Decision } from '../core/team/decision.ts';
import { type Fold, foldTeam } from '../core/team/evolve.ts';
import type { Team, TeamEvent } from '../core/team/state.ts';
import { type Journal, type NewEvent, StreamDamaged } from '../journal/journal.ts';
import { takeTurns } from '../journal/turns.ts';

export const TEAM_STREAM = 'team/log';
/** A writer that loses this often is not contending but broken. */
const TRIES = 2000;
/** Changes by other processes are told at once; this is for those that are not. */
const LOOK_AGAIN_MS = 1000;

export interface TeamStore {
  /** As it was when last looked at. */
  readonly team: Team;
  /** As it is now. */
  load(): Promise<Team>;
  /** What was set aside because it was damaged, if there is nothing in its place. */
  damaged(): Promise<readonly string[]>;
  /** Makes an event the first of all. False if there is one already. */
  begin(event: TeamEvent): Promise<boolean>;
  /** `placed` runs when the event has its place, while the disk is still writing it. */
  commit<Answer>(decide: (team: Team) => Decision<Answer>, placed?: () => void): Promise<Answer>;
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
  let fold: Fold = foldTeam();
  let version: string | null = null;
  const inTurn = takeTurns();
  const waiting = new Set<() => void>();

  function reset(): void {
    fold = foldTeam();
    version = null;
  }

  function apply(into: Fold, seq: number, event: TeamEvent): void {
    if (into.apply(seq, event) && into === fold) for (const wake of waiting) wake();
  }

  async function load(): Promise<Team> {
    const latest = await journal.version(TEAM_STREAM);
    if (latest === version && latest !== null) return fold.team;
    if (latest === null) {
      if (fold.team.seq > 0) reset();
      const kept = await journal.damaged(TEAM_STREAM);
      if (kept.length > 0) throw damagedLog(kept.join(', '));
      return fold.team;
    }
    const into = fold;
    try {
      for await (const { seq, type, at, data } of journal.read(TEAM_STREAM, into.team.seq)) {
        apply(into, seq, { type, at, data } as unknown as TeamEvent);
      }
    } catch (error) {
      reset();
      throw error instanceof StreamDamaged ? damagedLog(error.setAside) : error;
    }
    if (into !== fold) return load();
    version = latest;
    return fold.team;
  }

  async function tryOnce<Answer>(
    decide: (team: Team) => Decision<Answer>,
    placed: () => void,
  ): Promise<{ readonly answer: Answer } | null> {
    const { seq } = await load();
    const into = fold;
    const decision = decide(into.team);
    if (decision.kind === 'refused') throw new Refused(decision.refusal);
    if (decision.kind === 'answer') return { answer: decision.answer };
    const { event, answer } = decision;
    try {
      const stored = event as unknown as NewEvent;
      const result = await journal.append(TEAM_STREAM, seq, stored, async (now) => {
        apply(into, seq + 1, event);
        if (into === fold) version = now;
        placed();
      });
      if (result.kind === 'appended') return { answer };
    } catch (error) {
      reset();
      if (error instanceof Refused) throw error;
      throw new Refused(cannotSave(reasonOf(error)));
    }
    // Another writer came first. If there is nothing newer, the stream itself is not the
    // one we knew (cut short, replaced): it is read from its beginning.
    version = null;
    if ((await load()).seq === seq) reset();
    return null;
  }

  return {
    get team() {
      return fold.team;
    },
    load,

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
        for (let tries = 0; tries < TRIES; tries++) {
          const done = await tryOnce(decide, placed);
          if (done !== null) return done.answer;
        }
        throw new Refused(cannotSave('too many writers at once'));
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
          const seen = look(await load());
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

function cannotSave(reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save the team's state: ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again.',
  );
}

function damagedLog(kept: string): Refused {
  return new Refused(
    refuse(
      'team_damaged',
      `The team's journal is damaged and was set aside as ${kept}. Ask your user to run \`deepwork repair\`, which goes on from state.json.`,
      'tell your user; the bytes are kept.',
    ),
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${code}: ${message}`;
}
