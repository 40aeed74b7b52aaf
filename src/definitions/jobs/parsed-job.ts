// A `job.yml` after reading, before its references are checked. Every text has its location, and a
// part that could not be read is null, so that the checks on references can skip it.

import type { Condition } from '../../core/conditions.ts';
import type { Path } from '../../core/issue.ts';
import type { DeclaredVariable } from '../../core/variables.ts';
import type { LintOf, RunInput } from '../../core/workflow.ts';
import type { Located } from '../reader/fields.ts';
import type { Node } from '../source/node.ts';

export interface ParsedJob {
  readonly name: Located;
  readonly version: Located;
  readonly summary: Located;
  readonly description: string | null;
  readonly commonInfo: string;
  readonly steps: readonly ParsedStep[] | null;
  readonly workflows: readonly ParsedWorkflow[] | null;
}

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
  readonly rules: WrittenRules | null;
  readonly lint: LintOf | null;
}

export interface WrittenRules {
  readonly node: Node;
  readonly path: Path;
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

export interface ParsedWorkflow {
  readonly name: Located;
  readonly summary: string;
  readonly entries: readonly ParsedEntry[];
  readonly inputs: readonly DeclaredVariable[] | null;
}

/** An entry of a workflow, as written. */
export type ParsedEntry =
  | { readonly kind: 'steps'; readonly steps: readonly Located[] }
  | ParsedLoop
  | {
      readonly kind: 'for_each';
      readonly name: Located;
      readonly items: ParsedRef;
      readonly step: Located;
      readonly maxParallel: number;
      readonly maxItems: number;
    }
  | {
      readonly kind: 'approve';
      readonly name: Located;
      readonly question: string;
      readonly show: readonly ParsedRef[];
      readonly onReject: { readonly goTo: Located; readonly max: number } | null;
    }
  | {
      readonly kind: 'run';
      readonly name: Located;
      readonly job: string;
      readonly workflow: string;
      readonly inputs: readonly RunInput[];
    };

export interface ParsedLoop {
  readonly kind: 'loop';
  readonly name: Located;
  readonly entries: readonly ParsedEntry[];
  readonly until: ParsedUntil | null;
  readonly max: number;
}

export type ParsedUntil =
  | { readonly kind: 'check'; readonly check: ParsedCheck }
  | { readonly kind: 'when'; readonly condition: Condition | null }
  | ParsedUntilRules;

export interface ParsedUntilRules {
  readonly kind: 'rules';
  readonly output: ParsedRef;
  readonly rules: WrittenRules;
}

/** `step.output`; both are empty if it could not be read. */
export interface ParsedRef {
  readonly written: Located;
  readonly step: string;
  readonly output: string;
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
