// A guide: a workflow that was written as JSON and is walked without keeping state. Every
// condition, regex and schema in it is compiled; a guide with problems never becomes one.

import type { Guide, GuideStep } from '../../core/guide.ts';
import type { Finding, Position } from '../finding.ts';

export type { Guide, GuideStep };

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
  readonly code: 'guide_invalid' | 'guide_unreadable' | 'guide_outside';
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

export interface ValidGuide {
  readonly kind: 'guide';
  readonly guide: Guide;
  /** What is odd about it, for lint; it can be walked all the same. */
  readonly warnings: readonly Finding[];
}

export type ParsedGuide = ValidGuide | InvalidGuide;
