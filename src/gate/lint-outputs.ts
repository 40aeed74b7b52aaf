// Outputs that are a job, or part of one: the job has to pass `deepwork lint`. It is linted
// here, not by a command, so that it needs neither trust nor a `deepwork` on PATH.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LintOf } from '../core/workflow.ts';
import { jobFolders } from '../definitions/folders.ts';
import { isInstructionsMissing } from '../definitions/instructions.ts';
import { JOB_FILE } from '../definitions/job-yml.ts';
import { lintJob } from '../definitions/lint.ts';
import { isInside } from '../files/inside.ts';
import { linkProblem } from '../files/project-path.ts';
import type { GateMember } from './request.ts';
import type { CriterionResult } from './verdict.ts';

/** One step writes one job; this only bounds what a call may cost. */
const MAX_JOBS = 20;
const MAX_PROBLEMS = 20;

/** Every problem of the jobs that the outputs of a member belong to. */
export async function lintOutputs(
  root: string,
  { step, outputs }: GateMember,
): Promise<CriterionResult[]> {
  const jobs = new Map<string, LintOf>();
  const found: CriterionResult[] = [];
  for (const { name, lint } of step.outputs) {
    if (!lint || !Object.hasOwn(outputs, name)) continue;
    for (const file of [outputs[name] ?? []].flat()) {
      const job = jobOf(root, file);
      if (job === null) found.push(fails(`'${file}' belongs to no job`, NO_JOB));
      else if (jobs.get(job) !== 'job') jobs.set(job, lint);
    }
  }
  if (jobs.size > MAX_JOBS) return [fails(`the files belong to more than ${MAX_JOBS} jobs`, null)];
  for (const [job, lint] of jobs) found.push(...(await lintOne(root, job, lint)));
  return found;
}

const NO_JOB = `there is no ${JOB_FILE} in its folder or in one above it`;

async function lintOne(root: string, dir: string, lint: LintOf): Promise<CriterionResult[]> {
  const file = path.relative(root, path.join(dir, JOB_FILE));
  if (!jobFolders(root, process.env, null).includes(path.dirname(dir))) {
    return [fails(`${file} is not found as a job`, 'jobs are .deepwork/jobs/<job>/job.yml')];
  }
  const { problems } = await lintJob(dir, (each) => linkProblem(root, each));
  const counted = problems.kept.filter(
    ({ message }) => lint === 'job' || !isInstructionsMissing(message),
  );
  const told = counted
    .slice(0, MAX_PROBLEMS)
    .map(({ line, column, message }) => fails(`${file}:${line}:${column}: ${message}`, null));
  const left = counted.length - told.length + problems.left;
  return left > 0 ? [...told, fails(`${file}: ${left} more problems`, SEE_ALL)] : told;
}

const SEE_ALL = 'deepwork lint shows them all';

/** The directory of the nearest `job.yml`, from the folder of a file upwards. */
function jobOf(root: string, file: string): string | null {
  for (let dir = path.dirname(path.resolve(root, file)); isInside(root, dir); ) {
    if (existsSync(path.join(dir, JOB_FILE))) return dir;
    const above = path.dirname(dir);
    if (above === dir) return null;
    dir = above;
  }
  return null;
}

function fails(criterion: string, feedback: string | null): CriterionResult {
  return { criterion, passed: false, feedback };
}
