// Turns the findings about a job into issues of its file: what was proved about the paths through it,
// and what looks wrong in instructions that are part of it.

import type { JudgeJob } from '../jobs/job-yml.ts';
import { lintInstructionTexts } from '../lint-instructions.ts';
import { openIssueLog } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import { findingsIn } from './findings.ts';
import { placeIn } from './places.ts';

/** `problems` can never work; `warnings` are only odd. */
export const proveJob: JudgeJob = (job, { parsed, root, text }) => {
  const problems = openIssueLog();
  for (const [index, { name, entries }] of job.workflows.entries()) {
    if (entries.length > 0) continue;
    const path = ['workflows', parsed === null ? name : index, 'steps'];
    problems.add(
      'wrong_length',
      path,
      `Workflow ${quote(name)} has no steps, so it cannot be started`,
    );
  }
  if (parsed === null) return { problems, warnings: lintInstructionTexts(job, root, text) };
  const warnings = openIssueLog();
  for (const { code, severity, at, message, proof } of findingsIn(job)) {
    const { path, target } = placeIn(parsed, at);
    const log = severity === 'problem' ? problems : warnings;
    log.add(code, path, message, target, proof);
  }
  return { problems, warnings };
};
