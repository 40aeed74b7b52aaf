// Which sessions have ended, so that a new process need not fold them to find out: an
// ended stream never changes again. And whose they were, so that a caller who lost the
// last answer finds it, however many others have ended since. It is a cache,
// `.deepwork/tmp/ended.json`; an entry counts only while the stream's version is the one
// it was made from.

import path from 'node:path';
import { agentKeyOf } from '../core/session/ownership.ts';
import type { Owner, Session } from '../core/session/state.ts';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'ended.json';
/** Some hundred thousand sessions; parsing more would hold up everyone else. */
const LIMIT = 16 * 1024 * 1024;
/**
 * Saving costs a write of the whole file; a few unsaved entries cost a few folds. The more
 * there are, the more must have come: the root of their number keeps both costs small.
 */
const WORTH_SAVING = 8;
/** Of one owner: calls that overlapped may have lost their answers together. */
const KEPT_OF_OWNER = 4;
/** Owners of one agent: every restart over stdio makes another. */
const KEPT_OF_AGENT = 64;
const TOLD_OF_AGENT = 8;

export interface EndedIndex {
  has(id: string, version: string): Promise<boolean>;
  add(version: string, session: Session): void;
  /** How many sessions of this owner have ended. */
  count(identity: string): Promise<number>;
  /** Ids of the sessions of this owner that ended last, newest first. */
  of(identity: string): Promise<readonly string[]>;
  /** The same for other owners that are the same agent, the latest first. */
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
  let loading: Promise<Map<string, Ended>> | undefined;
  const added = new Map<string, Ended>();
  const owners = openOwners();

  const loaded = () => {
    loading ??= readIndex(path.join(folder, FILE), views.check).then((index) => {
      for (const [id, ended] of index) owners.add(id, ended);
      return index;
    });
    return loading;
  };

  return {
    async has(id, version) {
      return (added.get(id) ?? (await loaded()).get(id))?.version === version;
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
      if (added.size < WORTH_SAVING) return;
      const index = await loaded();
      if (added.size ** 2 < index.size) return;
      for (const [id, ended] of added) index.set(id, ended);
      added.clear();
      await views.place(FILE, JSON.stringify([...index])).catch(() => {});
    },
  };
}

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
      const last = [...before, { id, nth }].sort((a, b) => b.nth - a.nth).slice(0, KEPT_OF_OWNER);
      byIdentity.set(identity, { owner, at, last });
      const key = agentKeyOf(owner);
      const known = byAgent.get(key) ?? new Set();
      known.delete(identity);
      byAgent.set(key, known.add(identity));
      const [oldest] = known;
      if (known.size > KEPT_OF_AGENT && oldest !== undefined) known.delete(oldest);
    },
    of: (identity: string) => byIdentity.get(identity)?.last ?? [],
    ofAgent(caller: Owner): EndedOf[] {
      const found: LastOfOwner[] = [];
      for (const identity of byAgent.get(agentKeyOf(caller)) ?? []) {
        const owner = byIdentity.get(identity);
        if (owner !== undefined && identity !== caller.identity) found.push(owner);
      }
      // Owners know nothing of each other, so only time can rank them. All of them are over,
      // and which one is asked first decides no more than which of two equal calls is repeated.
      return found
        .sort((a, b) => (a.at < b.at ? 1 : -1))
        .slice(0, TOLD_OF_AGENT)
        .map(({ owner, last }) => ({ owner, ids: last.map(({ id }) => id) }));
    },
  };
}

async function readIndex(file: string, check: () => void): Promise<Map<string, Ended>> {
  try {
    check();
    const index: unknown = JSON.parse(readSmallText(file, LIMIT) ?? '[]');
    return new Map((index as unknown[]).filter(isEntry));
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is [string, Ended] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const { version, owner, nth, at } = (entry[1] ?? {}) as Partial<Ended>;
  return (
    typeof version === 'string' &&
    typeof owner?.identity === 'string' &&
    typeof owner.process === 'string' &&
    typeof nth === 'number' &&
    typeof at === 'string'
  );
}
