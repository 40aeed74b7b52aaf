// Gathers what is wrong in a guide. Problems are noted by their path; the first hundred
// get their place in the file, the others are counted. Two kinds are kept apart, because
// callers are told of them by different codes: what is wrong with the rules of a step,
// and everything else.

import { MAX_PROBLEMS } from '../../core/conditions-problems.ts';
import type { Position } from '../finding.ts';
import { cut, onOneLine } from '../wording.ts';
import type { CriteriaFault, GuideProblem, InvalidGuide } from './guide-model.ts';
import { locate, type Path, type Place, pointerTo } from './json-places.ts';
import type { JsonFault } from './json-source.ts';

export interface ProblemLog {
  /** At the value, unless the key itself is what should not be there. */
  add(path: Path, message: string, target?: 'key' | 'value'): void;
  addFault(fault: JsonFault): void;
  /** A problem of a rule, given by its path in the criteria of a step. */
  addCriteria(step: CriteriaHolder, path: Path, message: string): void;
  /** Nothing that may still be found would change the answer: a check may stop early. */
  full(): boolean;
  /** Null if nothing is wrong. */
  close(): InvalidGuide | null;
}

interface CriteriaHolder {
  readonly id: string;
  readonly path: Path;
}

export const CRITERIA_FIELD = 'validationCriteria';
const MAX_MESSAGE_LENGTH = 500;

export function openProblemLog(places: Place, positionOf: (at: number) => Position): ProblemLog {
  const kept: { path: string; message: string; at: number }[] = [];
  const criteriaFaults = new Map<string, CriteriaFault>();
  let left = 0;
  let others = 0;

  const keep = (path: Path, message: string, findPlace: () => number) => {
    if (kept.length < MAX_PROBLEMS) {
      kept.push({ path: pointerTo(path), message: tell(message), at: findPlace() });
    } else left += 1;
  };

  return {
    add(path, message, target = 'value') {
      others += 1;
      keep(path, message, () => locate(places, path, target));
    },

    addFault({ path, message, at }) {
      others += 1;
      keep(path, message, () => at);
    },

    addCriteria(step, path, message) {
      const full = [...step.path, CRITERIA_FIELD, ...path];
      keep(full, message, () => locate(places, full, 'key'));
      if (criteriaFaults.has(step.id)) return;
      const rule = pointerTo([CRITERIA_FIELD, ...rulePath(path)]);
      criteriaFaults.set(step.id, { step: step.id, rule, reason: tell(message) });
    },

    full: () => kept.length >= MAX_PROBLEMS && others > 0,

    close() {
      if (kept.length === 0) return null;
      const problems = kept
        .sort((one, other) => one.at - other.at)
        .map(({ path, message, at }): GuideProblem => ({ ...positionOf(at), path, message }));
      return {
        kind: 'invalid',
        code: 'guide_invalid',
        problems,
        left,
        criteriaOnly: others === 0,
        criteriaSteps: [...criteriaFaults.keys()],
        criteriaFaults: [...criteriaFaults.values()],
      };
    },
  };
}

function tell(message: string): string {
  return onOneLine(cut(message, MAX_MESSAGE_LENGTH));
}

/** The way to the rule, without the way on to the field of it that is wrong. */
function rulePath(path: Path): Path {
  const field = path.findIndex((step) => typeof step === 'string' && !COMPOSITIONS.has(step));
  const way = field === -1 ? [...path] : path.slice(0, field);
  while (way.at(-1) === 'and' || way.at(-1) === 'or') way.pop();
  return way;
}

const COMPOSITIONS = new Set(['and', 'or', 'not']);
