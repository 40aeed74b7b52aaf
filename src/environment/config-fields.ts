// Readers for the values of `.deepwork/config.yml`, beside those of `read-fields.ts`. A value
// that does not fit is reported and counts as not given, so that one mistake does not put
// the rest of the file out of force.

import { shellSignsIn } from '../core/command/shell-signs.ts';
import { optional, type Read, text } from '../definitions/read-fields.ts';
import { describeNode, type Node } from '../definitions/yaml-node.ts';

const MAX_COUNT = 86_400;

/** A key that may be left out; with nothing behind its colon it counts as left out. */
export function setting<T>(read: Read<T | null>) {
  const ifGiven: Read<T | null> = (node, path, to) =>
    isNothing(node) ? null : read(node, path, to);
  return optional<T | null, null>(ifGiven, () => null);
}

export const command: Read<string | null> = (node, path, to) => {
  const { value } = text(node, path, to);
  if (value !== '' && value.trim() === '')
    to.add(path, node.at, 'expected a command, found blanks');
  return value.trim() === '' ? null : value;
};

/** A command that is split into words and run as it is. */
export const plainCommand: Read<string | null> = (node, path, to) => {
  const value = command(node, path, to);
  const odd = value === null ? null : shellSignsIn(value);
  if (odd !== null) to.warn?.(path, node.at, odd);
  return value;
};

export const count: Read<number | null> = (node, path, to) => {
  const value = node.kind === 'scalar' ? node.value : null;
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_COUNT) {
    return value as number;
  }
  const wanted = `expected a whole number from 1 to ${MAX_COUNT}`;
  to.add(path, node.at, `${wanted}, found ${describeNode(node)}`);
  return null;
};

/** One of a few words; `otherwise` is what holds in place of a word that is none of them. */
export function word<T extends string>(
  words: readonly T[],
  otherwise: T | null = null,
): Read<T | null> {
  return (node, path, to) => {
    // A bare `off` is false to some readers of YAML; here it means the same.
    const off = node.kind === 'scalar' && node.value === false;
    const found = words.find((each) =>
      off ? each === 'off' : node.kind === 'scalar' && each === node.value,
    );
    if (found !== undefined) return found;
    to.add(path, node.at, `expected one of ${words.join(', ')}; found ${describeNode(node)}`);
    return otherwise;
  };
}

/** For keys that other tools keep in the same file. */
export const leftAlone: Read<null> = () => null;

function isNothing(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}
