// Merges loaded messages, newest first. New ones are added in front, older pages at the end; of a
// message that was loaded twice the last version counts, because it is read after it is sent.

import type { TeamMessage } from '../server/answers.ts';

export function mergeMessages(
  loaded: readonly TeamMessage[],
  page: readonly TeamMessage[],
): readonly TeamMessage[] {
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

function newestFirst(messages: readonly TeamMessage[]): TeamMessage[] {
  return [...messages].sort((a, b) => b.id - a.id);
}

/** Whether messages are missing between the loaded ones and the newest page. */
export function hasGap(loaded: readonly TeamMessage[], page: readonly TeamMessage[]): boolean {
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

export function conversationsOf(messages: readonly TeamMessage[]): readonly Conversation[] {
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

export function isBetween({ from, to }: TeamMessage, [a, b]: readonly [string, string]): boolean {
  return (from === a && to === b) || (from === b && to === a);
}
