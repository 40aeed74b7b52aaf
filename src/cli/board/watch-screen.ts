// Keeps a text on the screen up to date: drawn again in place when something changes, which is
// watched for and not polled. A slow tick renews what only time changes: how long ago something
// was, and whether processes still run. Into a pipe, each new text is printed below the last.

const TICK_MS = 10_000;

export interface Drawn {
  draw(): Promise<string>;
  isSame(one: string, other: string): boolean;
  /** Calls back after each change; returns how to stop that. */
  onChange(changed: () => void): () => void;
  /** On a terminal. */
  readonly isLive: boolean;
}

/** Resolves when the person ends it. */
export async function keepOnScreen({ draw, isSame, onChange, isLive }: Drawn): Promise<number> {
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
      process.stdout.write(`${body}\n`);
      return;
    }
    const fitting = cutToScreen(body.split('\n'), process.stdout.rows ?? 24);
    // Up to where the last one began, and everything below is cleared.
    const back = lines === 0 ? '' : `\u001b[${lines}A`;
    process.stdout.write(`${back}\r\u001b[J${fitting.join('\n')}\n`);
    lines = fitting.length;
  }

  const stop = onChange(() => void redraw());
  await redraw();
  const tick = setInterval(() => void redraw(), TICK_MS);
  process.stdout.on('resize', () => {
    shown = null;
    void redraw();
  });
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  clearInterval(tick);
  stop();
  return 0;
}

/** A text that is higher than the screen could not be drawn over. */
function cutToScreen(lines: readonly string[], rows: number): string[] {
  const room = rows - 1;
  if (lines.length <= room) return [...lines];
  const left = lines.length - room + 1;
  return [...lines.slice(0, room - 1), `… ${left} more: deepwork status shows them all`];
}
