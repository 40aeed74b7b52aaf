// What the gate is asked to judge, and what it may use to do so.

import type { Grant } from '../core/session/gate.ts';
import type { Context } from '../core/session/state.ts';
import type { Step } from '../core/workflow.ts';
import type { Beginning } from '../environment/git-changes.ts';
import type { MemberOutputs } from './outputs.ts';
import type { Reviewer } from './review/adapters/table.ts';

export interface GateMember extends MemberOutputs {
  readonly step: Step;
  /** Output names that other members of the entry declare too. */
  readonly sharedNames: readonly string[];
}

/** Whether reviews may be skipped, and if not, what the agent hears. */
export type OverrideAnswer =
  | {
      readonly kind: 'granted';
      /** Null: no person had to be asked. */
      readonly grant: Grant | null;
      /** To be called once it is on record. */
      readonly used?: () => Promise<void>;
    }
  /** `failed`: the reason is the verdict of a self-review, and it says no. */
  | { readonly kind: 'pending' | 'refused' | 'failed'; readonly feedback: string };

/** What a step was given, as far as its session knows. */
export interface GivenInput {
  readonly name: string;
  readonly about: string | null;
  /** Relative to the project; of an earlier step. */
  readonly paths: readonly string[];
  /** By path, as they were accepted. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** What the work is for: reviewers are told. */
export interface Task {
  readonly goal: string;
  /** What tells what the run changed; null: git is not to be asked. */
  readonly began: Beginning | null;
  inputsOf(step: Step): readonly GivenInput[];
}

export interface GateRequest {
  readonly root: string;
  readonly sessionId: string;
  readonly members: readonly GateMember[];
  readonly notes: string | null;
  readonly task?: Task;
  /** Not blank; skips reviews and nothing else, if `mayOverride` says so. */
  readonly overrideReason: string | null;
  readonly mayOverride: (members: readonly GateMember[]) => Promise<OverrideAnswer>;
  /** What a self-review's verdict has to begin with; null: nothing is asked for. */
  readonly reviewCode: ((member: GateMember) => string) | null;
  readonly context: Context;
  readonly reviewer: Reviewer | { readonly kind: 'off' } | { readonly kind: 'self' };
  readonly timeoutSeconds: number;
  readonly maxParallel: number;
  /** Keys of what passed earlier in this visit. */
  readonly passed: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  /** Throws unless a person has trusted the commands of this workspace. */
  readonly requireTrust: (step: Step) => Promise<void>;
  /** Records that reviews begin: an attempt is pending from here on. */
  readonly reviewsBegin: (stepIds: readonly string[]) => Promise<void>;
  /** Puts a file where the agent can read it; answers with its path. */
  readonly place: (name: string, text: string) => Promise<string>;
}
