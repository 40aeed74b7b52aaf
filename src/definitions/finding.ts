// What a check has found in a file, and where. Findings stay structured, so that
// `deepwork lint` can print `file:line:column` while answers to agents append the
// position to the sentence. A hostile file can be wrong in a hundred thousand places:
// only the first ones are kept, the rest are counted.

import { cut, onOneLine } from './wording.ts';

export interface Position {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

export interface Finding extends Position {
  readonly message: string;
}

/** Everything found in one file, in the order in which it is told. */
export interface Findings {
  readonly kept: readonly Finding[];
  /** How many more were told; checks stop early, so there may be still more. */
  readonly left: number;
}

export interface FindingLog extends Findings {
  add(message: string, at: Position): void;
  /** Counts findings that were made elsewhere and not kept. */
  pass(count: number): void;
  /** Nothing more will be kept: a check may stop early. */
  full(): boolean;
}

const MAX_FINDINGS = 1000;
const MAX_MESSAGE_LENGTH = 1000;
/** Leaves room, within a message of 4 KiB, for the words put in front of the problems. */
const MAX_BYTES = 3800;

export function openFindingLog(most = MAX_FINDINGS): FindingLog {
  const kept: Finding[] = [];
  let left = 0;
  return {
    kept,
    get left() {
      return left;
    },
    add(message, at) {
      if (kept.length >= most) {
        left++;
        return;
      }
      const { line, column } = at;
      // Cut before, because it may be a megabyte, and after, because escapes are longer.
      const told = cut(onOneLine(cut(message, MAX_MESSAGE_LENGTH)), MAX_MESSAGE_LENGTH);
      kept.push({ message: told, line, column });
    },
    pass(count) {
      left += count;
    },
    full: () => kept.length >= most,
  };
}

export function writeFinding(finding: Finding): string {
  return `${finding.message} (line ${finding.line}, column ${finding.column})`;
}

/** One line each, as many as fit into an answer; the last line counts the others. */
export function writeFindings(findings: Findings): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const finding of findings.kept) {
    const line = writeFinding(finding);
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES && lines.length > 0) break;
    lines.push(line);
  }
  const left = findings.kept.length + findings.left - lines.length;
  const atLeast = findings.left > 0 ? 'at least ' : '';
  if (left > 0) lines.push(`and ${atLeast}${left} more ${left === 1 ? 'problem' : 'problems'}`);
  return lines;
}
