// Commands on a terminal: one in the test's own process that believes that it prints on one, and one
// in a process of its own that asks and is answered.

import { deepworkOnTerminal } from '../support/terminal.ts';
import type { Page } from './page.ts';
import type { Stage } from './stage.ts';

/** What a person sees who types these answers, each after something that is seen first. */
export async function dialogue(
  page: Page,
  stage: Stage,
  args: readonly string[],
  lines: readonly (readonly [seen: string, typed: string])[],
): Promise<void> {
  const env = { ...stage.env, NO_COLOR: '1' };
  const terminal = deepworkOnTerminal(args, { cwd: stage.root, env, rows: 40 });
  for (const [seen, typed] of lines) {
    await terminal.sees(seen);
    terminal.type(typed);
  }
  const code = await terminal.ended;
  page.text(`$ deepwork ${args.join(' ')}   (a person types)`);
  page.text(
    terminal
      .screen()
      .replaceAll('\r', '')
      .replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''),
  );
  page.text(`[exit code ${code}]\n\n`);
}

export async function onTerminal<T>(columns: number, run: () => Promise<T>): Promise<T> {
  const streams = [process.stdout, process.stderr];
  const before = streams.map((stream) =>
    ['isTTY', 'columns'].map((name) => ({
      stream,
      name,
      descriptor: Object.getOwnPropertyDescriptor(stream, name),
    })),
  );
  for (const stream of streams) {
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true, writable: true });
    Object.defineProperty(stream, 'columns', {
      value: columns,
      configurable: true,
      writable: true,
    });
  }
  try {
    return await run();
  } finally {
    for (const { stream, name, descriptor } of before.flat()) {
      Reflect.deleteProperty(stream, name);
      if (descriptor !== undefined) Object.defineProperty(stream, name, descriptor);
    }
  }
}
