// The board and the decider fold the same history: for every beginning of random histories, read
// event by event from the journal, what the board says of a run is what the decider's session says.

import { expect, test } from 'vitest';
import { agentNames } from '../../src/board/agent-names.ts';
import { describeRun } from '../../src/board/describe-run.ts';
import { eventInWords } from '../../src/board/event-words.ts';
import { type FoldedRun, foldRun } from '../../src/board/fold-run.ts';
import type { RunContext } from '../../src/board/run-state.ts';
import type { SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import { openStepId } from '../../src/core/session/progress.ts';
import type { Session } from '../../src/core/session/state.ts';
import { emptyTeam } from '../../src/core/team/evolve.ts';
import { deaths } from '../histories/check.ts';
import { openJournalShell } from '../histories/journal-shell.ts';
import { play } from '../histories/play.ts';
import { openProcesses } from '../histories/processes.ts';
import { randomHistory } from '../histories/random-history.ts';
import { viewOf } from '../simulation/by-hand.ts';
import { verifies } from '../verifies.ts';

const BASE_SEED = 20_260_101;
const HISTORIES = 150;
const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_HISTORIES ?? HISTORIES) : 1;

const CONTEXT: RunContext = {
  now: '2027-01-01T00:00:00.000Z',
  names: agentNames(emptyTeam(), [], []),
  askedAt: null,
  movedAt: '2027-01-01T00:00:00.000Z',
  livenessOf: () => 'alive',
  isOrphaned: false,
  questions: [],
  closed: null,
  stalledAfterMinutes: 30,
};

/** Counted from the events alone, without the board. */
function countRefusals(events: readonly SessionEvent[]): number {
  return events.filter(
    (event) =>
      event.type === 'judged' &&
      (event.data.failed ?? []).some(
        ({ stage }) => stage !== 'self_review' && !stage.startsWith('override'),
      ),
  ).length;
}

test('any beginning of any history reads the same on the board as for the decider', async () => {
  verifies('BOARD-1');
  const met = new Set<string>();
  for (let seed = base; seed < base + count; seed++) {
    const { jobs, calls } = randomHistory(seed);
    const processes = openProcesses(calls.flatMap(deaths));
    const shell = openJournalShell(processes);
    for (const call of calls) await play({ shell, jobs, atOnce: true }, call);
    await processes.close();
    for (const [, stored] of await shell.events()) {
      const events = stored as unknown as readonly SessionEvent[];
      let run: FoldedRun | null = null;
      for (const [index, event] of events.entries()) {
        const before: Session | null = (run as FoldedRun | null)?.session ?? null;
        run = foldRun(run, event);
        const said = `seed ${seed}, event ${index + 1}`;
        const decided = events.slice(0, index + 1).reduce<Session | null>(evolve, null) as Session;
        expect(run.session, said).toEqual(decided);
        const shown = describeRun(run, CONTEXT);
        const view = viewOf(decided);
        expect(shown, said).toMatchObject({
          session_id: view.session_id,
          status: view.status,
          step: openStepId(decided),
          position: { index: decided.position.entryIndex + 1 },
          started_at: view.started_at,
          ended_at: view.completed_at,
          refusals: countRefusals(events.slice(0, index + 1)),
        });
        expect(shown.state === null, said).toBe(decided.status !== 'active');
        expect(shown.position.of, said).toBeGreaterThanOrEqual(shown.position.index);
        const words = eventInWords(before, event, run.session, CONTEXT.names);
        expect(words, said).toMatchObject({ seq: index + 1, type: event.type, at: event.at });
        expect(words.text.length, said).toBeGreaterThan(0);
        met.add(event.type);
      }
    }
  }
  for (const type of ['started', 'judged', 'reviewing', 'went_back', 'adopted', 'aborted']) {
    if (only === undefined) expect([...met]).toContain(type);
  }
}, 120_000);
