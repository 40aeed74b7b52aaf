// The team on the journal: one stream (`journal/event-store.ts`), and the callers that wait for a
// change of it. Commits of one process run one at a time, because one of two concurrent ones would
// conflict.
//
// If the journal lost known events of the team, that is reported on stderr, and the next call
// is refused once (`raise`): it was meant for a state that no longer exists.

import { keyedMutex } from '../async/keyed-mutex.ts';
import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import { emptyTeam, evolveTeam } from '../core/team/evolve.ts';
import type { Team, TeamDecision, TeamEvent } from '../core/team/state.ts';
import { openEventStore } from '../journal/event-store.ts';
import type { Journal, NewEvent, SetAsideStream, StreamForeign } from '../journal/journal.ts';
import { keptPlace } from '../journal/stream-name.ts';

export const TEAM_STREAM = 'team/log';
/** Changes by other processes are usually reported at once; this is for missed reports. */
const POLL_MS = 1000;

export interface TeamStore {
  /** As last read. */
  readonly team: Team;
  /** As it is now. */
  load(): Promise<Team>;
  /** Refuses once if the journal lost known events. */
  raise(): void;
  /** Whether `raise` would refuse. */
  readonly lost: boolean;
  /** The files set aside as damaged, if no stream has taken their place. */
  damaged(): Promise<readonly string[]>;
  /** Whether a journal that this user did not write here was set aside. */
  hasForeign(): Promise<boolean>;
  /** Makes an event the first of the stream. False if there is one already. */
  begin(event: TeamEvent): Promise<boolean>;
  /** `placed` runs when the event has its place, while the disk is still writing it. */
  commit<Answer>(
    decide: (team: Team) => TeamDecision<Answer>,
    placed?: () => void,
  ): Promise<Answer>;
  /**
   * Waits until `look` returns a value, up to a time limit. Null if it found nothing in time,
   * or the signal was aborted.
   */
  waitFor<Seen>(
    look: (team: Team) => Seen | null,
    signal: AbortSignal,
    milliseconds: number,
  ): Promise<Seen | null>;
}

export function openTeamStore(
  journal: Journal,
  unsure: (seq: number) => void = () => {},
  onProblem: (line: string) => void = () => {},
): TeamStore {
  let notice: Refusal | null = null;
  const inTurn = keyedMutex();
  const waiting = new Set<() => void>();
  const events = openEventStore<Team, TeamEvent>(journal, {
    evolve(team, event) {
      // Called for each event that becomes known, so every waiting call looks again.
      wakeAll();
      return evolveTeam(team, event);
    },
    missing(_stream, before, setAside) {
      const kept = damagedIn(setAside);
      if (kept.length > 0) throw new Refused(damagedLog(kept.join(', ')));
      if (before !== null) lose(vanished());
    },
    async rolledBack(_stream, { seq }) {
      lose(rolledBack(seq));
    },
    damaged: (_stream, { kept }) => damagedLog(keptPlace(kept)),
    foreign(_stream, error) {
      if (error.inPlace) throw new Refused(foreignLog(error));
      lose(foreignLog(error));
    },
    cannotSave: (_stream, reason) => cannotSave(reason),
    unsure: (_stream, seq) => unsure(seq),
  });

  /** They check again after the current turn of the event loop. */
  function wakeAll(): void {
    for (const wake of waiting) wake();
  }

  function lose(refusal: Refusal): void {
    notice = refusal;
    onProblem(refusal.message);
    wakeAll();
  }

  function raise(): void {
    const refusal = notice;
    notice = null;
    if (refusal !== null) throw new Refused(refusal);
  }

  const load = async () => (await events.load(TEAM_STREAM)) ?? emptyTeam();

  return {
    get team() {
      return events.known(TEAM_STREAM) ?? emptyTeam();
    },
    load,
    raise,
    get lost() {
      return notice !== null;
    },

    async damaged() {
      const exists = (await journal.version(TEAM_STREAM)) !== null;
      return exists ? [] : damagedIn(await journal.setAside(TEAM_STREAM));
    },

    async hasForeign() {
      const setAside = await journal.setAside(TEAM_STREAM);
      return setAside.some(({ stream, why }) => stream === TEAM_STREAM && why === 'foreign');
    },

    begin: (event) =>
      inTurn(TEAM_STREAM, async () => {
        events.forget(TEAM_STREAM);
        const stored = event as unknown as NewEvent;
        return (await journal.append(TEAM_STREAM, 0, stored)).kind === 'appended';
      }),

    commit: (decide, placed) =>
      inTurn(TEAM_STREAM, () =>
        events.commit(
          TEAM_STREAM,
          (team) => {
            raise();
            return decide(team ?? emptyTeam());
          },
          placed,
        ),
      ),

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
            timer = setTimeout(resolve, Math.min(left, POLL_MS));
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

function damagedIn(setAside: readonly SetAsideStream[]): string[] {
  return setAside
    .filter(({ stream, why }) => stream === TEAM_STREAM && why === 'damaged')
    .map(({ kept }) => keptPlace(kept));
}

function cannotSave(reason: string) {
  return refuse(
    'cannot_save',
    `Cannot save the team's state: ${reason}`,
    'make .deepwork/journal writable (free disk space, permissions), then make the same call again.',
  );
}

// Answers of the team's tools have no separate next move, so the message contains it.

function rolledBack(seq: number): Refusal {
  return refuse(
    'team_went_back',
    `The team's journal was cut or replaced by an older copy while the server was running: it no longer has event ${seq}. Nothing of this call was recorded. Tell your user, and make the call again: the team continues from the journal's current state.`,
  );
}

function vanished(): Refusal {
  return refuse(
    'team_lost',
    "The team's journal was deleted while the server was running, as `git clean -fdx` does. Nothing of this call was recorded. Tell your user, and make the call again: the team continues from .sgai/state.json if that exists, and starts empty if not.",
  );
}

function foreignLog({ reason, kept }: StreamForeign): Refusal {
  const why =
    reason === 'git'
      ? 'it came with the repository (git tracks it)'
      : "it is not under this user's key";
  return refuse(
    'team_foreign',
    `The team's journal is not trusted: this user did not write it here; ${why}. It is kept as ${keptPlace(kept)}. Make the call again to continue without it and without .sgai/state.json, which is then kept in .sgai/foreign. If it is your user's own (copied from another machine, restored), ask them to run \`deepwork repair --journal\` first.`,
  );
}

function damagedLog(kept: string): Refusal {
  return refuse(
    'team_damaged',
    `The team's journal is damaged and is kept as ${kept}. Ask your user to run \`deepwork repair\`, which continues from .sgai/state.json.`,
  );
}
