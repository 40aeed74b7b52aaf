// A session's history: a linked list, newest first, so that adding an item costs the same at the
// ten-thousandth event as at the first. It is truncated now and then; the journal keeps all.

export interface HistoryItem {
  readonly at: string;
  readonly step_id: string | null;
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface History {
  readonly item: HistoryItem;
  readonly earlier: History | null;
  readonly length: number;
}

export const MAX_HISTORY_ITEMS = 500;

export function remember(history: History | null, items: readonly HistoryItem[]): History | null {
  let chain = history;
  for (const item of items) chain = { item, earlier: chain, length: (chain?.length ?? 0) + 1 };
  if (chain === null || chain.length <= 2 * MAX_HISTORY_ITEMS) return chain;
  return remember(null, historyItems(chain));
}

/** The newest items that are kept, oldest first. */
export function historyItems(history: History | null): HistoryItem[] {
  const items: HistoryItem[] = [];
  for (let at = history; at !== null && items.length < MAX_HISTORY_ITEMS; at = at.earlier) {
    items.push(at.item);
  }
  return items.reverse();
}
