// An index of ended sessions, so that a new process need not fold their streams to learn that they
// have ended: an ended stream never changes again. It also has their owners, so that a caller who
// lost the last answer finds it, however many other sessions have ended since; and when they ended,
// for read-only commands. It is a cache, `.deepwork/tmp/ended.log`, to which every process appends;
// an entry counts only while the stream has the version in the entry.
//
// A line is `id`, time, version, number and owner, separated by tabs. Each append begins a new
// line, so that a truncated one does not damage the next.

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { agentKeyOf } from '../core/session/ownership.ts';
import type { Owner, Session } from '../core/session/state.ts';
import { readSmallBytes, readSmallText, readTextEnd } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'ended.log';
/** About two hundred thousand sessions. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Per owner: overlapping calls may have lost their answers together. */
const MAX_PER_OWNER = 4;
/** Owners per agent: every restart over stdio creates another. */
const MAX_OWNERS = 64;
const MAX_REPORTED = 8;

export interface EndedIndex {
  has(id: string, version: string): Promise<boolean>;
  add(version: string, session: Session): void;
  /** How many sessions of this owner have ended. */
  count(identity: string): Promise<number>;
  /** Ids of this owner's sessions that ended last, newest first. */
  of(identity: string): Promise<readonly string[]>;
  /** The same for other owners that are the same agent, latest first. */
  ofAgent(caller: Owner): Promise<readonly EndedOf[]>;
  save(): Promise<void>;
}

interface EndedOf {
  readonly owner: Owner;
  readonly ids: readonly string[];
}

interface Ended {
  readonly version: string;
  readonly owner: Owner;
  readonly nth: number;
  readonly at: string;
}

export function openEndedIndex(folder: string, views: Views): EndedIndex {
  const file = path.join(folder, FILE);
  let loading: Promise<Loaded> | undefined;
  const added = new Map<string, Ended>();
  const owners = openOwners();

  const loaded = () => {
    loading ??= readIndex(file, views.check).then((index) => {
      for (const [id, ended] of index.entries) owners.add(id, ended);
      return index;
    });
    return loading;
  };

  return {
    async has(id, version) {
      return (added.get(id) ?? (await loaded()).entries.get(id))?.version === version;
    },
    add(version, { id, owner, ending, endedAt }) {
      const ended = { version, owner, nth: ending?.nth ?? 0, at: endedAt ?? '' };
      added.set(id, ended);
      owners.add(id, ended);
    },
    async count(identity) {
      await loaded();
      return owners.of(identity)[0]?.nth ?? 0;
    },
    async of(identity) {
      await loaded();
      return owners.of(identity).map(({ id }) => id);
    },
    async ofAgent(caller) {
      await loaded();
      return owners.ofAgent(caller);
    },
    async save() {
      if (added.size === 0) return;
      const index = await loaded();
      const fresh = [...added];
      added.clear();
      for (const [id, ended] of fresh) index.entries.set(id, ended);
      // In order of time, so that the last ones are at the end of the file.
      const lines = (index.needsRewrite ? [...index.entries] : fresh).sort(([, a], [, b]) =>
        a.at < b.at ? -1 : 1,
      );
      const text = `\n${lines.map(writeEntry).join('\n')}`;
      if (index.needsRewrite) await views.place(FILE, text).catch(() => {});
      else append(file, text, views.check);
      index.needsRewrite = false;
    },
  };
}

/** Removes the entries of these sessions, whose journal is gone. */
export async function forgetEnded(
  folder: string,
  views: Views,
  ids: ReadonlySet<string>,
): Promise<void> {
  const { entries } = await readIndex(path.join(folder, FILE), views.check);
  const left = [...entries].filter(([id]) => !ids.has(id));
  if (left.length === entries.size) return;
  await views.place(FILE, `\n${left.map(writeEntry).join('\n')}`);
}

export interface KnownEnded {
  readonly ids: ReadonlySet<string>;
  /** The sessions that ended last, newest first; more than wanted, because some may be gone. */
  readonly last: readonly string[];
}

/** For read-only commands, which read the journals of the sessions they show. */
export function readKnownEnded(folder: string, wanted: number): KnownEnded {
  // Only the beginning of each line is used here, which is plain ASCII.
  return knownIn(
    readSmallBytes(path.join(folder, FILE), MAX_BYTES)?.toString('latin1') ?? '',
    wanted,
  );
}

export interface EndedSince extends KnownEnded {
  /** When the newest session that ended before that time did; null if none is known. */
  readonly before: string | null;
}

/** All that is known; `last` are those that ended at this time or later. Null: there is no index. */
export function readEndedSince(folder: string, since: string): EndedSince | null {
  const bytes = readSmallBytes(path.join(folder, FILE), MAX_BYTES);
  if (bytes === null) return null;
  const ids = new Set<string>();
  const last: string[] = [];
  let before: string | null = null;
  for (const { id, at } of newestFirst(bytes.toString('latin1'))) {
    if (ids.has(id)) continue;
    ids.add(id);
    // Lines are not strictly in order: what another machine ended is added when it is found.
    if (at >= since) last.push(id);
    else if (before === null || at > before) before = at;
  }
  return { ids, last, before };
}

/** Several hundred lines. */
const TAIL_BYTES = 64 * 1024;

