// What holds in a workspace: options of the caller beat `.deepwork/config.yml`, which
// beats the defaults. At one level, switching the gate off beats naming a command,
// which beats naming a runner.

import type { OverrideRule } from '../core/overrides.ts';
import type { BranchMode } from './branch.ts';
import type { Config } from './config.ts';

type Reviewer =
  | { readonly kind: 'off' }
  | { readonly kind: 'self' }
  /** A program that deepwork knows how to ask, by its name. */
  | { readonly kind: 'runner'; readonly runner: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      /** A command from the project's own file is the project's word, not its user's. */
      readonly from: 'option' | 'config';
    };

export interface Settings {
  readonly reviewer: Reviewer;
  readonly timeoutSeconds: number;
  readonly maxAttempts: number;
  readonly maxParallel: number;
  /** How long one call may keep its client waiting. */
  readonly answerWithinSeconds: number;
  /** Who may skip reviews. */
  readonly overrides: OverrideRule;
  readonly branch: BranchMode;
  /** A mode from the project's own file is the project's word, not its user's. */
  readonly branchFrom: 'option' | 'config';
  readonly team: TeamSettings;
}

interface TeamSettings {
  /** Whether callers on this machine need a token. */
  readonly tokens: boolean;
  readonly allowedHosts: readonly string[];
  /** How long a question keeps its caller waiting. */
  readonly questionWaitSeconds: number;
  readonly notify: string | null;
}

/** Options given to `createServer` or as flags; undefined means not given. */
export interface Overrides {
  readonly enableQualityGate?: boolean | undefined;
  readonly agentReviewCommand?: string | null | undefined;
  readonly externalRunner?: string | null | undefined;
  readonly qualityGateTimeout?: number | undefined;
  readonly qualityGateMaxAttempts?: number | undefined;
  readonly maxParallelReviews?: number | undefined;
  readonly gitBranch?: BranchMode | undefined;
}

/** Of the settings that a person trusts, what holds where the file says nothing. */
export const DEFAULTS: {
  readonly allowedHosts: readonly string[];
  readonly tokens: boolean;
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
} = { allowedHosts: [], tokens: false, overrides: 'agent', maxAttempts: 3 };

export function settle(given: Overrides, config: Config): Settings {
  return {
    reviewer: chooseReviewer(given, config),
    timeoutSeconds: given.qualityGateTimeout ?? config.timeoutSeconds ?? 120,
    maxAttempts: given.qualityGateMaxAttempts ?? config.maxAttempts ?? DEFAULTS.maxAttempts,
    maxParallel: given.maxParallelReviews ?? config.maxParallel ?? 4,
    answerWithinSeconds: config.answerWithinSeconds ?? 45,
    overrides: config.overrides ?? DEFAULTS.overrides,
    branch: given.gitBranch ?? config.branch ?? 'create',
    branchFrom: given.gitBranch === undefined ? 'config' : 'option',
    team: {
      tokens: config.team.tokens ?? DEFAULTS.tokens,
      allowedHosts: config.team.allowedHosts ?? DEFAULTS.allowedHosts,
      questionWaitSeconds: config.team.questionWaitSeconds ?? 45,
      notify: config.team.notify,
    },
  };
}

function chooseReviewer(given: Overrides, config: Config): Reviewer {
  if (given.enableQualityGate === false) return { kind: 'off' };
  if (given.agentReviewCommand)
    return { kind: 'command', command: given.agentReviewCommand, from: 'option' };
  if (given.externalRunner) return { kind: 'runner', runner: given.externalRunner };
  if (config.agentReviewCommand !== null) {
    return { kind: 'command', command: config.agentReviewCommand, from: 'config' };
  }
  return { kind: 'self' };
}
