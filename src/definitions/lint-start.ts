// What lint finds in what a start leads to: the workflow itself, those that it runs, and their
// instructions. An agent waits for it, so proofs get a twentieth of the time that `deepwork lint` takes.

import { dirname } from 'node:path';
import { openPatternBudget } from '../core/pattern-budget.ts';
import { type Job, runsOf, stepsOf, type Workflow } from '../core/workflow.ts';
import type { ProblemOf } from '../files/folder-links.ts';
import { lintGuideFile, readJob } from './lint.ts';
import { lintInstructionFiles } from './lint-instructions.ts';
import type { LintedFile } from './lint-report.ts';
import { knownIn, lintRuns } from './lint-runs.ts';
import { findingsIn } from './proofs/findings.ts';
import { proveJob } from './proofs/prove-job.ts';
import { NO_ISSUES } from './reader/issues.ts';

export interface StartedWorkflow {
  /** Absolute path of the `job.yml` or the guide. */
  readonly file: string;
  /** Null for a guide. */
  readonly job: Job | null;
  readonly workflow: Workflow;
}

const PROOF_MILLISECONDS = 100;

export async function lintStart(
  started: readonly StartedWorkflow[],
  problemOf: ProblemOf,
): Promise<readonly LintedFile[]> {
  const read: LintedFile[] = [];
  const unread: LintedFile[] = [];
  const linted: LintedFile[] = [];
  const instructions: LintedFile[] = [];
  for (const { file, job, workflow } of started) {
    if (job === null) {
      linted.push(await lintGuideFile(file));
      continue;
    }
    const own = { ...job, workflows: [workflow], steps: stepsOf(workflow) };
    instructions.push(...(await lintInstructionFiles(own)));
    if (!isSuspect(job, workflow)) {
      const { name, workflows } = job;
      const nothing = { problems: NO_ISSUES, warnings: NO_ISSUES };
      unread.push({ kind: 'job', file, ...nothing, known: { name, workflows, runs: [], job } });
      continue;
    }
    const scope = { workflow: workflow.name, milliseconds: PROOF_MILLISECONDS };
    const whole = await readJob(dirname(file), problemOf, proveJob(scope));
    read.push(whole);
    const { known } = whole;
    const runs = known?.runs.filter(({ from }) => from === workflow.name) ?? [];
    linted.push({ ...whole, ...(known && { known: { ...known, runs } }) });
  }
  const known = knownIn([...read, ...unread]);
  return [...lintRuns(linted, known, false, PROOF_MILLISECONDS), ...instructions];
}

/** Whether there may be something to place in the file, which is slow to read again. */
function isSuspect(job: Job, workflow: Workflow): boolean {
  const hasPlaces = stepsOf(workflow).some(
    ({ instructions }) => instructions.kind === 'text' && instructions.prompt.includes('{{'),
  );
  const budget = openPatternBudget(PROOF_MILLISECONDS);
  return hasPlaces || runsOf(workflow).length > 0 || findingsIn(job, budget).length > 0;
}
