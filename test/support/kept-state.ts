// Everything that deepwork stores about a project, byte by byte: the journal and the readable views.
// If it is equal before and after a call, the call changed nothing.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.ts';

/** File names, relative to `.deepwork`, with their content. */
export function keptState(project: Project): Record<string, string> {
  const own = project.path('.deepwork');
  const files = [...filesBelow(own, 'journal'), ...filesBelow(own, 'tmp')].filter(
    // Caches may come and go.
    (file) => file.startsWith('journal') || path.basename(file).startsWith('session_'),
  );
  return Object.fromEntries(
    files.sort().map((file) => [file, readFileSync(path.join(own, file), 'latin1')]),
  );
}

function filesBelow(own: string, folder: string): string[] {
  try {
    return readdirSync(path.join(own, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(own, path.join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}
