// Where definitions are looked for, first to last. A project's own jobs hide bundled ones of the
// same name, and those hide what the environment adds. A project's own guides hide those of the
// person, and those hide what the environment adds and what comes with the program.

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
  const ofPerson = join(resolve(home), '.deepwork', 'workflows');
  const added = foldersNamedIn(env.DEEPWORK_WORKFLOW_FOLDERS, root);
  const bundled = bundledDir === null ? [] : [resolve(root, bundledDir)];
  return [...projectGuideFolders(root), ofPerson, ...added, ...bundled];
}

/** Those of a project itself. */
export function projectGuideFolders(root: string): string[] {
  return [join(root, '.deepwork', 'workflows'), join(root, 'workflows')];
}

function foldersNamedIn(list: string | undefined, root: string): string[] {
  const named = (list ?? '').split(delimiter).map((part) => part.trim());
  return named.filter((folder) => folder !== '').map((folder) => resolve(root, folder));
}
