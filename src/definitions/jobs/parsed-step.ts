// A step of a `job.yml` after reading, before its references are checked.

import type { Condition } from '../../core/conditions.ts';
import type { DeclaredVariable } from '../../core/variables.ts';
import type { LintOf } from '../../core/workflow.ts';
import type { Located, WrittenPart } from '../reader/fields.ts';

export interface ParsedStep {
  readonly id: Located;
  readonly name: string;
  readonly description: string;
  readonly instructionsFile: Located;
  readonly dependencies: readonly Located[];
  readonly inputs: readonly ParsedInput[];
  readonly outputs: readonly ParsedOutput[] | null;
  readonly reviews: readonly ParsedReview[];
  readonly checks: readonly ParsedCheck[];
  readonly reports: readonly DeclaredVariable[] | null;
  readonly when: Condition | null;
}

export type ParsedInput =
  | { readonly kind: 'asked'; readonly name: string; readonly description: string }
  | { readonly kind: 'file'; readonly file: Located; readonly fromStep: Located };

export interface ParsedOutput {
  readonly name: Located;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  /** Compiled later, because that may load the schema library. */
  readonly rules: WrittenPart | null;
  readonly lint: LintOf | null;
}

export interface ParsedReview {
  readonly runEach: Located;
  readonly criteria: readonly { readonly name: string; readonly text: string }[];
  readonly guidance: string | null;
}

export interface ParsedCheck {
  readonly name: Located;
  readonly run: string;
  readonly timeoutSeconds: number;
}
