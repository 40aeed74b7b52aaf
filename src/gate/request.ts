// A request to the gate: what to judge, and what it may use for that.

import type { Context } from '../core/conditions.ts';
import type { Grant } from '../core/session/gate.ts';
import type { VariableValues } from '../core/variables.ts';
import type { Step } from '../core/workflow.ts';
import type { Beginning } from '../environment/git/git-changes.ts';
import type { MemberOutputs } from './outputs.ts';
import type { Reviewer } from './review/adapters/table.ts';

export interface GateMember extends MemberOutputs {
  readonly step: Step;
  /** Output names that other steps declare too. */
  readonly sharedNames: readonly string[];
  /** The values that the call gives for its declared reports. */
  readonly reports?: VariableValues;
}

/** What the reason of a call means for its reviews, and if they do not count as done, the feedback. */
export type OverrideAnswer =
  /** The reason is the verdict of a self-review, and the verdict is positive. */
  | { readonly kind: 'reviewed'; readonly verdict: string }
  | {
      readonly kind: 'granted';
      readonly reason: string;
      /** Null if no person had to be asked. */
      readonly grant: Grant | null;
      /** Called once the override is recorded. */
      readonly used?: () => Promise<void>;
    }
  /** `failed`: the reason is the verdict of a self-review, and the verdict is negative. */
  | { readonly kind: 'pending' | 'refused' | 'failed'; readonly feedback: string };

/** An input of a step, as far as its session knows it. */
export interface GivenInput {
  readonly name: string;
  readonly about: string | null;
  /** Output files of an earlier step, relative to the project. */
  readonly paths: readonly string[];
  /** By path, at acceptance. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** The purpose of the work, for reviewers. */
export interface Task {
  readonly goal: string;
  /** Base for a diff of the run's changes; null: do not ask git. */
  readonly began: Beginning | null;
  inputsOf(step: Step): readonly GivenInput[];
}

export interface GateRequest {
  readonly root: string;
  /** Of the server; checks and reviewers inherit parts of it. */
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
  readonly members: readonly GateMember[];
  readonly notes: string | null;
  readonly task?: Task;
  /** Not blank; skips only reviews, and only if `mayOverride` allows it. */
  readonly overrideReason: string | null;
  readonly mayOverride: (members: readonly GateMember[]) => Promise<OverrideAnswer>;
  /** The code that a self-review's verdict begins with. */
  readonly reviewCode: (member: GateMember) => string;
  readonly context: Context;
  /** The run's inputs, for the environment of commands. */
  readonly inputs?: VariableValues;
  readonly reviewer: Reviewer | { readonly kind: 'off' } | { readonly kind: 'self' };
  readonly timeoutSeconds: number;
  readonly maxParallel: number;
  /** Keys of what passed earlier in this arrival. */
  readonly passed: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  /** Throws unless a person has trusted the commands of this workspace. */
  readonly requireTrust: (step: Step) => Promise<void>;
  /** Records that checks start, so that `status` and the page show what the run waits for. */
  readonly checksBegin: (stepIds: readonly string[]) => Promise<void>;
  /** Records that reviews start; from then on an attempt is pending. */
  readonly reviewsBegin: (stepIds: readonly string[]) => Promise<void>;
  /** Writes a file where the agent can read it; returns its path. */
  readonly place: (name: string, text: string) => Promise<string>;
}
