// A guide: a workflow written as JSON that is walked without keeping state. All its conditions,
// regexes and schemas are compiled; a file with problems is never a `Guide`.

import path from 'node:path';
import type { Issue } from '../../core/issue.ts';
import type { Definition, Step } from '../../core/workflow.ts';

export interface Guide {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category: string;
  readonly summary?: string;
  /** As written. */
  readonly source: WrittenGuide;
  readonly file: string;
  readonly definition: Definition;
}

/** The JSON of a valid file. */
export interface WrittenGuide {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly category?: string;
  readonly summary?: string;
  readonly preconditions?: readonly string[];
  readonly clarificationPrompts?: readonly string[];
  readonly metaGuidance?: readonly string[];
  readonly steps: readonly WrittenStep[];
}

export interface WrittenStep {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly askForFiles?: boolean;
  readonly requireConfirmation?: boolean | object;
  readonly runCondition?: object;
  readonly validationCriteria?: object | null;
  readonly guidance?: readonly string[];
  readonly agentRole?: string;
  readonly modelHint?: string;
  readonly preface?: string;
}

/** Why a rule cannot be used. */
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
  readonly problems: readonly Issue[];
  /** How many more were found; checks stop early, so there may be others. */
  readonly left: number;
  /** Reading stopped because the limit was reached. */
  readonly stopped?: boolean | undefined;
  /** All problems are in rules of steps: their shape, regexes, flags or conditions. */
  readonly criteriaOnly: boolean;
  /** The first such problem of each step. */
  readonly criteriaFaults: readonly CriteriaFault[];
}

export interface ValidGuide {
  readonly kind: 'guide';
  readonly guide: Guide;
}

export type ParsedGuide = ValidGuide | InvalidGuide;

export function makeGuide({
  steps,
  hash,
  ...guide
}: Omit<Guide, 'definition'> & { readonly steps: readonly Step[]; readonly hash: string }): Guide {
  const { id, description, source, file } = guide;
  const entries = steps.map((step) => ({ kind: 'steps' as const, steps: [step] }));
  const definition = {
    name: id,
    commonInfo: [
      description,
      ...section('Preconditions', source.preconditions),
      ...section('Guidance', source.metaGuidance),
    ].join('\n\n'),
    dir: path.dirname(file),
    hash,
    steps,
    workflows: [{ name: id, summary: description, entries }],
  };
  return { ...guide, definition };
}

function section(title: string, items: readonly string[] | undefined): string[] {
  if (items === undefined || items.length === 0) return [];
  return [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`];
}
