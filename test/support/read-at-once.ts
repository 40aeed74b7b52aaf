// Reads a `finished_step` call without pauses. Imported by tests only.

import { openPatternBudget } from '../../src/core/pattern-budget.ts';
import { readSubmission, type SubmissionReading } from '../../src/core/session/read-submission.ts';
import { atOnce } from './at-once.ts';

type Given = Parameters<typeof readSubmission>;

export function readAtOnce(session: Given[0], inUse: Given[1], call: Given[2]): SubmissionReading {
  return atOnce(readSubmission(session, inUse, call, openPatternBudget()));
}
