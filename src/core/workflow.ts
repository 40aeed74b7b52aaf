// The one model of something that can be run. `job.yml` files (and, through the same
// model, JSON workflows) are parsed into it by `definitions`; the deciders, the gate
// and the answers to agents read nothing else.

import type { Condition } from './conditions.ts';
import type { GuideStep } from './guide.ts';
import type { Criteria } from './rules.ts';

export interface Job {
  /** The name declared inside the file; the directory may be called differently. */
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** The long text of a list-style job; null for the current format. */
  readonly description: string | null;
  /** Given to the agent with every step. */
  readonly commonInfo: string;
  /** Absolute directory that holds `job.yml` and the instruction files. */
  readonly dir: string;
  /** sha256 (hex) of the bytes of `job.yml`: which edition a session ran under. */
  readonly hash: string;
  readonly steps: readonly Step[];
  readonly workflows: readonly Workflow[];
}

export interface Workflow {
  readonly name: string;
  readonly summary: string;
  readonly entries: readonly Entry[];
}

/** One position in a workflow: a single step, or several that run side by side. */
export type Entry = readonly Step[];

export interface Step {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** As written in the file, relative to the job's directory. */
  readonly instructionsFile: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly reviews: readonly Review[];
  readonly checks: readonly Check[];
  /** Decided on arrival at the step: false skips it. Null means always. */
  readonly when: Condition | null;
  /** Set for the step of a guide: its instructions are composed, not read from a file. */
  readonly guide?: { readonly workflowId: string; readonly step: GuideStep };
}

export type Input =
  | { readonly kind: 'asked'; readonly name: string; readonly description: string }
  | { readonly kind: 'file'; readonly file: string; readonly fromStep: string };

export interface Output {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  /** Rules that the text of each submitted file must meet; null means none. */
  readonly rules: Criteria | null;
  /** The job that the files belong to must pass lint. */
  readonly lint?: LintOf | null;
}

/** `definition`: its instruction files may still be missing. */
export const LINTS = ['job', 'definition'] as const;
export type LintOf = (typeof LINTS)[number];

export interface Review {
  /** `step` for one review of everything, or the name of the output to review. */
  readonly runEach: string;
  readonly criteria: readonly Criterion[];
  readonly guidance: string | null;
}

export interface Criterion {
  readonly name: string;
  readonly text: string;
}

/** A command that the server runs itself; exit code 0 passes. */
export interface Check {
  readonly name: string;
  readonly run: string;
  readonly timeoutSeconds: number;
}
