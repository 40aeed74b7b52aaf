// get_workflows: what can be run here, as it is on disk at this moment.

import * as z from 'zod';
import { Refused } from '../core/refusal.ts';
import { listOf, OBJECT, object, TEXT } from '../engine/answer-schema.ts';
import { heldBack, heldChecks } from '../engine/held-back.ts';
import type { Workspace } from '../engine/workspace.ts';
import { defineOperation } from './operation.ts';

export const getWorkflows = defineOperation({
  name: 'get_workflows',
  description: 'List the jobs and workflows that can be started here. Call this first.',
  input: z.strictObject({}),
  answer: {
    jobs: listOf(object({ name: TEXT, summary: TEXT, workflows: listOf(OBJECT) })),
    errors: listOf(OBJECT),
    warnings: listOf(OBJECT),
  },
  readOnly: true,
  async run({ workspace }) {
    const { jobs, errors, warnings } = await workspace.library.list();
    const known = workspace.trust.known();
    return {
      jobs: jobs.map((job) => ({
        name: job.name,
        summary: job.summary,
        description: job.description,
        workflows: job.workflows.map(({ name, summary }) => ({ name, summary })),
      })),
      errors,
      warnings: [
        ...warnings,
        ...jobs.flatMap((job) =>
          heldChecks(workspace, job, known).map((warning) => ({
            job_name: job.name,
            job_dir: job.dir,
            warning,
          })),
        ),
        ...(await ofProject(workspace)).map((warning) => ({
          job_name: null,
          job_dir: null,
          warning,
        })),
      ],
    };
  },
});

/** A config that cannot be read hides no job. */
async function ofProject(workspace: Workspace): Promise<readonly string[]> {
  const problems = await workspace.settingsProblems();
  try {
    return [...problems, ...(await heldBack(workspace))];
  } catch (error) {
    // It is among the problems already.
    if (error instanceof Refused) return problems;
    throw error;
  }
}
