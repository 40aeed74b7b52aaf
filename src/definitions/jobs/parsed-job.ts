// A `job.yml` after reading, before its references are checked. Every text has its location, and a
// part that could not be read is null, so that the checks on references can skip it.

import type { DeclaredVariable } from '../../core/variables.ts';
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
