// Keeps what deepwork does inside the project, whatever links a repository brings along.
// Every part that opens a folder of the project asks here first, at each use: to read, a
// folder that leads out counts as absent, and that is reported once; to write, the call is
// refused before anything is created, changed or removed.

import { Refused, refuse } from '../core/refusal.ts';
import { linkProblem } from '../files/project-path.ts';

export interface Containment {
  /** What is wrong with a path to read from, in words; null if it may be read. */
  problemOf(path: string): string | null;
  /** Throws `Refused` if a path to write to leads out of the project. */
  require(path: string): void;
}

/** A repository can bring any number of links. */
const MAX_REPORTED = 20;

/** `report` gets one line for each thing that is wrong. */
export function openContainment(root: string, report: (line: string) => void): Containment {
  const reported = new Set<string>();
  // One call asks about the same few folders many times; within a turn of the event loop,
  // where a check and its use are apart anyway, the first answer stands.
  const fine = new Set<string>();
  /** The same for the folders on the way to them. */
  const plain = new Set<string>();
  function forget(): void {
    fine.clear();
    plain.clear();
  }
  function problemWith(path: string): string | null {
    if (fine.has(path)) return null;
    if (fine.size === 0 && plain.size === 0) setImmediate(forget);
    const problem = linkProblem(root, path, plain);
    if (problem === null) fine.add(path);
    return problem;
  }
  return {
    problemOf(path) {
      const problem = problemWith(path);
      if (problem !== null && reported.size < MAX_REPORTED && !reported.has(problem)) {
        reported.add(problem);
        report(`${problem}; it is left alone. Remove the link.`);
      }
      return problem;
    },
    require(path) {
      const problem = problemWith(path);
      if (problem !== null) throw leadsOut(problem);
    },
  };
}

function leadsOut(problem: string): Refused {
  return new Refused(
    refuse(
      'outside_project',
      `${problem}; remove the link, or put a folder in its place`,
      'do the same again once the link is gone.',
    ),
  );
}
