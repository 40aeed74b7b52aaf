// The messages of a team: the newest page is kept fresh, older ones are fetched when they are
// reached.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Message, PATHS, type TeamPage } from '../server/answers.ts';
import { fetchText } from '../server/api.ts';
import { hasGap, mergeMessages } from './merge-messages.ts';

const PAGE = 200;
export const NEWEST_PAGE = PATHS.team(null, PAGE);

export interface Messages {
  readonly messages: readonly Message[];
  /** There are older ones than those. */
  readonly hasOlder: boolean;
  loadOlder(): void;
}

export function useMessages(newest: TeamPage | null): Messages {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [hasOlder, setHasOlder] = useState(false);
  const loading = useRef(false);

  useEffect(() => {
    if (newest === null) return;
    const page = newest.messages;
    setMessages((loaded) => {
      // So much came at once that pages in between are missing: begin anew, older ones follow.
      const isAnew = loaded.length === 0 || hasGap(loaded, page);
      if (isAnew) setHasOlder(page.length >= PAGE);
      return mergeMessages(isAnew ? [] : loaded, page);
    });
  }, [newest]);

  const oldest = messages.at(-1)?.id ?? null;
  const loadOlder = useCallback(() => {
    if (loading.current || !hasOlder || oldest === null) return;
    loading.current = true;
    fetchText(PATHS.team(oldest, PAGE))
      .then((text) => {
        const page = (JSON.parse(text) as TeamPage).messages;
        setMessages((loaded) => mergeMessages(loaded, page));
        setHasOlder(page.length >= PAGE);
      })
      // The next scroll tries again.
      .catch(() => {})
      .finally(() => {
        loading.current = false;
      });
  }, [hasOlder, oldest]);

  return { messages, hasOlder, loadOlder };
}
