// Outputs as they are recorded: paths in the project become relative, because events are also read
// on other machines, where the project has another path.

import path from 'node:path';
import type { Json } from '../../core/session/state.ts';
import { pathInside } from '../../files/inside.ts';
import { realRootOf } from '../../files/real-root.ts';

export function pathsInProject(root: string, outputs: Json): Json {
  if (typeof outputs === 'string') return pathInProject(root, outputs);
  if (Array.isArray(outputs)) return outputs.map((each) => pathsInProject(root, each));
  if (typeof outputs !== 'object' || outputs === null) return outputs;
  const entries = Object.entries(outputs);
  return Object.fromEntries(entries.map(([name, value]) => [name, pathsInProject(root, value)]));
}

function pathInProject(root: string, given: string): string {
  if (!path.isAbsolute(given) || given.includes('\0')) return given;
  const inside = pathInside(root, given) ?? pathInside(realRootOf(root), given);
  return inside === null || inside === '' ? given : inside.split(path.sep).join('/');
}
