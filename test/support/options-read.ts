// The options that each command reads, for the commands that read a line of their own.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_OPTIONS, type CommandName } from '../../src/cli/options.ts';

export interface ReadFlag {
  readonly name: string;
  /** It takes no value. */
  readonly isAlone: boolean;
}

/** By command; without `--help`, which all have, and without what is not for people. */
export function optionsRead(): ReadonlyMap<string, readonly ReadFlag[]> {
  const cli = fileURLToPath(new URL('../../src/cli', import.meta.url));
  const found = new Map<string, readonly ReadFlag[]>();
  for (const file of readdirSync(cli, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = readFileSync(path.join(cli, file), 'utf8');
    const [, own] = /\bread(?:Options|CommandLine)\(io, '(\w+)', /.exec(text) ?? [];
    const [, steered] = /\bsteer\(io, '(\w+)', argv/.exec(text) ?? [];
    const name = own ?? steered;
    if (name !== undefined) found.set(name, flagsOf(name as CommandName));
  }
  return found;
}

function flagsOf(command: CommandName): ReadFlag[] {
  return Object.entries(COMMAND_OPTIONS[command])
    .map(([name, { type }]) => ({ name: `--${name}`, isAlone: type === 'boolean' }))
    .filter(({ name }) => name !== '--launched-after');
}
