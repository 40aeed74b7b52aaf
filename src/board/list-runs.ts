// Lists runs without reading those that are known to have ended: an old project has tens of
// thousands, and they must not make listing slower.

import path from 'node:path';
import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { isSessionId } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { Paths } from '../environment/paths.ts';
import type { JournalReader } from '../journal/reader.ts';
import {
  type KnownEnded,
  readEndedLast,
  readEndedSince,
  readKnownEnded,
} from '../sessions/ended-index.ts';
import { areAllMarked, listOpenMarks } from '../sessions/open-marks.ts';
import type { FoldedRun } from './fold-run.ts';
import { MAX_ENDED } from './order-runs.ts';
import { possiblyOpen } from './possibly-open.ts';
import type { RunReader } from './read-runs.ts';
import type { DamagedRun } from './run.ts';
import { setAsideBecause } from './set-aside-words.ts';

export interface ListedRuns {
  readonly active: FoldedRun[];
  readonly ended: FoldedRun[];
  readonly damaged: DamagedRun[];
}

export interface RunsSince extends ListedRuns {
  /** When the newest run that was left out ended; null if none was left out. */
  readonly before: string | null;
}

export interface RunListDeps {
  readonly paths: Paths;
  /** Why a path may not be read; null if it may. */
  readonly problemOf: (path: string) => string | null;
  readonly reader: JournalReader;
}

export function openRunList({ paths, reader, problemOf }: RunListDeps, runs: RunReader) {
  async function ids(): Promise<readonly string[]> {
    return (await reader.namesIn('session', NONE)).filter(isSessionId);
  }

  /**
   * Active sessions, the last ended ones or all of them, and damaged ones. Sessions that are known to
   * have ended are not read, unless they are also marked as open.
   */
  async function readAll(all: boolean): Promise<ListedRuns> {
    const isUsable = problemOf(paths.tmp) === null;
    const marked = isUsable ? listOpenMarks(paths.tmp) : [];
    const ended = all || !isUsable ? null : readEndedLast(paths.tmp, MAX_ENDED);
    if (ended !== null) {
      const open = await openNow(marked, ended);
      if (open !== null) return readThese(open, ended.last);
    }
    const known = all || !isUsable ? NONE_KNOWN : readKnownEnded(paths.tmp, MAX_ENDED);
    const unsure = (await reader.namesIn('session', known.ids)).filter(isSessionId);
    return readThese([...unsure, ...marked], known.last);
  }

  /** As `readAll`, with all runs that ended at this time or later; earlier ones are not read. */
  async function readSince(since: string): Promise<RunsSince> {
    const isUsable = problemOf(paths.tmp) === null;
    // Marks first: a run is in the index before its mark is removed.
    const marked = isUsable ? listOpenMarks(paths.tmp) : [];
    const ended = isUsable ? readEndedSince(paths.tmp, since) : null;
    const { ids: known, last, before } = ended ?? { ...NONE_KNOWN, before: null };
    const open =
      (ended === null ? null : await openNow(marked, ended)) ??
      (await reader.namesIn('session', known)).filter(isSessionId);
    const listed = await readThese([...open, ...marked], last, last.length);
    return { ...listed, before };
  }

  /** Null if every session that is not known to have ended has to be read. */
  async function openNow(
    marked: readonly string[],
    ended: KnownEnded,
  ): Promise<readonly string[] | null> {
    const areMarked = areAllMarked(paths.tmp, path.join(paths.journal, 'session'));
    if (areMarked && (await reader.marksAreComplete())) return marked;
    return possiblyOpen(reader, paths.tmp, marked, ended);
  }

  /** All that may be active, and as many of the last ended ones as are shown. */
  async function readThese(
    open: readonly string[],
    last: readonly string[],
    max = MAX_ENDED,
  ): Promise<ListedRuns> {
    const listed: ListedRuns = { active: [], ended: [], damaged: [] };
    const read = new Set<string>();
    for (const id of open) await add(id, listed, read);
    const before = listed.ended.length;
    for (const id of last) {
      if (listed.ended.length < before + max) await add(id, listed, read);
    }
    return listed;
  }

  async function add(id: string, listed: ListedRuns, read: Set<string>): Promise<void> {
    if (read.has(id)) return;
    read.add(id);
    if (sliceIsOver()) await nextSlice();
    const found = await runs.find(id);
    if (found.kind === 'damaged') {
      listed.damaged.push({ session_id: id, why: found.why, set_aside: null });
    }
    if (found.kind !== 'run') return;
    const isActive = found.run.session.status === 'active';
    (isActive ? listed.active : listed.ended).push(found.run);
  }

  async function setAside(): Promise<DamagedRun[]> {
    const found = new Map<string, DamagedRun>();
    for (const { stream, why, kept } of await reader.setAside(SESSION_STREAMS)) {
      const session_id = stream.slice(SESSION_STREAMS.length);
      // It was started over, or a person took it over.
      if (!isSessionId(session_id) || (await reader.version(stream)) !== null) continue;
      found.set(session_id, { session_id, why: setAsideBecause(why, kept), set_aside: why });
    }
    return [...found.values()];
  }

  return { ids, readAll, readSince, setAside };
}

const NONE: ReadonlySet<string> = new Set();
const NONE_KNOWN: KnownEnded = { ids: NONE, last: [] };
