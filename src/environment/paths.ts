// Where things are in a project. Deepwork writes below `.deepwork`, and to the state file
// that it shares with other tools.

import path from 'node:path';

export interface Paths {
  /** The project's root, absolute. */
  readonly root: string;
  /** Where the work is done: the project, or the worktree of a run. Outputs are inside it. */
  readonly work: string;
  /** `.deepwork`. */
  readonly own: string;
  readonly config: string;
  readonly journal: string;
  /** Sessions that a person has pruned. */
  readonly archive: string;
  /** Readable views and review files; safe to delete, rebuilt from the journal. */
  readonly tmp: string;
  /** `.sgai/state.json`: the team's state, which other tools read and add to. */
  readonly state: string;
}

export function pathsOf(projectRoot: string, workRoot = projectRoot): Paths {
  const root = path.resolve(projectRoot);
  const own = path.join(root, '.deepwork');
  return {
    root,
    work: path.resolve(workRoot),
    own,
    config: path.join(own, 'config.yml'),
    journal: path.join(own, 'journal'),
    archive: path.join(own, 'archive'),
    tmp: path.join(own, 'tmp'),
    state: path.join(root, '.sgai', 'state.json'),
  };
}

/** What changes with every call; jobs and config are the project's own. */
export const OWN_IGNORED = [
  '# Written by deepwork: its own files in this folder. Edit it as you like, it is not replaced.',
  '/.gitignore',
  '/archive/',
  '/journal/',
  '/tmp/',
  '/workspace.id*',
  '/worktrees/',
];
