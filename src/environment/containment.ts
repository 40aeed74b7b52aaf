// Keeps deepwork inside the project, whatever links a repository contains. All code that opens
// a folder of the project asks here first, at each use: for reading, a folder that leads out
// counts as absent, which is reported once; for writing, the call is refused before anything
// is created, changed or removed.

import { type Refused, refusedWith } from '../core/refusal.ts';
import { linkProblem } from '../files/folder-links.ts';

export interface Containment {
  /** What is wrong with reading from a path; null if it may be read. */
  problemOf(path: string): string | null;
  /** Throws `Refused` if a path to write to leads out of the project. */
  require(path: string): void;
}

/** A repository can contain any number of links. */
const MAX_REPORTED = 20;

/** `report` gets one line for each problem. */
export function openContainment(root: string, report: (line: string) => void): Containment {
  const reported = new Set<string>();
  // One call asks about the same few folders many times in one go; the first answer is reused
  // until that go is over. Not for a turn of the event loop: the next call can come within it,
  // after the folder has become a link.
  const fine = new Set<string>();
  /** The same for their parent folders. */
  const plain = new Set<string>();
  function forget(): void {
    fine.clear();
    plain.clear();
  }
  function problemWith(path: string): string | null {
    if (fine.has(path)) return null;
    if (fine.size === 0 && plain.size === 0) queueMicrotask(forget);
    const problem = linkProblem(root, path, plain);
    if (problem === null) fine.add(path);
    return problem;
  }
  return {
    problemOf(path) {
      const problem = problemWith(path);
      if (problem !== null && reported.size < MAX_REPORTED && !reported.has(problem)) {
        reported.add(problem);
        report(`${problem}; it is ignored. Remove the link.`);
      }
      return problem;
    },
    require(path) {
      const problem = problemWith(path);
      if (problem !== null) throw outsideProject(problem);
    },
  };
}

function outsideProject(problem: string): Refused {
  return refusedWith(
    'outside_project',
    `${problem}; remove the link, or put a folder in its place`,
    'do the same again once the link is gone.',
  );
}
