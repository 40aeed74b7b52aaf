// The folders of a project that hold no definitions: `deepwork lint` checks only whether they
// are links out of the project.

import path from 'node:path';
import { pathsOf } from '../environment/paths.ts';
import { KNOWLEDGE_ROOTS } from '../knowledge/knowledge.ts';

export function otherFolders(projectRoot: string): string[] {
  const { root, journal, tmp, state } = pathsOf(projectRoot);
  const knowledge = KNOWLEDGE_ROOTS.map((name) => path.join(root, name));
  return [journal, tmp, path.dirname(state), ...knowledge];
}
