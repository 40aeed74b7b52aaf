// A violation in readable form: what is wrong, the calls that show it, what was done to the
// servers around them, and the lines of the journal in question.

import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeCall, type History } from './history.ts';
import type { Streams } from './streams.ts';
import type { Violation } from './violation.ts';

const MAX_VIOLATIONS = 5;
const MAX_LINES = 12;
const MAX_FAULTS = 15;
/** Faults this long before and after the calls are shown with them. */
const AROUND_MS = 500;

export function describeViolations(
  violations: readonly Violation[],
  history: History,
  streams: Streams,
): string {
  const shown = violations.slice(0, MAX_VIOLATIONS).map((each) => describe(each, history, streams));
  const more = violations.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n\n');
}

function describe({ what, calls, trace }: Violation, history: History, streams: Streams): string {
  const from = Math.min(...calls.map(({ start }) => start)) - AROUND_MS;
  const to = Math.max(...calls.map(({ start, end }) => end ?? start)) + AROUND_MS;
  const faults = history.faults.filter(({ at }) => at >= from && at <= to).slice(-MAX_FAULTS);
  const lines = [['team', streams.team] as const, ...streams.sessions].flatMap(([name, events]) =>
    events
      .map(({ seq, type, data }) => `  ${name} ${seq} ${type} ${JSON.stringify(data)}`)
      .filter((line) => trace.some((each) => name === each || line.includes(`"${each}"`))),
  );
  return [
    what,
    ...(calls.length > 0 ? ['Calls:', ...calls.map(describeCall)] : []),
    ...(faults.length > 0 ? ['Meanwhile:'] : []),
    ...faults.map(({ at, what: done }) => `  ${at.toFixed(1)} ${done}`),
    ...(lines.length > 0 ? ['Streams:', ...lines.slice(-MAX_LINES)] : []),
  ].join('\n');
}

/** Keeps the project and the whole record for inspection after the test. */
export function keepEvidence(history: History, root: string, seed: number): string {
  const kept = path.join(os.tmpdir(), `deepwork-storm-${seed}`);
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept);
  if (existsSync(root)) cpSync(root, kept, { recursive: true });
  const lines = [
    ...history.calls.map((call) => [call.start, describeCall(call)] as const),
    ...history.faults.map(({ at, what }) => [at, `  ${at.toFixed(1)} ${what}`] as const),
  ].sort(([a], [b]) => a - b);
  writeFileSync(path.join(kept, 'history.txt'), lines.map(([, line]) => line).join('\n'));
  return kept;
}
