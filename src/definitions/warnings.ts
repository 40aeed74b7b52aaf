// What is odd about a job that can be run all the same.

import type { JobDraft } from './draft.ts';
import { type Findings, openFindingLog, type Position } from './finding.ts';
import { quote } from './wording.ts';

const MAX_WARNINGS = 50;

export function warnAbout(
  draft: JobDraft,
  directory: string,
  positionOf: (offset: number) => Position,
): Findings {
  const warnings = openFindingLog(MAX_WARNINGS);
  const { name, steps, workflows } = draft;
  if (name.value !== '' && name.value !== directory) {
    const differs = `Job name ${quote(name.value)} differs from directory ${quote(directory)}`;
    warnings.add(differs, positionOf(name.at));
  }
  if (!steps || !workflows) return warnings;
  if (workflows.length === 0) {
    warnings.add('Job has no workflows, so it cannot be started', positionOf(draft.at));
    return warnings;
  }
  const used = new Set(workflows.flatMap(({ entries }) => entries.flat().map((id) => id.value)));
  for (const { id } of steps) {
    if (id.value === '' || used.has(id.value)) continue;
    warnings.add(`Step ${quote(id.value)} is in no workflow`, positionOf(id.at));
  }
  return warnings;
}
