// get_workflows: the jobs and workflows that can be started, as they are on disk now.

import * as z from 'zod';
import { Refused } from '../../core/refusal.ts';
import { type ListedVariable, listVariables } from '../../core/variables.ts';
import type { Workflow } from '../../core/workflow.ts';
import { storeWarningsForAgent } from '../../engine/store-warnings.ts';
import { heldBack, heldChecks } from '../../engine/trust/held-back-settings.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { listOf, object, optionalMember, orNull, TEXT } from '../answer-schema.ts';
import { VARIABLES } from './begin-step-schema.ts';
import { defineJobTool } from './define.ts';

interface ListedWorkflow {
  readonly name: string;
  readonly summary: string;
  /** Left out if it takes none. */
  readonly inputs?: readonly ListedVariable[];
}

interface ListedJob {
  readonly name: string;
  readonly summary: string;
  readonly description: string | null;
  readonly workflows: readonly ListedWorkflow[];
}

interface JobError {
  readonly job_name: string;
  readonly job_dir: string;
  readonly error: string;
}

/** About no job: about the project. */
interface JobWarning {
  readonly job_name: string | null;
  readonly job_dir: string | null;
  readonly warning: string;
}

export const getWorkflows = defineJobTool({
  name: 'get_workflows',
  description: 'List the jobs and workflows to start. Call this first.',
  input: z.strictObject({}),
  answer: {
    jobs: listOf(
      object<ListedJob>({
        name: TEXT,
        summary: TEXT,
        description: orNull(TEXT),
        workflows: listOf(
          object<ListedWorkflow>({ name: TEXT, summary: TEXT, inputs: optionalMember(VARIABLES) }),
        ),
      }),
    ),
    errors: listOf(object<JobError>({ job_name: TEXT, job_dir: TEXT, error: TEXT })),
    warnings: listOf(
      object<JobWarning>({ job_name: orNull(TEXT), job_dir: orNull(TEXT), warning: TEXT }),
    ),
  },
  readOnly: true,
  loadAtOnce: true,
  async run({ workspace }) {
    const { jobs, errors, warnings } = await workspace.library.list();
    const known = workspace.trust.known();
    return {
      jobs: jobs.map((job) => ({
        name: job.name,
        summary: job.summary,
        description: job.description,
        workflows: job.workflows.map(listed),
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
        ...(await projectWarnings(workspace)).map((warning) => ({
          job_name: null,
          job_dir: null,
          warning,
        })),
      ],
    };
  },
});

function listed({ name, summary, inputs }: Workflow): ListedWorkflow {
  return { name, summary, ...(inputs !== undefined && { inputs: listVariables(inputs) }) };
}

/** A config that cannot be read must not hide the jobs. */
async function projectWarnings(workspace: Workspace): Promise<readonly string[]> {
  const problems = await workspace.settingsProblems();
  try {
    return [
      ...problems,
      ...(await heldBack(workspace)),
      ...(await storeWarningsForAgent(workspace)),
    ];
  } catch (error) {
    // The problems already contain it.
    if (error instanceof Refused) return problems;
    throw error;
  }
}
