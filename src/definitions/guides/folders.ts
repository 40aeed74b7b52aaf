// Where guides are looked for, first to last: a project's own hide those of the person,
// and those hide what the environment adds and what comes with the program.

import { delimiter, join, resolve } from 'node:path';

export function guideFolders(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  home: string,
  bundledDir: string | null,
): string[] {
  const root = resolve(projectRoot);
  const folders = [...projectGuideFolders(root), join(resolve(home), '.deepwork', 'workflows')];
  for (const part of (env.DEEPWORK_WORKFLOW_FOLDERS ?? '').split(delimiter)) {
    const folder = part.trim();
    if (folder !== '') folders.push(resolve(root, folder));
  }
  if (bundledDir !== null) folders.push(resolve(root, bundledDir));
  return folders;
}

/** Those of a project itself. */
export function projectGuideFolders(root: string): string[] {
  return [join(root, '.deepwork', 'workflows'), join(root, 'workflows')];
}
