// Whether a person has agreed that the commands of a workspace may run here: the checks
// of its jobs, and a reviewer that its config names. Kept in the user's home, never in
// the project, by real path and a hash of each command: a cloned repository cannot trust
// itself, and a changed command asks again. Each project has a file of its own, so that
// two people's, or scripts', words at the same time cannot undo each other.

import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';

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
  folder = path.join(os.homedir(), '.deepwork', 'trust.d'),
): Trust {
  const project = realOf(root);
  const file = path.join(folder, `${sha256(project)}.json`);
  return {
    async stateOf(commands) {
      if (trusted) return 'trusted';
      const known = readTrust(file, project);
      if (known === null) return 'unknown';
      return commands.every((command) => known.includes(hashOf(command))) ? 'trusted' : 'changed';
    },
    async grant(commands) {
      const list = [...new Set(commands.map(hashOf))].sort();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (readTrust(file, project) === null) await keepAside(file);
      const temporary = `${file}.${randomBytes(4).toString('hex')}`;
      const text = JSON.stringify({ project, commands: list }, null, 2);
      await writeFile(temporary, `${text}\n`, { mode: 0o600, flag: 'wx' });
      await rename(temporary, file);
    },
  };
}

/** What is in the file's place and cannot be read, if anything, may be of use to somebody. */
async function keepAside(file: string): Promise<void> {
  try {
    await rename(file, `${file}.unreadable-${randomBytes(4).toString('hex')}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hashOf({ file, name, run }: TrustedCommand): string {
  return sha256(JSON.stringify([realOf(file), name, run]));
}

/** The same project by another path is the same project. */
function realOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/** The hashes that the project's file holds, or null if there is none or it cannot be read. */
function readTrust(file: string, project: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(readSmallText(file, LIMIT) ?? 'null');
    const { project: of, commands } = value as { project?: unknown; commands?: unknown };
    return of === project && Array.isArray(commands) ? commands : null;
  } catch {
    return null;
  }
}
