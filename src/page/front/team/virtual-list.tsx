// A long list of which only the visible part is rendered. Heights are estimated until a row was
// rendered once, then measured. When rows are added above, what is being read stays in its place.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { offsetsOf, rowAt } from './row-offsets.ts';

export interface VirtualListProps<T> {
  readonly rows: readonly T[];
  readonly label: string;
  keyOf(row: T): number;
  draw(row: T): ComponentChildren;
  /** The end is near. */
  onEnd(): void;
}

const ESTIMATED_HEIGHT_PX = 58;
/** Rendered above and below the visible part. */
const MARGIN_PX = 400;

export function VirtualList<T>({ rows, label, keyOf, draw, onEnd }: VirtualListProps<T>) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const place = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Map<number, number>(), []);
  /** The row at the top edge and how far it is scrolled out. */
  const anchor = useRef<{ key: number; into: number } | null>(null);
  const offsets = offsetsOf(rows, (row) => heights.get(keyOf(row)) ?? ESTIMATED_HEIGHT_PX);
  const total = offsets[rows.length] ?? 0;

  const top = place.current?.scrollTop ?? 0;
  const height = place.current?.clientHeight ?? 600;
  const first = rowAt(offsets, top - MARGIN_PX);
  const last = Math.min(rows.length, rowAt(offsets, top + height + MARGIN_PX) + 1);

  useLayoutEffect(() => {
    const list = place.current;
    if (list === null) return;
    let changed = false;
    for (const row of list.querySelectorAll<HTMLElement>('[data-key]')) {
      const key = Number(row.dataset.key);
      const measured = row.offsetHeight;
      if (measured > 0 && heights.get(key) !== measured) {
        heights.set(key, measured);
        changed = true;
      }
    }
    if (changed) redraw(undefined);
  });

  // Rows above may have been added or measured: the row at the top edge stays there.
  useLayoutEffect(() => {
    const list = place.current;
    if (list === null || anchor.current === null || list.scrollTop === 0) return;
    const { key, into } = anchor.current;
    const index = rows.findIndex((row) => keyOf(row) === key);
    if (index === -1) return;
    const wanted = (offsets[index] ?? 0) + into;
    if (Math.abs(wanted - list.scrollTop) >= 1) list.scrollTop = wanted;
  });

  const scrolled = () => {
    const list = place.current;
    if (list === null) return;
    const index = rowAt(offsets, list.scrollTop);
    const row = rows[index];
    anchor.current =
      row === undefined ? null : { key: keyOf(row), into: list.scrollTop - (offsets[index] ?? 0) };
    if (list.scrollTop + list.clientHeight > total - 2 * MARGIN_PX) onEnd();
    redraw(undefined);
  };

  return (
    <div
      ref={place}
      class="virtual"
      role="feed"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
      tabIndex={0}
      onScroll={scrolled}
    >
      <div class="virtual-space" style={{ height: `${total}px` }}>
        <div class="virtual-rows" style={{ transform: `translateY(${offsets[first] ?? 0}px)` }}>
          {rows.slice(first, last).map((row, index) => (
            <article
              key={keyOf(row)}
              data-key={keyOf(row)}
              aria-posinset={first + index + 1}
              aria-setsize={rows.length}
            >
              {draw(row)}
            </article>
          ))}
        </div>
      </div>
    </div>
  );
}
