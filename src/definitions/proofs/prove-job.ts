// Puts what was found about a sound job with the issues of its file: what was proved of the paths
// through it, and what is odd about instructions that stand in it.

import type { Job } from '../../core/workflow.ts';
import type { WrittenJob } from '../jobs/job-yml.ts';
import { lintInstructionTexts } from '../lint-instructions.ts';
import { type IssueLog, openIssueLog } from '../reader/issues.ts';
import { findingsIn } from './findings.ts';
import { placeIn } from './places.ts';

/** `problems`: what can never run right; `warnings`: what looks odd. */
export interface ProvedLogs {
  readonly problems: IssueLog;
  readonly warnings: IssueLog;
}

export function proveJob(job: Job, { draft, root, text }: WrittenJob): ProvedLogs {
  if (draft === null) {
    return { problems: openIssueLog(), warnings: lintInstructionTexts(job, root, text) };
  }
  const logs = { problems: openIssueLog(), warnings: openIssueLog() };
  for (const { code, severity, at, message, proof } of findingsIn(job)) {
    const { path, target } = placeIn(draft, at);
    const log = severity === 'problem' ? logs.problems : logs.warnings;
    log.add(code, path, message, target, proof);
  }
  return logs;
}
