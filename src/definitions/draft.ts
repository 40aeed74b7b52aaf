// A `job.yml` as it was read, before anybody knows whether its parts fit together.
// Every text remembers its place, and a part that could not be read at all is null,
// so that the checks on references stay silent where they would only guess.

import type { Condition } from '../core/conditions.ts';
import type { LintOf } from '../core/workflow.ts';
import type { Located } from './read-fields.ts';
import type { Node, Path } from './yaml-node.ts';

export interface JobDraft {
  readonly at: number;
  readonly name: Located;
  readonly version: Located;
  readonly summary: Located;
  readonly description: string | null;
  readonly commonInfo: string;
  readonly steps: readonly StepDraft[] | null;
  readonly workflows: readonly WorkflowDraft[] | null;
}

export interface StepDraft {
  readonly id: Located;
  readonly name: string;
  readonly description: string;
  readonly instructionsFile: Located;
  readonly dependencies: readonly Located[];
  readonly inputs: readonly InputDraft[];
  readonly outputs: readonly OutputDraft[] | null;
  readonly reviews: readonly ReviewDraft[];
  readonly checks: readonly CheckDraft[];
  readonly when: Condition | null;
}

export type InputDraft =
  | { readonly kind: 'asked'; readonly name: string; readonly description: string }
  | { readonly kind: 'file'; readonly file: Located; readonly fromStep: Located };

export interface OutputDraft {
  readonly name: Located;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  /** Compiled later, because that may load a validator. */
  readonly rules: { readonly node: Node; readonly path: Path } | null;
  readonly lint: LintOf | null;
}

export interface ReviewDraft {
  readonly runEach: Located;
  readonly criteria: readonly { readonly name: string; readonly text: string }[];
  readonly guidance: string | null;
}

export interface CheckDraft {
  readonly name: Located;
  readonly run: string;
  readonly timeoutSeconds: number;
}

export interface WorkflowDraft {
  readonly name: Located;
  readonly summary: string;
  readonly entries: readonly (readonly Located[])[];
}
