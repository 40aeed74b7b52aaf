// Warnings about a job that can be run.

import type { Located } from '../reader/fields.ts';
import { type IssueLog, openIssueLog, type Report } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import { stepIdsOf } from './entries/all-entries.ts';
import type { ParsedJob } from './parsed-job.ts';

const MAX_WARNINGS = 50;

export function warnOfName({ value, path }: Located, directory: string, to: Report): void {
  if (value === '' || value === directory) return;
  to.add(
    'name_differs',
    path,
    `Job name ${quote(value)} differs from directory ${quote(directory)}`,
  );
}

export function warnAbout({ name, steps, workflows }: ParsedJob, directory: string): IssueLog {
  const warnings = openIssueLog({ maxIssues: MAX_WARNINGS });
  warnOfName(name, directory, warnings);
  if (!steps || !workflows) return warnings;
  if (workflows.length === 0) {
    warnings.add('no_workflows', [], 'Job has no workflows, so it cannot be started');
    return warnings;
  }
  const used = new Set(
    workflows.flatMap(({ entries }) => entries.flatMap(stepIdsOf).map((id) => id.value)),
  );
  for (const { id } of steps) {
    if (id.value === '' || used.has(id.value)) continue;
    warnings.add('unused_step', id.path, `Step ${quote(id.value)} is in no workflow`);
  }
  return warnings;
}
