// Verifies a project's whole journal and its archives, without changing a byte: every line, every
// link of every hash chain, and that no event is missing that a readable view has shown. Views are
// read before streams, and streams before archives: a view never shows an event that is not in a
// stream yet, and streams only move into archives, so a running server never looks like a loss.

import path from 'node:path';
import { compareTexts } from '../core/compare-texts.ts';
import { TEAM_RUNS, WORKFLOW_RUNS } from '../core/run/streams.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import { counted } from '../core/wording.ts';
import { openContainment } from '../environment/containment.ts';
import { pathsOf } from '../environment/paths.ts';
import { listArchives, type VerifiedArchive, verifyArchive } from '../journal/archive.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { type FileLayer, realFileLayer } from '../journal/file-layer.ts';
import { openOnlyInFiles } from '../journal/left-in-files.ts';
import { listStreams } from '../journal/list-streams.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';
import { listSetAside } from '../journal/set-aside.ts';
import { type Aside, DAMAGED, fileOf, QUARANTINE } from '../journal/stream-name.ts';
import { type Verified, verifyStream } from '../journal/verify.ts';
import { viewIn } from '../sessions/views.ts';
import { TEAM_STREAM } from '../team/store.ts';
import { matchId } from './find-run.ts';
import { storeWarnings } from './store-warnings.ts';

/**
 * `lost`: intact, but a view has shown more events. `set_aside`: damaged, and no longer part of the
 * journal. That is no better than damaged, because a server sets it aside before anyone has seen it.
 * `quarantined`: no longer part of the journal, because it was not written here by this user.
 */
export type StreamVerdict =
  | 'sound'
  | 'damaged'
  | 'foreign'
  | 'lost'
  | 'unreadable'
  | 'quarantined'
  | 'set_aside';

export interface VerifiedFile {
  /** Relative to the project. */
  readonly file: string;
  readonly kind: 'stream' | 'archive';
  readonly verdict: StreamVerdict;
  /** One, or all readable ones of an archive. */
  readonly streams: readonly { readonly stream: string; readonly last_at: string | null }[];
  readonly events: number;
  /** The line of the first damage, counted from 1. */
  readonly line: number | null;
  readonly reason: string | null;
}

export interface Verification {
  readonly workspace: string;
  /** `missing`: there is no key to verify with, so nothing was. */
  readonly key: 'found' | 'missing';
  readonly files: readonly VerifiedFile[];
  readonly sound: boolean;
  /** As in `Board`. */
  readonly warnings: readonly string[];
}

const VIEW = /^session_([0-9a-f]{8})\.json$/;

export async function verifyJournal(
  projectRoot: string,
  key: Buffer | null,
): Promise<Verification> {
  const paths = pathsOf(projectRoot);
  const layer = checkedLayer(realFileLayer, openContainment(paths.root, () => {}).require);
  const shown = await shownEvents(paths.tmp, layer);
  const streams: string[] = [];
  for await (const { stream } of listStreams(paths.journal, layer, '')) streams.push(stream);
  if (key === null) {
    const archives = await listArchives(paths.archive, layer);
    const sound = streams.length + archives.length === 0;
    return { workspace: paths.root, key: 'missing', files: [], sound, warnings: [] };
  }
  const relative = (folder: string, file: string) =>
    path.relative(paths.root, path.join(folder, file));
  const viewOf = (stream: string) => relative(paths.tmp, `session_${idIn(stream)}.json`);
  const files: VerifiedFile[] = [];
  const left = new Map(shown);
  for (const stream of streams) {
    const found = await verifyStream(paths.journal, stream, key, layer).catch(unreadable);
    // Removed since it was listed: an archive may have it.
    if (found === null) continue;
    files.push(ofStream(stream, relative(paths.journal, fileOf(stream)), found, left.get(stream)));
    left.delete(stream);
  }
  for (const name of await listArchives(paths.archive, layer)) {
    const found = await verifyArchive(paths.archive, name, key, layer).catch(unreadable);
    if (found === null) continue;
    const archive = ofArchive(relative(paths.archive, name), found);
    for (const { stream } of archive.streams) left.delete(stream);
    files.push(archive);
  }
  const asides = (aside: Aside) => listSetAside(paths.journal, layer, aside, '');
  for (const { stream, kept } of await asides(QUARANTINE)) {
    // One without a view came with the repository.
    if (!left.delete(stream)) continue;
    files.push(failed(relative(paths.journal, kept), stream, 'quarantined', NOT_TRUSTED));
  }
  for (const { stream, kept } of await asides(DAMAGED)) {
    left.delete(stream);
    const reason = `it was altered or cut. When you no longer need it, delete it and its view, ${viewOf(stream)}`;
    files.push(failed(relative(paths.journal, kept), stream, 'set_aside', reason));
  }
  for (const [stream, events] of left) {
    const reason = `the file is gone, but a view has shown ${counted(events, 'event')} of it. If you deleted it on purpose, also delete its view, ${viewOf(stream)}`;
    files.push(failed(relative(paths.journal, fileOf(stream)), stream, 'lost', reason));
  }
  const sound = files.every(isSound);
  return { workspace: paths.root, key: 'found', files, sound, warnings: [] };
}

function isSound({ verdict }: VerifiedFile): boolean {
  return verdict === 'sound';
}

/**
 * The same for a journal in a database and the archives in this checkout. Archives from the database
 * are signed with its key, older ones from files with the user's.
 */
