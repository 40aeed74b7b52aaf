// The messages that were loaded so far, newest first. New ones come in front, older pages behind;
// what comes twice counts as it came last, because a message is read later than it is sent.

import type { Message } from '../server/answers.ts';

export function mergeMessages(
  loaded: readonly Message[],
  page: readonly Message[],
): readonly Message[] {
  if (page.length === 0) return loaded;
  const oldest = loaded.at(-1);
  if (oldest === undefined || page.every(({ id }) => id < oldest.id)) {
    return [...loaded, ...newestFirst(page)];
  }
  const byId = new Map(loaded.map((message) => [message.id, message]));
  let changed = false;
  for (const message of page) {
    const before = byId.get(message.id);
    if (before !== undefined && before.read === message.read) continue;
    byId.set(message.id, message);
    changed = true;
  }
  if (!changed) return loaded;
  return newestFirst([...byId.values()]);
}

function newestFirst(messages: readonly Message[]): Message[] {
  return [...messages].sort((a, b) => b.id - a.id);
}

/** Whether messages are missing between what was loaded before and the newest page. */
export function hasGap(loaded: readonly Message[], page: readonly Message[]): boolean {
  const [newest] = loaded;
  const oldest = page.at(-1);
  if (newest === undefined || oldest === undefined) return false;
  return Math.min(oldest.id, page[0]?.id ?? oldest.id) > newest.id + 1;
}

export interface Conversation {
  /** Both names, in order. */
  readonly between: readonly [string, string];
  readonly count: number;
}

export function conversationsOf(messages: readonly Message[]): readonly Conversation[] {
  const counts = new Map<string, { between: readonly [string, string]; count: number }>();
  for (const { from, to } of messages) {
    const [a, b] = from < to ? [from, to] : [to, from];
    const key = `${a}\0${b}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { between: [a, b], count: 1 });
    else found.count += 1;
  }
  return [...counts.values()].sort((x, y) => y.count - x.count);
}

export function isBetween({ from, to }: Message, [a, b]: readonly [string, string]): boolean {
  return (from === a && to === b) || (from === b && to === a);
}
