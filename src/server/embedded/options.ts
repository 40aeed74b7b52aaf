// Validates the options of `createServer` before anything is opened: a misspelt option could
// otherwise silently disable a gate.

import { statSync } from 'node:fs';
import path from 'node:path';
import { readCaller } from '../../core/team/caller.ts';
import { isRunner, RUNNER_NAMES } from '../../gate/review/adapters/table.ts';
import { TOOLSETS } from '../../operations/toolsets.ts';

/** The problem with a value, or null. */
type CheckValue = (value: unknown) => string | null;

const OPTIONS: Readonly<Record<string, CheckValue>> = {
  projectRoot: folder,
  enableQualityGate: oneOf('true or false', (value) => typeof value === 'boolean'),
  qualityGateTimeout: oneOf('a number of seconds above 0', isPositive),
  qualityGateMaxAttempts: oneOf('a whole number from 1', isCount),
  externalRunner: oneOf(
    [...RUNNER_NAMES.map((name) => `'${name}'`), 'null'].join(' or '),
    (value) => isRunner(value) || value === null,
  ),
  agentReviewCommand: textOrNull,
  maxParallelReviews: oneOf('a whole number from 1', isCount),
  gitBranch: oneOf("'create', 'checkout' or 'off'", (value) =>
    ['create', 'checkout', 'off'].includes(value as string),
  ),
  tools: oneOf("a list of 'jobs', 'guides' and 'team'", isToolsets),
  bundledJobs: oneOf('true or false', (value) => typeof value === 'boolean'),
  standardJobsDir: textOrNull,
  standardGuidesDir: textOrNull,
  agent,
  log: oneOf('a function or null', (value) => typeof value === 'function' || value === null),
};

/** Throws a TypeError that names the option. */
export function checkOptions(given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError('createServer takes an object of options, at least { projectRoot }');
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    const known = Object.keys(OPTIONS).join(', ');
    throw new TypeError(`createServer: unknown option '${unknown}'. Options: ${known}`);
  }
  if ((given as { projectRoot?: unknown }).projectRoot === undefined) {
    throw new TypeError('createServer: projectRoot is required');
  }
  for (const [name, value] of Object.entries(given)) {
    const problem = value === undefined ? null : OPTIONS[name]?.(value);
    if (problem) throw new TypeError(`createServer: ${name} ${problem}`);
  }
}

function oneOf(expected: string, fits: (value: unknown) => boolean): CheckValue {
  return (value) => (fits(value) ? null : `must be ${expected}, got ${shown(value)}`);
}

function textOrNull(value: unknown): string | null {
  const fits = value === null || (typeof value === 'string' && value.trim() !== '');
  return fits ? null : `must be a text or null, got ${shown(value)}`;
}

function folder(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') {
    return `must be the path of a folder, got ${shown(value)}`;
  }
  const stats = statSync(path.resolve(value), { throwIfNoEntry: false });
  return stats?.isDirectory() ? null : `is not a folder: ${shown(value)}`;
}

function agent(value: unknown): string | null {
  if (typeof value !== 'string') return `must be the name of an agent, got ${shown(value)}`;
  const caller = readCaller(value);
  return typeof caller === 'string' ? `cannot be used: ${caller}` : null;
}

function isToolsets(value: unknown): boolean {
  const known: readonly unknown[] = TOOLSETS;
  return Array.isArray(value) && value.length > 0 && value.every((each) => known.includes(each));
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 200)}'`;
  return value === null || typeof value !== 'object' ? String(value) : typeof value;
}
