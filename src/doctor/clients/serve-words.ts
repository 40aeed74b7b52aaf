// Which arguments of `deepwork serve` in a client's file doctor uses. A project's file may choose the
// agent and the tools; it may not open the server to the network, trust the project, or point it at
// another folder.

import path from 'node:path';
import { parseArgs } from 'node:util';
import { realPathOf } from '../../files/real-path.ts';

export type ServeWords =
  | { readonly kind: 'plain'; readonly args: readonly string[] }
  /** Completes a sentence that begins with the command. */
  | { readonly kind: 'refused'; readonly why: string };

const OPTIONS = {
  path: { type: 'string' },
  agent: { type: 'string' },
  tools: { type: 'string' },
} as const;

/** `words` begins with the command. */
export function readServeWords(words: readonly string[], root: string): ServeWords {
  const [command, ...given] = words;
  if (command !== 'serve') return refused('does not serve');
  const { values, tokens } = parseArgs({
    args: [...given],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name)) {
      return refused(`has ${token.rawName}, which doctor does not try`);
    }
    if (token.kind === 'option' && !isValue(token.value)) {
      return refused(`has ${token.rawName} without a value`);
    }
    if (token.kind === 'positional') return refused(`has '${token.value}', which serve ignores`);
  }
  const { path: place = '.', agent, tools } = values;
  if (realPathOf(path.resolve(root, String(place))) !== realPathOf(root)) {
    return refused(`has --path ${place}, which is another folder`);
  }
  return {
    kind: 'plain',
    args: [
      'serve',
      `--path=${root}`,
      ...(agent === undefined ? [] : [`--agent=${agent}`]),
      ...(tools === undefined ? [] : [`--tools=${tools}`]),
    ],
  };
}

function isValue(given: string | undefined): boolean {
  return given !== undefined && !given.startsWith('-');
}

function refused(why: string): ServeWords {
  return { kind: 'refused', why };
}
