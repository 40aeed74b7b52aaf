// The effective settings of a workspace: the caller's options override `.deepwork/config.yml`,
// which overrides the defaults; an option that is null counts as given. At one level, switching the
// gate off overrides a command, which overrides a runner.

import type { OverrideRule } from '../../core/overrides.ts';
import type { BranchMode } from '../git/branch.ts';
import type { Config } from './config.ts';

type Reviewer =
  | { readonly kind: 'off' }
  | { readonly kind: 'self' }
  /** The name of a program that deepwork has an adapter for. */
  | { readonly kind: 'runner'; readonly runner: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      /** A command from the project's own file needs trust; an option is the user's own choice. */
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
  /** How often in a row an agent that wants to stop is sent back to its open step. */
  readonly maxNudges: number;
  /** Whether agents may not edit the definition of a job that is running. */
  readonly protectDefinitions: boolean;
  readonly branch: BranchMode;
  /** A mode from the project's own file needs trust; an option is the user's own choice. */
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

/** Defaults of the settings that a person trusts. */
export const DEFAULTS: {
  readonly allowedHosts: readonly string[];
  readonly tokens: boolean;
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
  readonly maxNudges: number;
  readonly protectDefinitions: boolean;
} = {
  allowedHosts: [],
  tokens: false,
  overrides: 'agent',
  maxAttempts: 3,
  maxNudges: 3,
  protectDefinitions: false,
};

export function effectiveSettings(given: Overrides, config: Config): Settings {
  return {
    reviewer: chooseReviewer(given, config),
    timeoutSeconds: given.qualityGateTimeout ?? config.timeoutSeconds ?? 120,
    maxAttempts: given.qualityGateMaxAttempts ?? config.maxAttempts ?? DEFAULTS.maxAttempts,
    maxParallel: given.maxParallelReviews ?? config.maxParallel ?? 4,
    answerWithinSeconds: config.answerWithinSeconds ?? 45,
    overrides: config.overrides ?? DEFAULTS.overrides,
    maxNudges: config.clients.maxNudges ?? DEFAULTS.maxNudges,
    protectDefinitions: config.clients.protectDefinitions ?? DEFAULTS.protectDefinitions,
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
  const asksSelf = given.agentReviewCommand === null || given.externalRunner === null;
  if (config.agentReviewCommand !== null && !asksSelf) {
    return { kind: 'command', command: config.agentReviewCommand, from: 'config' };
  }
  return { kind: 'self' };
}
