// Where things are in a project. What deepwork writes is under `.deepwork`, except the state
// file that it shares with other tools.

import path from 'node:path';

export interface Paths {
  /** The project's root, absolute. */
  readonly root: string;
  /** `.deepwork`. */
  readonly own: string;
  readonly config: string;
  readonly journal: string;
  /** Readable views and review files; safe to delete, rebuilt from the journal. */
  readonly tmp: string;
  /** `.sgai/state.json`: the team's state, for whoever reads or adds to it. */
  readonly state: string;
}

export function pathsOf(projectRoot: string): Paths {
  const root = path.resolve(projectRoot);
  const own = path.join(root, '.deepwork');
  return {
    root,
    own,
    config: path.join(own, 'config.yml'),
    journal: path.join(own, 'journal'),
    tmp: path.join(own, 'tmp'),
    state: path.join(root, '.sgai', 'state.json'),
  };
}
