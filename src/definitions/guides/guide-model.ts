// A guide: a workflow that was written as JSON and is walked without keeping state. Every
// condition, regex and schema in it is compiled; a guide with problems never becomes one.

import type { Condition } from '../../core/conditions.ts';
import type { Criteria } from '../../core/rules.ts';
import type { Position } from '../finding.ts';

export interface Guide {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category: string;
  /** Takes the place of the description where guides are listed. */
  readonly summary: string | null;
  readonly steps: readonly GuideStep[];
  /** The definition as written. */
  readonly source: unknown;
  /** Absolute path. */
  readonly file: string;
  /** sha256 (hex) of the bytes of the file. */
  readonly hash: string;
}

/** What is optional is there only if the file has it. */
export interface GuideStep {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly askForFiles?: boolean;
  readonly requireConfirmation?: boolean | Condition;
  readonly runCondition?: Condition;
  readonly criteria: Criteria | null;
  readonly guidance: readonly string[];
  readonly agentRole?: string;
  readonly modelHint?: string;
  readonly preface?: string;
  /** The step as written. */
  readonly source: unknown;
}

export interface GuideProblem extends Position {
  /** JSON Pointer to what is wrong. */
  readonly path: string;
  readonly message: string;
}

/** What a caller is told of a rule that cannot be used. */
export interface CriteriaFault {
  readonly step: string;
  /** JSON Pointer of the rule, from its step. */
  readonly rule: string;
  readonly reason: string;
}

export interface InvalidGuide {
  readonly kind: 'invalid';
  /** Invalid workflow, storage error, security error. */
  readonly code: -32002 | -32006 | -32007;
  /** The first ones, by their place in the file. */
  readonly problems: readonly GuideProblem[];
  /** How many more were found; checks stop early, so there may be still more. */
  readonly left: number;
  /** All that is wrong are rules of steps: their shape, regexes, flags or conditions. */
  readonly criteriaOnly: boolean;
  /** Ids of the steps whose rules have problems. */
  readonly criteriaSteps: readonly string[];
  /** The first such problem of each of those steps. */
  readonly criteriaFaults: readonly CriteriaFault[];
}

export type ParsedGuide = { readonly kind: 'guide'; readonly guide: Guide } | InvalidGuide;
