// Unattended runs on the journal: one stream for each (`run/<id>`, `team_run/<id>`), and one that
// records which run works in the project's own checkout.

import { type Refusal, Refused, refuse, refusedWith } from '../../core/refusal.ts';
import {
  type Checkout,
  type CheckoutEvent,
  decideRelease,
  decideTake,
  evolveCheckout,
  type Holder,
} from '../../core/run/checkout.ts';
import {
  decideRunEvent,
  decideRunStart,
  decideStopAsked,
  decideTeamAbort,
} from '../../core/run/decide.ts';
import type { RunEvent, RunStarted } from '../../core/run/events.ts';
import { evolveRun, type RunRecord } from '../../core/run/record.ts';
import { CHECKOUT_STREAM, isRunId, TEAM_RUNS, WORKFLOW_RUNS } from '../../core/run/streams.ts';
import type { Processes } from '../../core/session/ownership.ts';
import type { Clock } from '../../environment/clock.ts';
import { type EventStoreRules, openEventStore } from '../../journal/event-store.ts';
import type { Journal } from '../../journal/journal.ts';
import { keptPlace } from '../../journal/stream-name.ts';

export interface RunStore {
  load(id: string): Promise<RunRecord | null>;
  /** Every run, in no particular order; runs that cannot be read are left out. */
  all(): Promise<readonly RunRecord[]>;
  /** Starts or resumes a run; refused while another process runs it. */
  start(event: RunStarted): Promise<RunRecord>;
  /** Called by the process that runs it; refused once another process has taken it over. */
  record(id: string, event: RunEvent): Promise<RunRecord>;
  /** Records that a person wants it to stop; refused if it is not running. */
  askStop(id: string, person: string, reason: string): Promise<RunRecord>;
  /** A person ends the run of a team for good; its process does, if it has one. */
  abortTeam(id: string, person: string, reason: string): Promise<RunRecord>;
  /** Refused while another run works there. */
  takeCheckout(run: string): Promise<void>;
  releaseCheckout(run: string): Promise<void>;
}

export function openRunStore(journal: Journal, clock: Clock, processes: Processes): RunStore {
  const runs = openEventStore<RunRecord, RunEvent>(journal, { evolve: evolveRun, ...rules() });
  const checkouts = openEventStore<Checkout, CheckoutEvent>(journal, {
    evolve: evolveCheckout,
    ...rules(),
  });
  async function load(id: string): Promise<RunRecord | null> {
    if (!isRunId(id)) return null;
    return (await runs.load(WORKFLOW_RUNS + id)) ?? runs.load(TEAM_RUNS + id);
  }
  const holderOf = (run: string): Holder => ({ run, process: processes.own() });

  async function committed(id: string): Promise<RunRecord> {
    const record = await load(id);
    if (record === null) throw new Error(`The journal of run ${id} is gone`);
    return record;
  }

  /** Another text if the run that holds the checkout is about to leave it; else null. */
  async function refusalIfStopping(error: unknown): Promise<Refused | null> {
    const held = error instanceof Refused ? error.refusal.data?.run : undefined;
    const record = typeof held === 'string' ? await load(held) : null;
    if (record?.stopAsked == null) return null;
    return refusedWith(
      'checkout_taken',
      `Run ${record.id} is stopping, and still works in this checkout`,
      'wait a few seconds and try again.',
    );
  }

  return {
    load,
    async all() {
      const found: RunRecord[] = [];
      for (const folder of [WORKFLOW_RUNS, TEAM_RUNS]) {
        for (const name of await journal.names(folder)) {
          const record = await load(name.slice(folder.length)).catch(() => null);
          if (record !== null) found.push(record);
        }
      }
      return found;
    },
    async start(event) {
      const { run_id: id } = event.data;
      await runs.commit(streamOf(event.data.kind, id), (record) =>
        decideRunStart(record, event, processes.livenessOf),
      );
      return committed(id);
    },
    async record(id, event) {
      const { kind } = await committed(id);
      await runs.commit(streamOf(kind, id), (record) =>
        decideRunEvent(record, processes.own(), event),
      );
      return committed(id);
    },
    async askStop(id, person, reason) {
      const record = await load(id);
      const kind = record?.kind ?? 'workflow';
      const asked = { at: clock(), person, reason };
      await runs.commit(streamOf(kind, id), (now) =>
        decideStopAsked(now, asked, processes.livenessOf),
      );
      return committed(id);
    },
    async abortTeam(id, person, reason) {
      const asked = { at: clock(), person, reason };
      await runs.commit(streamOf('team', id), (now) => {
        if (now === null) throw new Error(`The journal of run ${id} is gone`);
        return decideTeamAbort(now, asked, processes.livenessOf);
      });
      return committed(id);
    },
    takeCheckout: (run) =>
      checkouts
        .commit(CHECKOUT_STREAM, (now) =>
          decideTake(now, clock(), holderOf(run), processes.livenessOf),
        )
        .catch(async (error: unknown) => {
          throw (await refusalIfStopping(error)) ?? error;
        }),
    releaseCheckout: (run) =>
      checkouts.commit(CHECKOUT_STREAM, (now) => decideRelease(now, clock(), holderOf(run))),
  };
}

function streamOf(kind: RunRecord['kind'], id: string): string {
  return (kind === 'team' ? TEAM_RUNS : WORKFLOW_RUNS) + id;
}

/** A journal that cannot be trusted is reported, never used. */
function rules(): Omit<EventStoreRules<never, never>, 'evolve'> {
  return {
    missing() {},
    async rolledBack() {},
    damaged: (stream, { kept }) =>
      refuse(
        'run_damaged',
        `The journal of ${stream} is damaged. Kept as ${keptPlace(kept)}`,
        REPAIR,
      ),
    foreign() {},
    cannotSave: (stream, reason): Refusal =>
      refuse(
        'cannot_save',
        `Cannot save ${stream}: ${reason}`,
        'make .deepwork/journal writable (free disk space, permissions), then run it again.',
      ),
  };
}

const REPAIR = 'run `deepwork repair`: it shows what was set aside, and where.';
