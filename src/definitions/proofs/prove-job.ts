// Turns the findings about a job into issues of its file: what was proved about the paths through it,
// and what looks wrong in instructions that are part of it.

import { openPatternBudget } from '../../core/pattern-budget.ts';
import { stepsOf, type Workflow } from '../../core/workflow.ts';
import type { JudgeJob } from '../jobs/job-yml.ts';
import { lintInstructionTexts } from '../lint-instructions.ts';
import { openIssueLog } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import type { FoundAt } from './finding.ts';
import { findingsIn } from './findings.ts';
import { placeIn } from './places.ts';

/** Only what concerns one workflow, found within a budget. */
export interface ProofScope {
  readonly workflow: string;
  readonly milliseconds: number;
}

/** `problems` can never work; `warnings` are only odd. */
export function proveJob(scope?: ProofScope): JudgeJob {
  return (job, { parsed, root, text }) => {
    const workflows = job.workflows.filter(({ name }) => name === (scope?.workflow ?? name));
    const problems = openIssueLog();
    for (const [index, each] of job.workflows.entries()) {
      if (each.entries.length > 0 || !workflows.includes(each)) continue;
      const path = ['workflows', parsed === null ? each.name : index, 'steps'];
      const message = `Workflow ${quote(each.name)} has no steps, so it cannot be started`;
      problems.add('wrong_length', path, message);
    }
    if (parsed === null) {
      return { problems, warnings: lintInstructionTexts({ ...job, workflows }, root, text) };
    }
    const warnings = openIssueLog();
    for (const { code, severity, at, message, proof } of findingsIn(
      job,
      openPatternBudget(scope?.milliseconds),
    )) {
      if (scope !== undefined && !workflows.some((each) => isIn(each, at))) continue;
      const { path, target } = placeIn(parsed, at);
      const log = severity === 'problem' ? problems : warnings;
      log.add(code, path, message, target, proof);
    }
    return { problems, warnings };
  };
}

function isIn(workflow: Workflow, at: FoundAt): boolean {
  if (!('step' in at)) return at.workflow === workflow.name;
  return stepsOf(workflow).some(({ id }) => id === at.step);
}
