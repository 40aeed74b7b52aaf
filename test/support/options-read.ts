// The options that each command really reads, from where it reads them.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ReadFlag {
  readonly name: string;
  /** It takes no value. */
  readonly isAlone: boolean;
}

/** A launch passes it to the server that it starts; not for people. */
const NOT_FOR_PEOPLE = ['--help', '--launched-after'];
/** Reads the command line of several commands. */
const STEER = 'steer/steer-run.ts';

/** By command; without `--help`, which all have. */
export function optionsRead(): ReadonlyMap<string, readonly ReadFlag[]> {
  const cli = fileURLToPath(new URL('../../src/cli', import.meta.url));
  const found = new Map<string, readonly ReadFlag[]>();
  const textOf = (file: string) => readFileSync(path.join(cli, file), 'utf8');
  for (const file of readdirSync(cli, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = textOf(file);
    const [, own] = /read(?:Options|Words)\('(\w+)', /.exec(text) ?? [];
    const [, steered] = /\bsteer\('(\w+)', argv/.exec(text) ?? [];
    if (own !== undefined) found.set(own, flagsIn(text));
    if (steered !== undefined) found.set(steered, flagsIn(textOf(STEER)));
  }
  return found;
}

function flagsIn(text: string): ReadFlag[] {
  const [, options = ''] = /read(?:Options|Words)\([^{]*\{\n(.*?)^ {2}\}\);/ms.exec(text) ?? [];
  return [...options.matchAll(/^ {4}'?([\w-]+)'?: \{ type: '(\w+)'/gm)]
    .map(([, name, type]) => ({ name: `--${name}`, isAlone: type === 'boolean' }))
    .filter(({ name }) => !NOT_FOR_PEOPLE.includes(name));
}
