// A command in a process of its own, on a terminal where it asks and is answered.

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
