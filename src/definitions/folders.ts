// The folders in which definitions are searched, in order. Of two definitions with one name, the
// first one counts: for jobs, the project's, then bundled ones, then those of the environment; for
// guides, the project's, then the user's, then those of the environment, then bundled ones.

import { delimiter, join, resolve } from 'node:path';

export function jobFolders(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  standardJobsDir: string | null,
): string[] {
  const root = resolve(projectRoot);
  const bundled = standardJobsDir === null ? [] : [resolve(root, standardJobsDir)];
  const added = foldersNamedIn(env.DEEPWORK_ADDITIONAL_JOBS_FOLDERS, root);
  return [join(root, '.deepwork', 'jobs'), ...bundled, ...added];
}

export function guideFolders(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  home: string,
  bundledDir: string | null,
): string[] {
  const root = resolve(projectRoot);
  const ofUser = join(resolve(home), '.deepwork', 'workflows');
  const added = foldersNamedIn(env.DEEPWORK_WORKFLOW_FOLDERS, root);
  const bundled = bundledDir === null ? [] : [resolve(root, bundledDir)];
  return [...projectGuideFolders(root), ofUser, ...added, ...bundled];
}

/** The folders of a project itself. */
export function projectGuideFolders(root: string): string[] {
  return [join(root, '.deepwork', 'workflows'), join(root, 'workflows')];
}

function foldersNamedIn(list: string | undefined, root: string): string[] {
  const named = (list ?? '').split(delimiter).map((part) => part.trim());
  return named.filter((folder) => folder !== '').map((folder) => resolve(root, folder));
}
