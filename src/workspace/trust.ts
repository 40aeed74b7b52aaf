// Whether a person has agreed that the checks of a workspace may run here. Kept in the
// user's home, never in the project, by the project's real path and a hash of the
// commands: a cloned repository cannot trust itself, and a changed command asks again.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** One command that would run, and where it is written. */
export interface TrustedCommand {
  readonly job: string;
  readonly step: string;
  readonly name: string;
  readonly run: string;
}

export interface Trust {
  isTrusted(commands: readonly TrustedCommand[]): Promise<boolean>;
  grant(commands: readonly TrustedCommand[]): Promise<void>;
}

export function openTrust(
  root: string,
  /** For automation: somebody who may has said so for this run. */
  trusted: boolean,
  file = path.join(os.homedir(), '.deepwork', 'trust.json'),
): Trust {
  return {
    async isTrusted(commands) {
      if (trusted) return true;
      return (await readTrust(file))[await realpath(root)] === hashOf(commands);
    },
    async grant(commands) {
      const trusted = { ...(await readTrust(file)), [await realpath(root)]: hashOf(commands) };
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const temporary = `${file}.${randomBytes(4).toString('hex')}`;
      await writeFile(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
      await rename(temporary, file);
    },
  };
}

function hashOf(commands: readonly TrustedCommand[]): string {
  const list = commands.map(({ job, step, name, run }) => JSON.stringify([job, step, name, run]));
  return createHash('sha256').update(list.sort().join('\n')).digest('hex');
}

async function readTrust(file: string): Promise<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    return {};
  }
}