export async function verifyDatabase(
  projectRoot: string,
  database: PostgresStore,
  ownKey: Buffer | null,
): Promise<Verification> {
  const paths = pathsOf(projectRoot);
  const layer = checkedLayer(realFileLayer, openContainment(paths.root, () => {}).require);
  const files: VerifiedFile[] = [];
  for (const { stream } of await database.heads()) {
    const { events, lastAt, damage } = await database.verify(stream);
    files.push({
      file: `postgres:${stream}`,
      kind: 'stream',
      verdict: damage === null ? 'sound' : 'damaged',
      streams: [{ stream, last_at: lastAt }],
      events,
      line: damage?.line ?? null,
      reason: damage?.reason ?? null,
    });
  }
  const { journal } = await database.keys();
  for (const name of await listArchives(paths.archive, layer)) {
    const file = path.relative(paths.root, path.join(paths.archive, name));
    for (const key of ownKey === null ? [journal] : [journal, ownKey]) {
      const found = await verifyArchive(paths.archive, name, key, layer).catch(unreadable);
      const isLast = key === (ownKey ?? journal);
      if (found === null || (!isLast && 'foreign' in found && found.foreign)) continue;
      files.push(ofArchive(file, found));
      break;
    }
  }
  const sound = files.every(isSound);
  const warnings = await storeWarnings(paths, database, openOnlyInFiles(paths.journal, layer));
  return { workspace: paths.root, key: 'found', files, sound, warnings };
}

interface Unreadable {
  readonly unreadable: string;
}

function unreadable(error: Error): Unreadable {
  return { unreadable: error.message };
}

/** How many events each session's view has shown. */
async function shownEvents(folder: string, layer: FileLayer): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { name, kind } of await layer.list(folder)) {
    const id = kind === 'file' ? VIEW.exec(name)?.[1] : undefined;
    if (id === undefined) continue;
    const revision = viewIn(path.join(folder, name))?.revision;
    if (Number.isSafeInteger(revision)) found.set(SESSION_STREAMS + id, revision as number);
  }
  return found;
}

function ofStream(
  stream: string,
  file: string,
  found: Verified | Unreadable,
  shown = 0,
): VerifiedFile {
  if ('unreadable' in found) return failed(file, stream, 'unreadable', found.unreadable);
  const { events, lastAt: last_at, damage, foreign, lines } = found;
  const read = { file, kind: 'stream', streams: [{ stream, last_at }], events } as const;
  if (foreign) return { ...read, verdict: 'foreign', line: null, reason: OTHER_KEY };
  if (damage !== null) return { ...read, verdict: 'damaged', ...damage };
  if (shown <= events) return { ...read, verdict: 'sound', line: null, reason: null };
  const reason = `it ends with event ${events}, but its view has shown event ${shown}`;
  return { ...read, verdict: 'lost', line: lines + 1, reason };
}

function ofArchive(file: string, found: VerifiedArchive | Unreadable): VerifiedFile {
  if ('unreadable' in found) return failed(file, null, 'unreadable', found.unreadable);
  const read = {
    file,
    kind: 'archive' as const,
    streams: found.streams.map(({ stream, lastAt }) => ({ stream, last_at: lastAt })),
    events: found.streams.reduce((sum, { events }) => sum + events, 0),
  };
  if (found.foreign) return { ...read, verdict: 'foreign', line: null, reason: OTHER_KEY };
  if (found.damage !== null) return { ...read, verdict: 'damaged', ...found.damage };
  return { ...read, verdict: 'sound', line: null, reason: null };
}

function failed(
  file: string,
  stream: string | null,
  verdict: Exclude<StreamVerdict, 'sound' | 'damaged'>,
  reason: string,
): VerifiedFile {
  const streams = stream === null ? [] : [{ stream, last_at: null }];
  const kind = stream === null ? 'archive' : 'stream';
  return { file, kind, verdict, streams, events: 0, line: null, reason };
}

const NOT_TRUSTED = 'it is not trusted until you take it over';
const OTHER_KEY = 'no line of it was written under your key';

/** Only the files of one run: by id, by a unique beginning of it, or `last`; or those of the `team`. */
export function chooseFiles(all: Verification, wanted: string): Verification {
  const names = wanted === 'team' ? [TEAM_STREAM] : streamsOfRun(all, wanted);
  const files = all.files.filter((file) =>
    file.streams.some((each) => names.includes(each.stream)),
  );
  return { ...all, files, sound: files.every(isSound) };
}

/** The streams that a run may have: its session and its turns, or those of the team. */
function streamsOfRun(all: Verification, wanted: string): string[] {
  const known = all.files.flatMap(({ streams }) => streams);
  const runs = known.filter(({ stream }) =>
    [SESSION_STREAMS, TEAM_RUNS].some((prefix) => stream.startsWith(prefix)),
  );
  const [newest] = runs.toSorted((a, b) => compareTexts(b.last_at ?? '', a.last_at ?? ''));
  const ids = runs.map(({ stream }) => idIn(stream));
  const id =
    wanted === 'last' && newest !== undefined
      ? idIn(newest.stream)
      : matchId([...new Set(ids)], wanted);
  return [SESSION_STREAMS, WORKFLOW_RUNS, TEAM_RUNS].map((prefix) => prefix + id);
}

function idIn(stream: string): string {
  return stream.slice(stream.indexOf('/') + 1);
}
