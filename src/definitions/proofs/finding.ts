// A finding about a job with valid references, and its location in the file. Every finding has a
// proof. Something that can never work is a problem; something that is only odd is a warning.

import type { Proof } from '../../core/proof.ts';
import type { Workflow } from '../../core/workflow.ts';
import type { WorkflowFacts } from './facts.ts';

export type ProvedCode =
  /** A condition, or an input of a `run`, reads a variable that nothing declares. */
  | 'undeclared_variable'
  /** A condition, or a required input of a `run`, reads a variable that some path or no path sets. */
  | 'unset_variable'
  | 'never_holds'
  | 'unreachable'
  /** An output is taken from a step that some path skips. */
  | 'skipped_source'
  /** The `until` of a loop reads nothing that the loop changes. */
  | 'until_cannot_change'
  /** An approval shows an output that no path has produced. */
  | 'nothing_to_show';

/** The location of a finding; `places.ts` finds it in the file. */
export type FoundAt =
  | { readonly kind: 'when'; readonly step: string; readonly variable?: string }
  | {
      readonly kind: 'until';
      readonly workflow: string;
      readonly loop: string;
      readonly variable?: string;
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
  readonly code: ProvedCode;
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
