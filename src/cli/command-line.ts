// What the commands share: reading options strictly, and finding what is bundled.

import { statSync } from 'node:fs';
import path from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { findProject } from './find-project.ts';

declare const __dirname: string;

/** Thrown for a wrong command line; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function readOptions<Config extends ParseArgsConfig>(command: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message.split('. ')[0]}. Try: deepwork ${command} --help`,
    );
  }
}

/** The project that a command works in: the one given, else the nearest from here upwards. */
export function projectAt(given: string | undefined): string {
  if (given === undefined) return findProject();
  const root = path.resolve(given);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--path ${given} is not a directory`);
  }
  return root;
}

/** Jobs and guides that come with deepwork, beside the built files. */
export function bundled() {
  const beside = path.join(__dirname, '..');
  return {
    standardJobsDir: path.join(beside, 'standard_jobs'),
    standardGuidesDir: path.join(beside, 'standard_workflows'),
  };
}
