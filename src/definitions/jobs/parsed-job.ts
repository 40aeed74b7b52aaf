// A `job.yml` after reading, before its references are checked. Every text has its location, and a
// part that could not be read is null, so that the checks on references can skip it.

import type { Path } from '../../core/issue.ts';
import type { DeclaredVariable } from '../../core/variables.ts';
import type { RunInput } from '../../core/workflow.ts';
import type { Located } from '../reader/fields.ts';
import type { ParsedEntry } from './entries/parsed-entry.ts';
import type { ParsedStep } from './parsed-step.ts';

export interface ParsedJob {
  readonly name: Located;
  readonly version: Located;
  readonly summary: Located;
  readonly description: string | null;
  readonly commonInfo: string;
  readonly steps: readonly ParsedStep[] | null;
  readonly workflows: readonly ParsedWorkflow[] | null;
}

export interface ParsedWorkflow {
  readonly name: Located;
  readonly summary: string;
  readonly entries: readonly ParsedEntry[];
  readonly inputs: readonly DeclaredVariable[] | null;
}

/** A workflow that another one runs, as written. */
export interface WrittenRun {
  /** The workflow that runs it, and the name of the entry there. */
  readonly from: string;
  readonly name: string;
  readonly job: string;
  readonly workflow: string;
  /** The path of the workflow's name. */
  readonly path: Path;
  /** Null if data is passed by name. */
  readonly inputs: readonly WrittenRunInput[] | null;
}

export interface WrittenRunInput {
  readonly input: RunInput;
  readonly path: Path;
}
