// Whether there is a project here, and where.

import { lstatSync } from 'node:fs';
import { pathsOf } from '../environment/paths.ts';
import { linkProblem } from '../files/folder-links.ts';
import { type Checker, ok, problem, warning } from './check.ts';

export const project: Checker = {
  name: 'project',
  timeoutMs: 5000,
  async run({ root }) {
    const { own } = pathsOf(root);
    const link = linkProblem(root, own);
    if (link !== null) return problem(link, 'remove the link');
    const stats = lstatSync(own, { throwIfNoEntry: false });
    if (stats === undefined) {
      return warning(`${root} has no .deepwork yet`, 'set it up: deepwork init');
    }
    if (stats.isDirectory() || stats.isSymbolicLink()) return ok(root);
    return problem(`${own} is not a folder`, 'move it away, then run deepwork init');
  },
};
