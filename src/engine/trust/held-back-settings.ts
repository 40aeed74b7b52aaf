// What a project has changed but is not in force, because no person has agreed to it yet: settings
// that were loosened, and trusted checks that were removed from their job. Such a check keeps
// running until a person trusts the project without it.

import { existsSync } from 'node:fs';
import { refusedWith } from '../../core/refusal.ts';
import { shown } from '../../core/wording.ts';
import { type Check, changeSteps, type Job, type Step } from '../../core/workflow.ts';
import type { CheckOf, Known, TrustedEntry } from '../../environment/trust/trust.ts';
import { realPathOf } from '../../files/real-path.ts';
import type { Workspace } from '../workspace.ts';
import { conditionOf, isIn, jobFileOf, UNTRUSTED } from './command-trust.ts';

/** One line each, for warnings and the log. */
export async function heldBack(workspace: Workspace): Promise<string[]> {
  const held = await workspace.held();
  return held.map(({ key, was, now }) =>
    untilAgreed(workspace, `${key} is set to ${shown(now)}, but ${shown(was)} applies`),
  );
}

/** The same for a job: its trusted checks that it no longer names. */
export function heldChecks(
  workspace: Workspace,
  job: Job,
  known = workspace.trust.known(),
): string[] {
  return missingChecks(known, job).map(({ step, check }) =>
    untilAgreed(
      workspace,
      `check '${shown(check.name)}' of step '${step}' was removed from '${job.name}', but still runs`,
    ),
  );
}

/**
 * If a step with trusted checks is renamed, removed, taken out of a workflow or given another
 * condition, its checks might not run, and nothing shows which other step they should belong to.
 * Such a job does not start.
 */
export function requireCheckedSteps({ trust, paths }: Workspace, job: Job): void {
  for (const { check } of trustedChecks(trust.known(), job)) {
    const problem = whyNotReached(check, job);
    if (problem === null) continue;
    throw refusedWith(
      UNTRUSTED,
      `${problem}, with its trusted check '${shown(check.name)}'`,
      `restore it, or ask your user to agree: deepwork trust --path ${paths.root}`,
    );
  }
}

/** Why a run of this job may not reach a step that it reached when it was trusted; or null. */
function whyNotReached({ step: id, when, workflows }: CheckOf, job: Job): string | null {
  const step = job.steps.find((each) => each.id === id);
  if (step === undefined) return `Step '${shown(id)}' was removed from '${job.name}'`;
  if (conditionOf(step) !== when) {
    return `The condition of step '${id}' of '${job.name}' has changed`;
  }
  const without = workflows.find(
    (name) => !job.workflows.some((each) => each.name === name && isIn(each, id)),
  );
  if (without === undefined) return null;
  return `Step '${id}' was taken out of workflow '${shown(without)}' of '${job.name}'`;
}

/** The job with all checks in force, including those that were removed from it. */
export function withHeldChecks(workspace: Workspace, job: Job): Job {
  const missing = missingChecks(workspace.trust.known(), job);
  if (missing.length === 0) return job;
  const held = (step: Step): Step => {
    const checks = missing.filter((each) => each.step === step.id).map(({ check }) => check);
    return checks.length === 0 ? step : { ...step, checks: [...step.checks, ...checks] };
  };
  return {
    ...job,
    steps: job.steps.map(held),
    workflows: job.workflows.map((workflow) => changeSteps(workflow, held)),
  };
}

interface Missing {
  readonly step: string;
  readonly check: Check;
}

function missingChecks(known: Known, job: Job): readonly Missing[] {
  return trustedChecks(known, job).flatMap(({ run, check }) => {
    const step = job.steps.find(({ id }) => id === check.step);
    if (step === undefined || step.checks.some(({ name }) => name === check.name)) return [];
    const { name, timeoutSeconds } = check;
    return [{ step: step.id, check: { name, run, timeoutSeconds } }];
  });
}

type TrustedCheck = TrustedEntry & { readonly check: NonNullable<TrustedEntry['check']> };

const NONE: readonly TrustedCheck[] = [];

/** The checks of this job's file that a person agreed to. */
function trustedChecks(known: Known, job: Job): readonly TrustedCheck[] {
  if (known.kind !== 'trusted' && known.kind !== 'replaced') return NONE;
  const checks = known.record.commands.filter(
    (each): each is TrustedCheck => each.check !== undefined,
  );
  if (checks.length === 0) return NONE;
  const file = realPathOf(jobFileOf(job));
  return checks.filter((each) => each.file === file || hasMoved(each, job.name, file));
}

/** The job has moved since it was trusted, or is now reached through a link. */
function hasMoved({ file, check }: TrustedCheck, jobName: string, jobFile: string): boolean {
  return check.job === jobName && (!existsSync(file) || realPathOf(file) === jobFile);
}

function untilAgreed({ paths }: Workspace, what: string): string {
  return `${what} until a person agrees: deepwork trust --path ${paths.root}`;
}
