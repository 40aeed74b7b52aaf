// What the gate is asked to judge, and what it may use to do so.

import type { Context } from '../core/session/state.ts';
import type { Step } from '../core/workflow.ts';
import type { MemberOutputs } from './outputs.ts';
import type { Reviewer } from './review/reviewer.ts';

export interface GateMember extends MemberOutputs {
  readonly step: Step;
  /** Not named by the call: it goes with the last of the others. */
  readonly along: boolean;
  /** Output names that other members of the entry declare too. */
  readonly sharedNames: readonly string[];
}

export interface GateRequest {
  readonly root: string;
  readonly sessionId: string;
  readonly members: readonly GateMember[];
  readonly notes: string | null;
  /** Not blank; skips reviews and nothing else. */
  readonly overrideReason: string | null;
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
