// Keeps a text on the screen up to date: it is redrawn in place when something changes, without
// polling. A slow timer refreshes what changes with time alone: how long ago something was, and
// whether processes still run. In a pipe, each new text is printed below the last.

import { firstSignal } from '../../environment/process/signals.ts';
import type { Io } from '../io.ts';

const TICK_MS = 10_000;
/** Used if the terminal does not report its height. */
const DEFAULT_ROWS = 24;

export interface WatchedText {
  draw(): Promise<string>;
  isSame(one: string, other: string): boolean;
  /** Calls back after each change; returns a function that stops it. */
  onChange(changed: () => void): () => void;
  readonly io: Io;
  /** Whether it is redrawn in place: on a terminal. */
  readonly isLive: boolean;
  /** The command that prints the whole text. */
  readonly command: string;
}

/** Resolves when the person ends it. */
export async function keepOnScreen(watched: WatchedText): Promise<number> {
  const { draw, isSame, onChange, io, isLive, command } = watched;
  let shown: string | null = null;
  let lines = 0;
  let again = false;
  let drawing = false;

  async function redraw(): Promise<void> {
    again = true;
    if (drawing) return;
    drawing = true;
    try {
      while (again) {
        again = false;
        const text = await draw();
        if (shown !== null && isSame(shown, text)) continue;
        show(text);
        shown = text;
      }
    } finally {
      drawing = false;
    }
  }

  function show(text: string): void {
    const body = text.trimEnd();
    if (!isLive) {
      io.stdout.write(`${body}\n`);
      return;
    }
    const fitting = cutToScreen(body.split('\n'), io.stdout.rows || DEFAULT_ROWS, command);
    // Moves to where the last text began and clears everything below.
    const back = lines === 0 ? '' : `\u001b[${lines}A`;
    io.stdout.write(`${back}\r\u001b[J${fitting.join('\n')}\n`);
    lines = fitting.length;
  }

  const stop = onChange(() => void redraw());
  await redraw();
  const tick = setInterval(() => void redraw(), TICK_MS);
  io.stdout.on('resize', () => {
    shown = null;
    void redraw();
  });
  await firstSignal(io.signals, 'SIGINT', 'SIGTERM', 'SIGHUP');
  clearInterval(tick);
  stop();
  return 0;
}

/** Text taller than the screen cannot be redrawn in place. */
function cutToScreen(lines: readonly string[], rows: number, command: string): string[] {
  const room = rows - 1;
  if (lines.length <= room) return [...lines];
  const left = lines.length - room + 1;
  return [...lines.slice(0, room - 1), `… ${left} more lines: ${command} shows them all`];
}
