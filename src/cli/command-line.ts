// Shared by the commands: parsing of their arguments, and where the files that ship with deepwork are.

import path from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../core/nearest.ts';
import type { Io } from './io.ts';
import { COMMAND_OPTIONS, type CommandName } from './options.ts';

declare const __dirname: string;

/** An invalid command line; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type ParsedLine<Name extends CommandName> = ReturnType<
  typeof parseArgs<{ options: (typeof COMMAND_OPTIONS)[Name]; allowPositionals: true }>
>;

/** For a command that takes options only. With --help, it prints `help` and returns null. */
export function readOptions<Name extends CommandName>(
  io: Pick<Io, 'stdout'>,
  command: Name,
  argv: readonly string[],
  help: string,
): ParsedLine<Name>['values'] | null {
  return readCommandLine(io, command, argv, help, false)?.values ?? null;
}

/** The same for a command that also takes arguments without a flag. */
export function readCommandLine<Name extends CommandName>(
  io: Pick<Io, 'stdout'>,
  command: Name,
  argv: readonly string[],
  help: string,
  allowPositionals = true,
): ParsedLine<Name> | null {
  const options: ParseArgsConfig['options'] = {
    ...COMMAND_OPTIONS[command],
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const line = parseArgs({ args: [...argv], allowPositionals, options });
    if (!line.values.help) return line as ParsedLine<Name>;
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. ');
    const meant = meantOption(message, Object.keys(options));
    throw new UsageError(
      `${message}${meant}${meant === '' ? '.' : ''} Try: deepwork ${command} --help`,
    );
  }
  io.stdout.write(help);
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
