// Outputs that are part of a job: the job has to pass `deepwork lint`. It is linted in
// process, not by a command, so that neither trust nor a `deepwork` on PATH is needed.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { counted } from '../core/wording.ts';
import type { LintOf } from '../core/workflow.ts';
import { jobFolders } from '../definitions/folders.ts';
import { JOB_FILE } from '../definitions/jobs/job-yml.ts';
import { lintJob } from '../definitions/lint.ts';
import { linkProblem } from '../files/folder-links.ts';
import { isInside } from '../files/inside.ts';
import { type CriterionResult, failedCriterion } from './criterion-result.ts';
import type { GateMember, GateRequest } from './request.ts';

/** A step writes one job; this only bounds the cost of a call. */
const MAX_JOBS = 20;
const MAX_PROBLEMS = 20;

/** Every problem of the jobs that the outputs of a member belong to. */
export async function lintOutputs(
  { root, env }: Pick<GateRequest, 'root' | 'env'>,
  { step, outputs }: GateMember,
): Promise<CriterionResult[]> {
  const jobs = new Map<string, LintOf>();
  const found: CriterionResult[] = [];
  for (const { name, lint } of step.outputs) {
    if (!lint || !Object.hasOwn(outputs, name)) continue;
    for (const file of [outputs[name] ?? []].flat()) {
      const job = jobOf(root, file);
      if (job === null) found.push(failedCriterion(`'${file}' belongs to no job`, NO_JOB));
      else if (jobs.get(job) !== 'job') jobs.set(job, lint);
    }
  }
  if (jobs.size > MAX_JOBS)
    return [failedCriterion(`the files belong to more than ${MAX_JOBS} jobs`, null)];
  for (const [job, lint] of jobs) found.push(...(await lintOne(root, env, job, lint)));
  return found;
}

const NO_JOB = `there is no ${JOB_FILE} in its folder or in one above it`;

async function lintOne(
  root: string,
  env: NodeJS.ProcessEnv,
  dir: string,
  lint: LintOf,
): Promise<CriterionResult[]> {
  const file = path.relative(root, path.join(dir, JOB_FILE));
  if (!jobFolders(root, env, null).includes(path.dirname(dir))) {
    return [
      failedCriterion(`${file} is not found as a job`, 'jobs are .deepwork/jobs/<job>/job.yml'),
    ];
  }
  const { problems } = await lintJob(dir, (each) => linkProblem(root, each));
  const serious = problems.kept.filter(
    ({ code }) => lint === 'job' || code !== 'instructions_not_found',
  );
  const reported = serious
    .slice(0, MAX_PROBLEMS)
    .map(({ at, message }) => failedCriterion(`${file}:${at.line}:${at.column}: ${message}`, null));
  const left = serious.length - reported.length + problems.left;
  return left > 0
    ? [...reported, failedCriterion(`${file}: ${counted(left, 'more problem')}`, SEE_ALL)]
    : reported;
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
