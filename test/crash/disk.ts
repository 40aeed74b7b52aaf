// What is on disk, read without a server: each session's journal and its view. Lines are read by
// the simplest means (split, parse, compare the links), and the project's own verification must
// find the same number of events.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import type { Session } from '../../src/core/session/state.ts';
import { journalKey } from '../../src/environment/signing-key.ts';
import type { StoredEvent } from '../../src/journal/journal.ts';
import { verifyStream } from '../../src/journal/verify.ts';
import { localPath } from '../../src/sessions/portable-paths.ts';
import { viewOf } from '../simulation/by-hand.ts';
import { marks } from './model.ts';

export interface OnDisk {
  /** Those that count, oldest first. */
  readonly events: readonly (SessionEvent & { readonly seq: number })[];
  /** Null if a start was interrupted before its event: an empty file. */
  readonly session: Session | null;
  /** One line per event; without adoptions, which only change the owner. */
  readonly log: readonly string[];
  /** Lines that lost a race, or were torn. */
  readonly voids: number;
}

export interface Disk {
  sessionIds(): string[];
  /** Fails unless the journal is gapless, its chain complete and undamaged. */
  read(id: string): Promise<OnDisk>;
  /** The view as it is, or null if there is none. Fails if it does not parse. */
  view(id: string): Record<string, unknown> | null;
  /** Fails unless the view shows exactly what the journal says. */
  expectViewShows(id: string): Promise<void>;
  /** Bytes in the journals of these sessions, and the number of journals there are. */
  written(ids: readonly string[]): string;
  /** The number of files among the views. */
  shown(): number;
  /** Names in the folder of views that are neither views nor otherwise known. */
  leftovers(): string[];
}

const KNOWN_IN_TMP =
  /^(session_[0-9a-f]{8}\.json|quality_review_[0-9a-f]{8}_\w+\.md|ended\.log|answered\.json|listed\.json|open|\.gitignore)$/;

export function lookAt(root: string): Disk {
  const journal = path.join(root, '.deepwork/journal');
  const tmp = path.join(root, '.deepwork/tmp');

  const fileOf = (id: string) => path.join(journal, `session/${id}.jsonl`);

  async function read(id: string): Promise<OnDisk> {
    const { events, voids } = readLines(fileOf(id));
    const verified = await verifyStream(journal, `session/${id}`, journalKey());
    expect(verified).toMatchObject({ damage: null, events: events.length });
    let session: Session | null = null;
    for (const event of events) session = evolve(session, event);
    return {
      events,
      session,
      voids,
      log: events.map(markOf).filter((mark) => mark !== null),
    };
  }

  function view(id: string): Record<string, unknown> | null {
    const file = path.join(tmp, `session_${id}.json`);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  return {
    sessionIds: () =>
      namesIn(path.join(journal, 'session')).map((name) => path.basename(name, '.jsonl')),
    read,
    view,
    async expectViewShows(id) {
      const { session } = await read(id);
      if (session === null) return;
      // The journal names a job from the project's root, a view as it is on this machine.
      const jobDir = localPath(session.jobDir, { root, jobFolders: [] });
      expect(view(id)).toEqual(viewOf({ ...session, jobDir }));
    },
    written(ids) {
      const sizes = ids.map((id) => statSync(fileOf(id)).size);
      return [...sizes, namesIn(path.join(journal, 'session')).length].join();
    },
    shown: () => namesIn(tmp).length,
    leftovers: () => namesIn(tmp).filter((name) => !KNOWN_IN_TMP.test(name)),
  };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function readLines(file: string): { events: OnDisk['events']; voids: number } {
  const events: (StoredEvent & SessionEvent)[] = [];
  let voids = 0;
  // A kill can interrupt a write; the tab of the next line then ends the torn one.
  for (const text of readFileSync(file, 'utf8').split(/[\n\t]/)) {
    if (text === '') continue;
    const event = parse(text);
    const last = events.at(-1);
    if (event === null || event.seq <= (last?.seq ?? 0)) {
      voids += 1;
      continue;
    }
    expect(event.seq, `sequence numbers of ${file}`).toBe((last?.seq ?? 0) + 1);
    expect(event.prev, `chain of ${file}`).toBe(last?.hash ?? '0'.repeat(64));
    events.push(event);
  }
  return { events, voids };
}

/** Null for a torn line; `verifyStream` decides whether it may be one. */
function parse(text: string): (StoredEvent & SessionEvent) | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function markOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'started':
      return marks.started(event.data.goal);
    case 'judged': {
      const { accepted, failed = [], sent } = event.data;
      const [mark, members] =
        failed.length > 0 ? [marks.failed, failed] : [marks.accepted, accepted];
      return mark(
        members.map((member) => member.step_id),
        sent.notes,
      );
    }
    case 'went_back':
      return marks.wentBack(event.data.to);
    case 'aborted':
      return marks.aborted(event.data.explanation);
    case 'adopted':
      return null;
    default:
      return event.type;
  }
}
