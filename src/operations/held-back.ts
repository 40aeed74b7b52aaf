// What a project says and what holds instead, because no person has agreed to it yet:
// settings that were loosened, and checks that were trusted and are no longer in their job.
// A check that was taken out runs on until a person trusts the project without it.

import { realpathSync } from 'node:fs';
import { shown } from '../core/wording.ts';
import type { Check, Job, Step } from '../core/workflow.ts';
import type { Known, TrustRecord } from '../workspace/trust.ts';
import { jobFileOf } from './command-list.ts';
import type { Workspace } from './workspace.ts';

/** One line each, for warnings and the log. */
export async function heldBack(workspace: Workspace): Promise<string[]> {
  const held = await workspace.held();
  return held.map(({ key, was, now }) =>
    waiting(workspace, `${key} says ${shown(now)}, but ${shown(was)} holds`),
  );
}

/** The same of a job: its trusted checks that it does not name any more. */
export function heldChecks(
  workspace: Workspace,
  job: Job,
  known = workspace.trust.known(),
): string[] {
  return missingChecks(known, job).map(({ step, check }) =>
    waiting(
      workspace,
      `check '${shown(check.name)}' of step '${step}' was removed from '${job.name}', but still runs`,
    ),
  );
}

/** The job with every check that holds in it. */
export function withHeldChecks(workspace: Workspace, job: Job): Job {
  const missing = missingChecks(workspace.trust.known(), job);
  if (missing.length === 0) return job;
  const steps = new Map(
    job.steps.map((step): [string, Step] => {
      const checks = missing.filter((each) => each.step === step.id).map(({ check }) => check);
      return [
        step.id,
        checks.length === 0 ? step : { ...step, checks: [...step.checks, ...checks] },
      ];
    }),
  );
  const held = (step: Step) => steps.get(step.id) ?? step;
  return {
    ...job,
    steps: job.steps.map(held),
    workflows: job.workflows.map((workflow) => ({
      ...workflow,
      entries: workflow.entries.map((entry) => entry.map(held)),
    })),
  };
}

interface Missing {
  readonly step: string;
  readonly check: Check;
}

const NONE: readonly Missing[] = [];

function missingChecks(known: Known, job: Job): readonly Missing[] {
  if (known.kind !== 'trusted' && known.kind !== 'replaced') return NONE;
  const { commands }: TrustRecord = known.record;
  if (!commands.some(({ check }) => check !== undefined)) return NONE;
  const file = realOf(jobFileOf(job));
  return commands.flatMap(({ file: of, run, check }) => {
    if (check === undefined || of !== file) return [];
    const step = job.steps.find(({ id }) => id === check.step);
    if (step === undefined || step.checks.some(({ name }) => name === check.name)) return [];
    const { name, timeoutSeconds } = check;
    return [{ step: step.id, check: { name, run, timeoutSeconds } }];
  });
}

function waiting({ paths }: Workspace, what: string): string {
  return `${what} until a person agrees: deepwork trust --path ${paths.root}`;
}

function realOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}
