// get_workflows: what can be run here, as it is on disk at this moment.

import * as z from 'zod';
import { defineOperation } from './operation.ts';

export const getWorkflows = defineOperation({
  name: 'get_workflows',
  description: 'List the jobs and workflows that can be started here. Call this first.',
  input: z.strictObject({}),
  answer: ['jobs', 'errors', 'warnings'],
  readOnly: true,
  async run({ workspace }) {
    const { jobs, errors, warnings } = await workspace.library.list();
    return {
      jobs: jobs.map((job) => ({
        name: job.name,
        summary: job.summary,
        description: job.description,
        workflows: job.workflows.map(({ name, summary }) => ({ name, summary })),
      })),
      errors,
      warnings,
    };
  },
});
