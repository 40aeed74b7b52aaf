// Where jobs are looked for, first to last: a project's own jobs hide bundled ones of
// the same name, and those hide what the environment adds.

import { delimiter, join, resolve } from 'node:path';

export function jobFolders(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  standardJobsDir: string | null,
): string[] {
  const root = resolve(projectRoot);
  const folders = [join(root, '.deepwork', 'jobs')];
  if (standardJobsDir !== null) folders.push(resolve(root, standardJobsDir));
  for (const part of (env.DEEPWORK_ADDITIONAL_JOBS_FOLDERS ?? '').split(delimiter)) {
    const folder = part.trim();
    if (folder !== '') folders.push(resolve(root, folder));
  }
  return folders;
}
