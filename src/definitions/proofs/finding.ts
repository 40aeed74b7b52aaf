// A finding about a job with valid references, and its location in the file. Every finding has a
// proof. Something that can never work is a problem; something that is only odd is a warning.

import type { IssueCode } from '../../core/issue.ts';
import type { Proof } from '../../core/proof.ts';
import type { Workflow } from '../../core/workflow.ts';
import type { WorkflowFacts } from './facts.ts';

/** The location of a finding; `places.ts` finds it in the file. */
export type FoundAt =
  | { readonly kind: 'when'; readonly step: string; readonly variable: string | null }
  | {
      readonly kind: 'until';
      readonly workflow: string;
      readonly loop: string;
      readonly variable: string | null;
    }
  /** The output that the rules of a loop judge. */
  | { readonly kind: 'until_output'; readonly workflow: string; readonly loop: string }
  /** A step or an entry, by its name, in the list of a workflow. */
  | { readonly kind: 'entry'; readonly workflow: string; readonly name: string }
  | { readonly kind: 'input'; readonly step: string; readonly from: string }
  | {
      readonly kind: 'run_input';
      readonly workflow: string;
      readonly name: string;
      readonly input: string;
    }
  | { readonly kind: 'items'; readonly workflow: string; readonly name: string }
  | {
      readonly kind: 'show';
      readonly workflow: string;
      readonly name: string;
      readonly index: number;
    };

export interface Finding {
  readonly code: IssueCode;
  readonly severity: 'problem' | 'warning';
  readonly at: FoundAt;
  readonly message: string;
  readonly proof: Proof;
}

/** A workflow with the facts collected on the paths through it. */
export interface WalkedWorkflow {
  readonly workflow: Workflow;
  readonly facts: WorkflowFacts;
}
