// The state that all parts of the page share, and the hooks to use it.

import { createContext } from 'preact';
import { useContext, useEffect, useReducer } from 'preact/hooks';
import type { AnswerCache } from '../server/answer-cache.ts';
import type { Connection } from '../server/follow-events.ts';
import type { Drafts } from './drafts.ts';
import type { Answer, Resources } from './resources.ts';

export interface PageState {
  readonly resources: Resources;
  readonly cache: AnswerCache;
  readonly drafts: Drafts;
  readonly connection: Source<Connection>;
  /** The time, for relative times; updated every 20 seconds. */
  readonly clock: Source<number>;
  readonly workspace: Source<string | null>;
  isLeader(): boolean;
}

/** A value that changes, with subscribers. */
export interface Source<T> {
  get(): T;
  set(value: T): void;
  subscribe(changed: () => void): () => void;
}

export function openSource<T>(first: T): Source<T> {
  let value = first;
  const subscribers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const changed of subscribers) changed();
    },
    subscribe(changed) {
      subscribers.add(changed);
      return () => subscribers.delete(changed);
    },
  };
}

export const PageContext = createContext<PageState | null>(null);

export function usePage(): PageState {
  const state = useContext(PageContext);
  if (state === null) throw new Error('rendered outside the page');
  return state;
}

export function useSource<T>(source: Source<T>): T {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const shown = source.get();
  useEffect(() => {
    // It may have changed since it was rendered.
    if (!Object.is(source.get(), shown)) redraw(undefined);
    return source.subscribe(() => redraw(undefined));
  }, [source]);
  return shown;
}

const NOTHING: Answer<never> = { value: null, at: 0, problem: null };

/** The server's answer at a path, refreshed while it is shown; null: nothing is requested. */
export function useAnswer<T>(path: string | null): Answer<T> {
  const { resources } = usePage();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const shown = path === null ? NOTHING : resources.read<T>(path);
  useEffect(() => {
    if (path === null) return;
    // Another part of the page may have got the answer since this one was rendered.
    if (resources.read(path) !== shown) redraw(undefined);
    return resources.watch(path, () => redraw(undefined));
  }, [resources, path]);
  return shown;
}

export function useNow(): number {
  return useSource(usePage().clock);
}
