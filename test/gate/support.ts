// A step whose outputs pass a gate, a step after it, a real server, and reviewers that say what a
// test wrote down for them.

import { readFileSync } from 'node:fs';
import { type Run, type RunSpec, startRun } from '../language/entries.ts';
import type { StepSpec } from '../support/project.ts';
import { REVIEW_COMMAND, type Scene, script } from '../support/reviewer.ts';

/** A reviewer that is a command. */
export const GATE = ['--quality-gate', REVIEW_COMMAND];
export const REPORT = { report: 'report.md' };
export const override = (reason: string) => ({ quality_review_override_reason: reason });

export interface WorkSpec extends Partial<RunSpec> {
  readonly step?: StepSpec;
  readonly scenes?: readonly Scene[];
}

/** Like `startRun`, of a step `write` with a report. */
export async function startWork({ step, scenes = [], files, ...more }: WorkSpec): Promise<Run> {
  const run = await startRun({
    entries: ['write', 'after'],
    steps: { write: { outputs: { report: 'file' }, ...step }, after: {} },
    files: { 'report.md': 'The report.\n', ...files },
    ...more,
  });
  script(run.project, ...scenes);
  return run;
}

export const attempts = (run: Run, step = 'write'): number =>
  run.view().step_progress[step].quality_attempts;

/** The code with which the verdict of a self-review begins. */
export function codeIn({ project, session }: Run, step = 'write'): string {
  return /`([0-9a-f]{8})`/.exec(selfReviewOf(project, session, step))?.[1] ?? 'none';
}

export function selfReviewOf(project: Run['project'], session: string, step = 'write'): string {
  return readFileSync(project.path(`.deepwork/tmp/quality_review_${session}_${step}.md`), 'utf8');
}
