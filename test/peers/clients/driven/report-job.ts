// The job that scripted agents do in a client: a report that must say what was measured,
// then a page.

import { newProject, type Project, writeJob } from '../../../support/project.ts';
import { call } from '../../model/script.ts';

export function projectWithReportJob(): Project {
  const project = newProject();
  const rules = [{ type: 'contains', value: 'Measured', message: 'Say what you measured' }];
  const report = { type: 'file', description: 'The report', required: true, rules };
  writeJob(
    project,
    'report',
    { draft: { outputs: { report } }, publish: { outputs: { page: 'file' } } },
    { main: ['draft', 'publish'] },
  );
  return project;
}

/** The same, with a person who approves the report, and a page that is rewritten until it is green. */
export function projectWithApprovedReport(): Project {
  const project = projectWithReportJob();
  const rules = [{ type: 'contains', value: 'Measured', message: 'Say what you measured' }];
  const report = { type: 'file', description: 'The report', required: true, rules };
  const green = [{ type: 'contains', value: 'green', message: 'It is not green' }];
  const until = { output: 'publish.page', rules: green };
  const steps = [
    'draft',
    { approve: { name: 'go_ahead', question: 'Good enough?', show: ['draft.report'] } },
    { loop: { name: 'until_green', steps: ['publish'], until, max: 3 } },
  ];
  writeJob(
    project,
    'report',
    { draft: { outputs: { report } }, publish: { outputs: { page: 'file' } } },
    {},
    { workflows: [{ name: 'main', summary: 'All of it', steps }] },
  );
  return project;
}

export const START_REPORT = call('start_workflow', {
  goal: 'Report how fast it is',
  job_name: 'report',
  workflow_name: 'main',
});
