import { type FindingLog, type Position } from './finding.ts';
import type { ShapeReport } from './read-fields.ts';
export interface ShapeLog extends ShapeReport {
    addAllTo(log: FindingLog): void;
}
export declare function openShapeLog(positionOf: (offset: number) => Position): ShapeLog;
