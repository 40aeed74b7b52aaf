// deepwork completion: prints a script with which a shell completes commands, flags and values.

import { loadBundle } from '../bundles/load-bundle.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { bashScript } from './completion/bash.ts';
import { SHELLS, type Shell, typedCommands } from './completion/commands.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import { COMPLETION_HELP, HELP } from './help.ts';
import type { Io } from './io.ts';

export async function completion(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'completion', argv, COMPLETION_HELP);
  if (line === null) return 0;
  const { positionals } = line;
  const shell = SHELLS.find((each) => each === positionals[0]);
  if (shell === undefined || positionals.length > 1) {
    const given =
      positionals.length === 0
        ? 'no shell was given'
        : `'${positionals.join(' ')}' is not supported`;
    throw new UsageError(`${given}. Use one of: ${SHELLS.join(', ')}`);
  }
  io.stdout.write(scriptFor(shell));
  return 0;
}

function scriptFor(shell: Shell): string {
  const commands = typedCommands(loadBundle('engine').operations.map(({ name }) => name));
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands, aboutCommands());
  }
}

/** The description of each command, from the help. */
function aboutCommands(): ReadonlyMap<string, string> {
  const found = HELP.matchAll(/^ {2}([a-z]+) {2,}(\S.*)$/gm);
  return new Map([...found].map(([, name = '', about = '']) => [name, about]));
}
