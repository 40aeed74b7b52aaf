// Readers for the values of `.deepwork/config.yml`, besides those of `reader/fields.ts`. An
// invalid value is reported and counts as absent, so that one mistake does not disable the
// rest of the file.

import { shellSignsIn } from '../../core/command/shell-signs.ts';
import type { Path } from '../../core/issue.ts';
import { optional, type Read, text, wholeNumber } from '../../definitions/reader/fields.ts';
import type { Report } from '../../definitions/reader/issues.ts';
import { describeNode, type Node } from '../../definitions/source/node.ts';

const MAX_COUNT = 86_400;

/** An optional key; a key without a value counts as absent. */
export function setting<T>(read: Read<T | null>) {
  const ifGiven: Read<T | null> = (node, path, to) =>
    isNothing(node) ? null : read(node, path, to);
  return optional<T | null, null>(ifGiven, () => null);
}

export const command: Read<string | null> = (node, path, to) => {
  const { value } = text(node, path, to);
  if (value !== '' && value.trim() === '') {
    to.add('wrong_value', path, 'expected a command, found only spaces');
  }
  return value.trim() === '' ? null : value;
};

/** A command that is split into words and run without a shell. */
export const plainCommand: Read<string | null> = (node, path, to) => {
  const value = command(node, path, to);
  const problem = value === null ? null : shellSignsIn(value);
  if (problem !== null) to.add('shell_signs', path, problem);
  return value;
};

export function countUpTo(max: number): Read<number | null> {
  return wholeNumber(1, max, null);
}

export const count = countUpTo(MAX_COUNT);

/** One of a few words; `otherwise` replaces an invalid word. */
export function word<T extends string>(
  words: readonly T[],
  otherwise: T | null = null,
): Read<T | null> {
  return (node, path, to) => {
    // Some YAML parsers read a bare `off` as false; here it is the word.
    const off = node.kind === 'scalar' && node.value === false;
    const found = words.find((each) =>
      off ? each === 'off' : node.kind === 'scalar' && each === node.value,
    );
    if (found !== undefined) return found;
    to.add('wrong_value', path, `expected one of ${words.join(', ')}; found ${describeNode(node)}`);
    return otherwise;
  };
}

/** Reads a value, and whether it was valid. */
export function readChecked<T>(
  read: Read<T>,
  node: Node,
  path: Path,
  to: Report,
): { readonly value: T; readonly isValid: boolean } {
  let isValid = true;
  const value = read(node, path, {
    add: (...issue) => {
      isValid = false;
      to.add(...issue);
    },
    full: to.full,
  });
  return { value, isValid };
}

function isNothing(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}
