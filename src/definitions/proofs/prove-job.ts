// Turns the findings about a job into issues of its file: what was proved about the paths through it,
// and what looks wrong in instructions that are part of it.

import type { JudgeJob } from '../jobs/job-yml.ts';
import { lintInstructionTexts } from '../lint-instructions.ts';
import { openIssueLog } from '../reader/issues.ts';
import { findingsIn } from './findings.ts';
import { placeIn } from './places.ts';

/** `problems` can never work; `warnings` are only odd. */
export const proveJob: JudgeJob = (job, { parsed, root, text }) => {
  if (parsed === null) {
    return { problems: openIssueLog(), warnings: lintInstructionTexts(job, root, text) };
  }
  const logs = { problems: openIssueLog(), warnings: openIssueLog() };
  for (const { code, severity, at, message, proof } of findingsIn(job)) {
    const { path, target } = placeIn(parsed, at);
    const log = severity === 'problem' ? logs.problems : logs.warnings;
    log.add(code, path, message, target, proof);
  }
  return logs;
};
