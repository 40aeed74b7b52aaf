// The messages of a team: the newest page is refreshed, older ones are fetched when they are reached.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { PATHS, type TeamMessage, type TeamPage } from '../server/answers.ts';
import { fetchText } from '../server/api.ts';
import { hasGap, mergeMessages } from './merge-messages.ts';

const PAGE_SIZE = 200;
export const NEWEST_PAGE = PATHS.team(null, PAGE_SIZE);

export interface Messages {
  readonly messages: readonly TeamMessage[];
  /** There are older ones to load. */
  readonly hasOlder: boolean;
  loadOlder(): void;
}

export function useMessages(newest: TeamPage | null): Messages {
  const [messages, setMessages] = useState<readonly TeamMessage[]>([]);
  const [hasOlder, setHasOlder] = useState(false);
  const loading = useRef(false);

  useEffect(() => {
    if (newest === null) return;
    const page = newest.messages;
    setMessages((loaded) => {
      // With a gap, start again from the newest page; the older ones are loaded again.
      const isRestart = loaded.length === 0 || hasGap(loaded, page);
      if (isRestart) setHasOlder(page.length >= PAGE_SIZE);
      return mergeMessages(isRestart ? [] : loaded, page);
    });
  }, [newest]);

  const oldest = messages.at(-1)?.id ?? null;
  const loadOlder = useCallback(() => {
    if (loading.current || !hasOlder || oldest === null) return;
    loading.current = true;
    fetchText(PATHS.team(oldest, PAGE_SIZE))
      .then((text) => {
        const page = (JSON.parse(text) as TeamPage).messages;
        setMessages((loaded) => mergeMessages(loaded, page));
        setHasOlder(page.length >= PAGE_SIZE);
      })
      // The next scroll tries again.
      .catch(() => {})
      .finally(() => {
        loading.current = false;
      });
  }, [hasOlder, oldest]);

  return { messages, hasOlder, loadOlder };
}
