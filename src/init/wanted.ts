// What init would like to have in a project, file by file; `plan.ts` decides what that
// changes.

import type { JsonEntry } from './json-entries.ts';
import type { TomlTable } from './toml-section.ts';

interface WantedFile {
  /** Below the project, with slashes. */
  readonly path: string;
  /** For whom, as a heading: `Claude Code`. */
  readonly group: string;
}

export interface WantedJson extends WantedFile {
  readonly kind: 'json';
  readonly entries: readonly JsonEntry[];
  /** What a file that has to be made begins with. */
  readonly whenNew?: readonly JsonEntry[];
}

export interface WantedToml extends WantedFile {
  readonly kind: 'toml';
  readonly table: TomlTable;
}

/** A file of its own; one that is there and was not made by init is left as it is. */
export interface WantedWhole extends WantedFile {
  readonly kind: 'whole';
  readonly text: string;
}

export type Wanted = WantedJson | WantedToml | WantedWhole;