/** Those that ended last, from the end of the file alone; null if there is no such file. */
export function readEndedLast(folder: string, wanted: number): KnownEnded | null {
  const text = readTextEnd(path.join(folder, FILE), TAIL_BYTES);
  return text === null ? null : knownIn(text, wanted);
}

function knownIn(text: string, wanted: number): KnownEnded {
  const ids = new Set<string>();
  const last: EndedAt[] = [];
  for (const ended of newestFirst(text)) {
    const before = ids.size;
    if (ids.add(ended.id).size === before) continue;
    const least = last.length < 2 * wanted ? '' : (last.at(-1)?.at ?? '');
    if (ended.at <= least) continue;
    last.push(ended);
    last.sort((one, other) => (one.at < other.at ? 1 : -1));
    last.length = Math.min(last.length, 2 * wanted);
  }
  return { ids, last: last.map(({ id }) => id) };
}

interface EndedAt {
  readonly id: string;
  readonly at: string;
}

/** From the end of the index, where the newest are; most of the rest is older. */
function* newestFirst(text: string): Generator<EndedAt> {
  for (let end = text.length; end > 0; ) {
    const from = text.lastIndexOf('\n', end - 1) + 1;
    end = from - 1;
    const timeAt = from + ID_LENGTH + 1;
    if (text[timeAt - 1] !== '\t' || text[timeAt + TIME_LENGTH] !== '\t') continue;
    yield {
      id: text.slice(from, from + ID_LENGTH),
      at: text.slice(timeAt, timeAt + TIME_LENGTH),
    };
  }
}

const ID_LENGTH = 8;
const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

interface Last {
  readonly id: string;
  readonly nth: number;
}

interface LastOfOwner {
  readonly owner: Owner;
  readonly at: string;
  readonly last: readonly Last[];
}

/** The last few of each owner, and the last few owners of each agent. */
function openOwners() {
  const byIdentity = new Map<string, LastOfOwner>();
  const byAgent = new Map<string, Set<string>>();

  return {
    add(id: string, { owner, nth, at }: Ended): void {
      const { identity } = owner;
      const before = byIdentity.get(identity)?.last.filter((each) => each.id !== id) ?? [];
      const last = [...before, { id, nth }].sort((a, b) => b.nth - a.nth).slice(0, MAX_PER_OWNER);
      byIdentity.set(identity, { owner, at, last });
      const key = agentKeyOf(owner);
      const known = byAgent.get(key) ?? new Set();
      known.delete(identity);
      byAgent.set(key, known.add(identity));
      const [oldest] = known;
      if (known.size > MAX_OWNERS && oldest !== undefined) known.delete(oldest);
    },
    of: (identity: string) => byIdentity.get(identity)?.last ?? [],
    ofAgent(caller: Owner): EndedOf[] {
      const found: LastOfOwner[] = [];
      for (const identity of byAgent.get(agentKeyOf(caller)) ?? []) {
        const owner = byIdentity.get(identity);
        if (owner !== undefined && identity !== caller.identity) found.push(owner);
      }
      // Owners are independent, so only time can rank them. All have ended, and their order
      // only decides which of two equal calls is answered again.
      return found
        .sort((a, b) => (a.at < b.at ? 1 : -1))
        .slice(0, MAX_REPORTED)
        .map(({ owner, last }) => ({ owner, ids: last.map(({ id }) => id) }));
    },
  };
}

interface Loaded {
  readonly entries: Map<string, Ended>;
  /** More than half of it is outdated, or it is too large. */
  needsRewrite: boolean;
}

const MIN_OUTDATED = 100;

async function readIndex(file: string, check: () => void): Promise<Loaded> {
  const entries = new Map<string, Ended>();
  try {
    check();
  } catch {
    return { entries, needsRewrite: false };
  }
  const text = readSmallText(file, MAX_BYTES);
  const lines = (text ?? '').split('\n').filter((line) => line !== '');
  const owners = new Map<string, Owner | null>();
  for (const line of lines) {
    if (sliceIsOver()) await nextSlice();
    const entry = readEntry(line, owners);
    if (entry !== null) entries.set(...entry);
  }
  const needsRewrite = text === null || lines.length > 2 * entries.size + MIN_OUTDATED;
  return { entries, needsRewrite };
}

function writeEntry([id, { at, version, nth, owner }]: readonly [string, Ended]): string {
  return [id, at, version, nth, JSON.stringify(owner)].join('\t');
}

/** `owners` caches parsed owners: most lines have one of a few. */
function readEntry(line: string, owners: Map<string, Owner | null>): [string, Ended] | null {
  const [id, at, version, nth, written] = line.split('\t');
  if (id === undefined || at === undefined || version === undefined || written === undefined)
    return null;
  const owner = owners.get(written) ?? readOwner(written);
  owners.set(written, owner);
  if (owner === null || !/^\d+$/.test(nth ?? '')) return null;
  return [id, { version, owner, nth: Number(nth), at }];
}

function readOwner(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Partial<Owner> | null;
    const isOwner = typeof owner?.identity === 'string' && typeof owner.process === 'string';
    return isOwner ? (owner as Owner) : null;
  } catch {
    return null;
  }
}

const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Best effort: a missing entry is found in the journal. */
function append(file: string, text: string, check: () => void): void {
  try {
    check();
    const handle = openSync(file, APPEND, 0o600);
    try {
      writeSync(handle, text);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The folder may have been deleted, which is allowed at any time.
  }
}
