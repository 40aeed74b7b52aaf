// Whether a person has agreed that the commands of a workspace may run here: the checks
// of its jobs, and a reviewer that its config names. Kept in the user's home, never in
// the project, by real path and a hash of each command: a cloned repository cannot trust
// itself, and a changed command asks again.

import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readSmallFile } from './small-file.ts';

/** One command that would run, and where it is written. */
export interface TrustedCommand {
  /** The file that names it. */
  readonly file: string;
  /** For a check: its step and its own name. */
  readonly name: string;
  readonly run: string;
}

/** `changed`: this workspace was trusted once, but not with these commands. */
export type TrustState = 'trusted' | 'changed' | 'unknown';

export interface Trust {
  stateOf(commands: readonly TrustedCommand[]): Promise<TrustState>;
  grant(commands: readonly TrustedCommand[]): Promise<void>;
}

const LIMIT = 16 * 1024 * 1024;

export function openTrust(
  root: string,
  /** For automation: somebody who may has said so for this run. */
  trusted: boolean,
  file = path.join(os.homedir(), '.deepwork', 'trust.json'),
): Trust {
  return {
    async stateOf(commands) {
      if (trusted) return 'trusted';
      const known = readTrust(file)[realOf(root)];
      if (known === undefined) return 'unknown';
      return commands.every((command) => known.includes(hashOf(command))) ? 'trusted' : 'changed';
    },
    async grant(commands) {
      const list = [...new Set(commands.map(hashOf))].sort();
      const next = { ...readTrust(file), [realOf(root)]: list };
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const temporary = `${file}.${randomBytes(4).toString('hex')}`;
      await writeFile(temporary, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      await rename(temporary, file);
    },
  };
}

function hashOf({ file, name, run }: TrustedCommand): string {
  return createHash('sha256')
    .update(JSON.stringify([realOf(file), name, run]))
    .digest('hex');
}

/** The same project by another path is the same project. */
function realOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

function readTrust(file: string): Record<string, readonly string[]> {
  try {
    const value: unknown = JSON.parse(readSmallFile(file, LIMIT) ?? '{}');
    return Object.fromEntries(
      Object.entries(value as Record<string, unknown>).filter(([, list]) => Array.isArray(list)),
    ) as Record<string, readonly string[]>;
  } catch {
    return {};
  }
}
