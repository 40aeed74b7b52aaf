// Sessions in one journal, shared by one store per process: each has its own cache, and they know of
// each other only through what was committed.

import os from 'node:os';
import path from 'node:path';
import { type Refusal, Refused } from '../../src/core/refusal.ts';
import type { Session } from '../../src/core/session/state.ts';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';
import type { StoredEvent } from '../../src/journal/journal.ts';
import { openMemoryJournal } from '../../src/journal/memory.ts';
import { openEndedIndex } from '../../src/sessions/ended-index.ts';
import { openStacks, type Stacks } from '../../src/sessions/stacks.ts';
import { openSessionStore, type SessionStore } from '../../src/sessions/store.ts';
import type { Views } from '../../src/sessions/views.ts';
import { marksIn } from '../support/open-marks.ts';
import type { Actor } from './calls.ts';
import type { Processes } from './processes.ts';
import { namedOwner, type Shell, unsteadyClock } from './shell.ts';

export interface JournalShell extends Shell {
  /** What the process that acts for an owner works with. */
  officeOf(actor: Actor): Office;
  /** Every event of every session, session by session. */
  events(): Promise<ReadonlyMap<string, readonly StoredEvent[]>>;
  /** The revision that the readable view of each session shows. */
  revisions(): ReadonlyMap<string, number>;
}

interface Office {
  readonly store: SessionStore;
  readonly stacks: Stacks;
}

/** No index of ended sessions was ever saved here. */
const NOWHERE = path.join(os.tmpdir(), 'deepwork-simulation-has-no-files');
/** Only reads, never acts. */
const ONLOOKER = 'onlooker';

export function openJournalShell(processes: Processes): JournalShell {
  const journal = openMemoryJournal();
  const shown = new Map<string, Record<string, unknown>>();
  const views: Views = {
    async write(session, mayReplace) {
      if (!mayReplace(views.revision(session.id))) return false;
      shown.set(session.id, { revision: session.seq });
      return true;
    },
    revision: (id) => (shown.get(id)?.revision as number | undefined) ?? null,
    read: (id) => shown.get(id) ?? null,
    check() {},
    place: async (name) => name,
    marks: marksIn(),
    close() {},
  };
  let offices = new Map<string, Office>();
  const clock = unsteadyClock();
  const ownerOf = ({ owner, process }: Actor) => ({
    ...namedOwner(owner),
    process: processes.tokenOf(process),
  });

  function office(name: string): Office {
    const known = offices.get(name);
    if (known !== undefined) return known;
    const store = openSessionStore(journal, views, openEndedIndex(NOWHERE, views), systemProcesses);
    const opened = { store, stacks: openStacks(store, clock, systemProcesses) };
    offices.set(name, opened);
    return opened;
  }

  async function sessionIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { stream } of journal.streams('session/')) ids.push(stream.slice(8));
    return ids;
  }

  return {
    clock,
    ownerOf,
    nameOf: processes.nameOf,
    officeOf: (actor) => office(actor.process),
    claim: (actor, id) => orRefusal(office(actor.process).stacks.claim(ownerOf(actor), id)),
    load: (id) => office(ONLOOKER).store.load(id),
    commit: (actor, id, decide) =>
      orRefusal(
        office(actor.process)
          .store.commit(id, decide, async () => null)
          .then((committed) => committed.session),
      ),
    stack: (owner) => office(ONLOOKER).stacks.of({ identity: owner }),
    die: (process) => processes.kill(process),
    async rebuild() {
      const before = offices;
      offices = new Map();
      for (const id of await sessionIds()) {
        const folded = JSON.stringify(await office(ONLOOKER).store.load(id));
        for (const [name, { store }] of before) {
          if (JSON.stringify(await store.load(id)) === folded) continue;
          throw new Error(`${name} remembers session ${id} otherwise than its events tell it`);
        }
      }
    },
    async events() {
      const events = new Map<string, StoredEvent[]>();
      for (const id of await sessionIds()) {
        const stream: StoredEvent[] = [];
        for await (const event of journal.read(`session/${id}`, 0)) stream.push(event);
        events.set(id, stream);
      }
      return events;
    },
    revisions: () => new Map([...shown].map(([id, view]) => [id, view.revision as number])),
  };
}

async function orRefusal(result: Promise<Session>): Promise<Session | Refusal> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}
