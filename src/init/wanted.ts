// What init wants in a project, file by file; `plan.ts` decides what that changes.

import type { JsonEntry } from './json-entries.ts';
import type { TomlTable } from './toml-section.ts';

interface WantedFile {
  /** Below the project, with slashes. */
  readonly path: string;
  /** The heading under which it is shown: `Claude Code`. */
  readonly group: string;
}

export interface WantedJson extends WantedFile {
  readonly kind: 'json';
  readonly entries: readonly JsonEntry[];
  /** The first entries of a file that has to be created. */
  readonly whenNew?: readonly JsonEntry[];
}

export interface WantedToml extends WantedFile {
  readonly kind: 'toml';
  readonly table: TomlTable;
}

/** A whole file; one that exists and was not created by init stays as it is. */
export interface WantedWhole extends WantedFile {
  readonly kind: 'whole';
  readonly text: string;
}

export type Wanted = WantedJson | WantedToml | WantedWhole;
