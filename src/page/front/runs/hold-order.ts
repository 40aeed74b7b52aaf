// Keeps the order of a list while someone points at it or moves through it by keyboard, so that no
// row moves away under the pointer. A pointer that only rests there does not hold it for long,
// because the page is open all day.

import { useEffect, useReducer, useRef } from 'preact/hooks';

const HOLD_MS = 10_000;

export interface Held<T> {
  readonly shown: T;
  /** The order has changed meanwhile. */
  readonly isOld: boolean;
  update(): void;
  readonly handlers: {
    onPointerMove(): void;
    onPointerLeave(): void;
    onKeyDown(): void;
  };
}

export function useHeld<T>(next: T, same: (a: T, b: T) => boolean): Held<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const held = useRef({ until: 0, shown: next });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const release = () => {
    clearTimeout(timer.current);
    held.current.until = 0;
    redraw(undefined);
  };
  const hold = () => {
    held.current.until = performance.now() + HOLD_MS;
    clearTimeout(timer.current);
    timer.current = setTimeout(release, HOLD_MS);
  };

  const isSame = same(held.current.shown, next);
  if (isSame || performance.now() >= held.current.until) held.current.shown = next;
  const isOld = !isSame && held.current.shown !== next;
  return {
    shown: held.current.shown,
    isOld,
    update: release,
    handlers: { onPointerMove: hold, onPointerLeave: release, onKeyDown: hold },
  };
}
