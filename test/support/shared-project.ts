// Checkouts of one project whose journal is in a database.

import { newProject, type Project, writeJob } from './project.ts';

/** Each has its own folder; they share the workspace. */
export function sharedProject(config = ''): Project {
  const project = newProject({
    '.deepwork/config.yml': `git:\n  branch: off\nworkspace: shared\n${config}`,
  });
  writeJob(
    project,
    'demo',
    { a: { outputs: { report: 'file' } }, b: { outputs: { result: 'file' } } },
    { main: ['a', 'b'] },
  );
  return project;
}

export const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

/** What a server on such a checkout is started with. */
export function storeEnv(url: string): Record<string, string> {
  return { DEEPWORK_DATABASE_URL: url, DEEPWORK_TRUST: '1' };
}
