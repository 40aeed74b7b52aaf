// Shared by the commands: strict options, the project folder, and the bundled definitions.

import { lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../core/nearest.ts';
import { type Refused, refusedWith } from '../core/refusal.ts';
import { realPathOf } from '../files/real-path.ts';
import { findProject } from './find-project.ts';
import { COMMAND_OPTIONS, type CommandName } from './options.ts';

declare const __dirname: string;

/** An invalid command line; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Line<Name extends CommandName> = ReturnType<
  typeof parseArgs<{ options: (typeof COMMAND_OPTIONS)[Name]; allowPositionals: true }>
>;

/** For a command that takes options only. With --help, it prints `help` and returns null. */
export function readOptions<Name extends CommandName>(
  command: Name,
  argv: readonly string[],
  help: string,
): Line<Name>['values'] | null {
  return readWords(command, argv, help, false)?.values ?? null;
}

/** The same for a command that also takes arguments without a flag. */
export function readWords<Name extends CommandName>(
  command: Name,
  argv: readonly string[],
  help: string,
  allowPositionals = true,
): Line<Name> | null {
  const options: ParseArgsConfig['options'] = {
    ...COMMAND_OPTIONS[command],
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const line = parseArgs({ args: [...argv], allowPositionals, options });
    if (!line.values.help) return line as Line<Name>;
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. ');
    const meant = meantOption(message, Object.keys(options));
    throw new UsageError(
      `${message}${meant}${meant === '' ? '.' : ''} Try: deepwork ${command} --help`,
    );
  }
  process.stdout.write(help);
  return null;
}

/** For the end of Node's message about an unknown option. */
function meantOption(message: string, options: readonly string[]): string {
  const [, typed] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
  const meant = typed === undefined ? null : nearest(typed, options);
  return meant === null ? '' : `; did you mean '--${meant}'?`;
}

export const MAX_PORT = 65_535;

export function readWholeNumber(option: string, given: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${option} ${given} is not a whole number from ${min} to ${max}`);
}

/** The project a command works in: --path, else the nearest one from here upwards. */
export function projectAt(given: string | undefined): string {
  if (given === undefined) return findProject();
  const root = path.resolve(given);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--path ${given} is not a directory`);
  }
  return root;
}

/** Whether deepwork was ever used there. The home's own `.deepwork` holds keys and trust. */
export function isProject(root: string): boolean {
  const own = path.join(root, '.deepwork');
  if (realPathOf(root) === realPathOf(homedir())) {
    return PROJECT_ENTRIES.some((name) => entryExists(path.join(own, name)));
  }
  return entryExists(own);
}

/** What only the `.deepwork` of a project contains. */
const PROJECT_ENTRIES = ['config.yml', 'jobs', 'workflows', 'journal'];

/** A broken link counts as well. */
export function entryExists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Like `projectAt`, but refuses if there is no project. */
export function requireProject(given: string | undefined): string {
  const root = projectAt(given);
  if (!isProject(root)) throw noProject(root, given);
  return root;
}

/** A team needs no `.deepwork`: its goal is in GOAL.md, and its state in `.sgai`. */
export function requireProjectOrTeam(given: string | undefined): string {
  const root = projectAt(given);
  const isTeam = ['GOAL.md', '.sgai'].some((name) => entryExists(path.join(root, name)));
  return isTeam ? root : requireProject(given);
}

export function noProject(root: string, given: string | undefined): Refused {
  const where = given === undefined ? `here or above (${root})` : `in ${root}`;
  return refusedWith(
    'no_project',
    `No deepwork project ${where}: there is no folder .deepwork`,
    'go to your project, or run `deepwork init` to set one up here.',
  );
}

/** The folder of the built page. */
export function pageFolder(): string {
  return path.join(__dirname, 'page');
}

/** The jobs and guides that ship with deepwork. */
export function bundled() {
  return {
    standardJobsDir: shipped('standard_jobs'),
    standardGuidesDir: shipped('standard_workflows'),
  };
}

/** A file or folder of the package, beside the built files. */
export function shipped(name: string): string {
  return path.join(__dirname, '..', name);
}
