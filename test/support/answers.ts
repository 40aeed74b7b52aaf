// What all successes have in common, whatever the tool: the same content in text and
// structure, and all keys.

import { expect } from 'vitest';
import type { Answer } from './calls.ts';

export const ANSWER_KEYS = {
  get_workflows: ['jobs', 'errors', 'warnings'],
  start_workflow: ['begin_step', 'warnings'],
  finished_step: [
    'status',
    'reason',
    'feedback',
    'failed_reviews',
    'failed_criteria',
    'begin_step',
    'summary',
    'all_outputs',
    'warnings',
  ],
  abort_workflow: [
    'aborted_workflow',
    'aborted_step',
    'explanation',
    'resumed_workflow',
    'resumed_step',
    'begin_step',
    'warnings',
  ],
  go_to_step: ['begin_step', 'invalidated_steps'],
  get_active_workflow: [
    'active',
    'session_id',
    'goal',
    'begin_step',
    'completed_steps',
    'last_feedback',
    'orphans',
    'truncated',
    'warnings',
  ],
  validate_step_outputs: ['valid', 'problems', 'not_run'],
} as const;

/** Expects a success in its promised form; returns the structured answer. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export function expectWhole(tool: keyof typeof ANSWER_KEYS, answer: Answer): any {
  expect(answer.isError, answer.text).toBe(false);
  expect(answer.text).toBe(JSON.stringify(answer.data));
  expect(Object.keys(answer.data).sort()).toEqual([...ANSWER_KEYS[tool], 'stack'].sort());
  return answer.data;
}

/** The warnings of a start, without the lines about nesting and those of lint. */
export function beyondNesting(warnings: readonly string[]): string[] {
  return warnings.filter(
    (warning) => !/^(?:Lint: |Nested in session \S+ \(.*which waits)/.test(warning),
  );
}
