// The server's answers by path, shared by all parts of the page that show them. After a hint that
// something changed, the answers that are shown are requested again; an equal answer is not rendered
// again. While the server is away, the cached answer is shown, with its age.

import type { AnswerCache } from '../server/answer-cache.ts';
import { fetchText, type Problem, problemOf } from '../server/api.ts';

export interface Answer<T> {
  /** Null until there is one. */
  readonly value: T | null;
  /** When the server sent it. */
  readonly at: number;
  /** Why the last request failed; `value` is then the answer before. */
  readonly problem: Problem | null;
}

export interface Resources {
  read<T>(path: string): Answer<T>;
  /** Requests it, and again whenever it may have changed, until the returned function is called. */
  watch(path: string, changed: () => void): () => void;
  /** Requests again what is shown and concerned. */
  refresh(concerns: (path: string) => boolean): void;
}

/** Between two requests of a path; also at least three times as long as the last one took. */
const MIN_PAUSE_MS = 250;
const MAX_UNWATCHED = 50;

const NONE: Answer<never> = { value: null, at: 0, problem: null };

interface Entry {
  answer: Answer<unknown>;
  text: string | null;
  readonly watchers: Set<() => void>;
  asking: boolean;
  /** Something changed while it was being requested. */
  again: boolean;
  notBefore: number;
}

export function openResources(cache: AnswerCache, fetchPath = fetchText): Resources {
  const entries = new Map<string, Entry>();

  function entryOf(path: string): Entry {
    const found = entries.get(path);
    if (found !== undefined) return found;
    const answer: Answer<unknown> = NONE;
    const entry: Entry = {
      answer,
      text: null,
      asking: false,
      again: false,
      notBefore: 0,
      watchers: new Set<() => void>(),
    };
    entries.set(path, entry);
    return entry;
  }

  function setAnswer(entry: Entry, answer: Answer<unknown>): void {
    entry.answer = answer;
    for (const changed of entry.watchers) changed();
  }

  async function ask(path: string, entry: Entry): Promise<void> {
    if (entry.asking) {
      entry.again = true;
      return;
    }
    entry.asking = true;
    const wait = entry.notBefore - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    entry.again = false;
    const begun = Date.now();
    try {
      const text = await fetchPath(path);
      if (isEqual(path, text, entry.text) && entry.answer.problem === null) {
        entry.answer = { ...entry.answer, at: Date.now() };
      } else {
        entry.text = text;
        setAnswer(entry, { value: JSON.parse(text), at: Date.now(), problem: null });
        cache.put(path, text);
      }
    } catch (error) {
      await fail(path, entry, problemOf(error));
    }
    const took = Date.now() - begun;
    entry.notBefore = Date.now() + Math.max(MIN_PAUSE_MS, 3 * took);
    entry.asking = false;
    if (entry.again && entry.watchers.size > 0) void ask(path, entry);
  }

  async function fail(path: string, entry: Entry, problem: Problem): Promise<void> {
    const before = entry.answer;
    if (before.value !== null || problem.status !== 0) {
      // What the server refuses now is no longer shown.
      const value = problem.status === 404 || problem.status === 401 ? null : before.value;
      setAnswer(entry, { value, at: before.at, problem });
      return;
    }
    const cached = await cache.get(path);
    const value = cached === null ? null : (JSON.parse(cached.text) as unknown);
    setAnswer(entry, { value, at: cached?.at ?? 0, problem });
  }

  function dropUnwatched(): void {
    const unwatched = [...entries].filter(([, { watchers }]) => watchers.size === 0);
    for (const [path] of unwatched.slice(0, -MAX_UNWATCHED)) entries.delete(path);
  }

  return {
    read<T>(path: string) {
      return (entries.get(path)?.answer ?? NONE) as Answer<T>;
    },
    watch(path, changed) {
      const entry = entryOf(path);
      entry.watchers.add(changed);
      if (entry.watchers.size === 1) void ask(path, entry);
      return () => {
        entry.watchers.delete(changed);
        dropUnwatched();
      };
    },
    refresh(concerns) {
      for (const [path, entry] of entries) {
        if (entry.watchers.size > 0 && concerns(path)) void ask(path, entry);
      }
    },
  };
}

/** A board also contains the time of the request, which does not count. */
function isEqual(path: string, text: string, before: string | null): boolean {
  if (before === null || !path.startsWith('/api/board')) return text === before;
  const withoutTime = (board: string) => board.replace(/"at":"[^"]*"/, '');
  return withoutTime(text) === withoutTime(before);
}
