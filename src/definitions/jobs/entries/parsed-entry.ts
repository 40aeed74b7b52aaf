// An entry of a workflow after reading, before its references are checked. Each kind of entry is a
// file of this folder, which reads it, checks what it refers to, and makes the entry of the model.

import type { Condition } from '../../../core/conditions.ts';
import type { IssueCode } from '../../../core/issue.ts';
import type { Criteria } from '../../../core/rules.ts';
import type { Entry, OutputRef, RunEntry, Step } from '../../../core/workflow.ts';
import type { Located, Read, WrittenPart } from '../../reader/fields.ts';
import type { ParsedCheck } from '../parsed-step.ts';

export interface ParsedEntry {
  readonly kind: Entry['kind'];
  /** Null for steps, which have only their ids. */
  readonly name: Located | null;
  /** The ids of its own steps. */
  readonly steps: readonly Located[];
  /** The entries inside it. */
  readonly entries: readonly ParsedEntry[];
  /** What ends it, if it is repeated. */
  readonly until: ParsedUntil | null;
  /** The other workflow, if it runs one. */
  readonly run: Pick<RunEntry, 'job' | 'workflow' | 'inputs'> | null;
  /** Reports references that lead nowhere. */
  check(references: References): void;
  /** Called only if no problem was reported. */
  make(parts: EntryParts): Entry;
}

export type ParsedUntil =
  | { readonly kind: 'check'; readonly check: ParsedCheck }
  | { readonly kind: 'when'; readonly condition: Condition | null }
  | ParsedUntilRules;

export interface ParsedUntilRules {
  readonly kind: 'rules';
  readonly output: ParsedRef;
  readonly rules: WrittenPart;
}

/** `step.output`; both are empty if it could not be read. */
export interface ParsedRef extends OutputRef {
  readonly written: Located;
}

/** What an entry can refer to in its workflow. Each function reports what it does not find. */
export interface References {
  /** The entry that makes an output before this one; null if there is none. */
  earlierOutput(ref: ParsedRef): ParsedEntry | null;
  /** An output that a step inside this entry makes. */
  ownOutput(ref: ParsedRef): void;
  /** A step or an entry before this one. */
  earlierEntry(name: Located): void;
  /** The message follows the kind and name of the entry. */
  problem(code: IssueCode, at: Located, message: string): void;
}

/** What the model of an entry is made of. */
export interface EntryParts {
  readonly step: (id: string) => Step | undefined;
  readonly rules: (until: ParsedUntilRules) => Criteria | undefined;
}

/** How a kind of entry is written. */
export interface EntrySyntax {
  /** Every allowed key, by the object that contains it. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Reads the value of the key that names the kind. */
  read(inside: ReadInside): Read<ParsedEntry>;
}

/** For entries that contain others. */
export interface ReadInside {
  /** How many loops an entry here would be in, counting itself. */
  readonly depth: number;
  readonly readEntry: Read<ParsedEntry>;
}

/** For kinds that have no more than a name. */
export const NAME_ONLY = {
  steps: [],
  entries: [],
  until: null,
  run: null,
  check: () => {},
} satisfies Partial<ParsedEntry>;
