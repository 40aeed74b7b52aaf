// The text of a file as it was read: positioned values, and what kept it from being read.
// YAML and JSON both become one.

import type { Fault, TextPosition } from '../../core/issue.ts';
import type { Node } from './node.ts';

export interface Source {
  /** Null when the text is empty, or too damaged to be looked at. */
  readonly root: Node | null;
  readonly faults: readonly SourceFault[];
  positionOf(offset: number): TextPosition;
}

export interface SourceFault extends Fault {
  /** Offset in the text. */
  readonly at: number;
}

/** Lists and maps inside one another, the outermost counted as 1. */
export const MAX_DEPTH = 64;

type Yaml = typeof import('yaml');

let loading: Promise<Yaml> | null = null;

/** Once: unwrapping the module again costs as much as parsing a small file. */
export function loadYaml(): Promise<Yaml> {
  loading ??= import('yaml');
  return loading;
}
