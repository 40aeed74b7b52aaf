// Workflows with entries of every kind, for the simulation: plain data that can be printed and that
// the reference reads without any of the product's code.

import { parseCondition } from '../../../src/core/conditions-parse.ts';
import type { Entry, Workflow } from '../../../src/core/workflow.ts';
import { type PlainStep, toStep } from '../definitions.ts';

export type PlainEntry =
  | { readonly kind: 'steps'; readonly steps: readonly PlainStep[] }
  | PlainLoop
  | {
      readonly kind: 'for_each';
      readonly name: string;
      /** The step whose output `x` lists the items. */
      readonly items: string;
      readonly step: PlainStep;
      readonly parallel: number;
    }
  | {
      readonly kind: 'approve';
      readonly name: string;
      /** The steps whose output `x` is shown. */
      readonly show: readonly string[];
      readonly back: { readonly goTo: string; readonly max: number } | null;
    }
  | { readonly kind: 'run'; readonly name: string };

export interface PlainLoop {
  readonly kind: 'loop';
  readonly name: string;
  readonly entries: readonly PlainEntry[];
  /** `when`: the variable `green` of the context ends it. `rules`: of the step's output `x`. */
  readonly until:
    | { readonly kind: 'check' }
    | { readonly kind: 'when' }
    | { readonly kind: 'rules'; readonly step: string };
  readonly max: number;
}

export function toEntriesWorkflow(entries: readonly PlainEntry[]): Workflow {
  return { name: 'flow', summary: 'Entries', entries: entries.map(toEntry) };
}

function toEntry(entry: PlainEntry): Entry {
  switch (entry.kind) {
    case 'steps':
      return { kind: 'steps', steps: entry.steps.map(toStep) };
    case 'loop': {
      const { name, max } = entry;
      return {
        kind: 'loop',
        name,
        max,
        entries: entry.entries.map(toEntry),
        until: untilOf(entry),
      };
    }
    case 'for_each':
      return {
        kind: 'for_each',
        name: entry.name,
        items: { step: entry.items, output: 'x' },
        step: toStep(entry.step),
        maxParallel: entry.parallel,
        maxItems: 100,
      };
    case 'approve':
      return {
        kind: 'approve',
        name: entry.name,
        question: 'Good?',
        show: entry.show.map((step) => ({ step, output: 'x' })),
        onReject: entry.back,
      };
    case 'run':
      return { kind: 'run', name: entry.name, job: 'other', workflow: 'w', inputs: [] };
  }
}

function untilOf({ until }: PlainLoop) {
  switch (until.kind) {
    case 'check': {
      const check = { name: 'check', run: 'true', timeoutSeconds: 1 };
      return { kind: 'check', check } as const;
    }
    case 'when': {
      const { condition } = parseCondition({ var: 'green' });
      if (condition === null) throw new Error('not a condition');
      return { kind: 'when', condition } as const;
    }
    case 'rules': {
      const criteria = { source: [], members: [] };
      return { kind: 'rules', output: { step: until.step, output: 'x' }, criteria } as const;
    }
  }
}
