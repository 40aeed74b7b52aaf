// The result of reading a YAML or JSON file: values with positions, and the faults that prevent
// reading it.

import type { Fault, TextPosition } from '../../core/issue.ts';
import type { Node } from './node.ts';

export interface Source {
  /** Null if the text is empty or cannot be parsed. */
  readonly root: Node | null;
  readonly faults: readonly SourceFault[];
  positionOf(offset: number): TextPosition;
}

export interface SourceFault extends Fault {
  /** Offset in the text. */
  readonly at: number;
}

/** Nesting of lists and maps, the outermost counted as 1. */
export const MAX_DEPTH = 64;

type Yaml = typeof import('yaml');

let loading: Promise<Yaml> | null = null;

/** Cached, because each `import()` costs as much as parsing a small file. */
export function loadYaml(): Promise<Yaml> {
  loading ??= import('yaml');
  return loading;
}
