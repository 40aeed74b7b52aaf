// Collects what the readers say about the shape of a file, and tells it in the order
// of the file: readers go by the keys that they know, people from top to bottom.

import { type FindingLog, openFindingLog, type Position } from './finding.ts';
import type { ShapeReport } from './read-fields.ts';
import { cut } from './wording.ts';

export interface ShapeLog extends ShapeReport {
  addAllTo(log: FindingLog): void;
}

export const SHAPE_PREFIX = 'Job definition validation failed: Validation error at ';

const MAX_PATH_PARTS = 16;

export function openShapeLog(positionOf: (offset: number) => Position): ShapeLog {
  const found = openFindingLog();
  return {
    add(path, at, problem) {
      const parts = path.slice(0, MAX_PATH_PARTS).map((part) => cut(String(part), 60));
      if (path.length > MAX_PATH_PARTS) parts.push('…');
      const place = parts.join(' -> ') || 'root';
      const message = `${SHAPE_PREFIX}${place}: ${problem}`;
      found.add(message, positionOf(at));
    },
    full: found.full,
    addAllTo(log) {
      const inOrder = [...found.kept].sort((a, b) => a.line - b.line || a.column - b.column);
      for (const finding of inOrder) log.add(finding.message, finding);
      log.pass(found.left);
    },
  };
}
