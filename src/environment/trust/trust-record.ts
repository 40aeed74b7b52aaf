// What a person agreed to in one project. Kept in the user's home, never in the project, so
// that a cloned repository cannot trust itself. It stores the values and not only hashes,
// because trusted values still apply when the project's own values later become weaker. Each
// project has its own file, so that simultaneous grants cannot undo each other.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../core/is-record.ts';
import { openReadCache, takeFingerprint } from '../../files/fingerprint.ts';
import { readSmallText } from '../../files/read-contained.ts';
import { errorCode } from '../../files/system-errors.ts';
import { type RepositoryIdentity, readIdentity } from '../git/repository-identity.ts';
import type { TrustedSettings } from '../settings/guarded-settings.ts';
import type { Scripts } from './command-scripts.ts';

/** One command that would run, and where it is written. */
export interface TrustedCommand {
  /** The file that names it. */
  readonly file: string;
  /** For a check: its step and its own name. */
  readonly name: string;
  readonly run: string;
  /** For a check: what is needed to run it after its job no longer names it. */
  readonly check?: CheckOf;
}

export interface CheckOf {
  /** The job's declared name, since its folder may be moved. */
  readonly job: string;
  readonly step: string;
  readonly name: string;
  readonly timeoutSeconds: number;
  /** The condition of its step, as JSON; null if none. */
  readonly when: string | null;
  /** The workflows that contain its step. */
  readonly workflows: readonly string[];
}

/** A command with the files it ran when it was trusted. */
export interface TrustedEntry extends TrustedCommand {
  readonly scripts: Scripts;
}

export interface TrustRecord {
  /** The real path. */
  readonly project: string;
  readonly repository: RepositoryIdentity;
  readonly commands: readonly TrustedEntry[];
  readonly settings: TrustedSettings;
}

export interface RecordFile {
  /** Null if there is none, or it cannot be read. */
  read(): TrustRecord | null;
  write(record: TrustRecord): Promise<void>;
  /** False if there was nothing to remove. */
  remove(): Promise<boolean>;
}

const MAX_BYTES = 16 * 1024 * 1024;

export function openRecordFile(folder: string, project: string): RecordFile {
  const name = createHash('sha256').update(project).digest('hex');
  const file = path.join(folder, `${name}.json`);
  const readOnce = openReadCache<TrustRecord | null>();

  function read(): TrustRecord | null {
    const print = takeFingerprint(file);
    if (print.kind !== 'present') return null;
    return readOnce(print, () => parse(readSmallText(file, MAX_BYTES), project));
  }

  return {
    read,
    async write(next) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (read() === null) await keepAside(file);
      const temporary = `${file}.${randomBytes(4).toString('hex')}`;
      const text = JSON.stringify(next, null, 2);
      await writeFile(temporary, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
      await rename(temporary, file);
    },
    async remove() {
      if (takeFingerprint(file).kind !== 'present') return false;
      await rm(file, { force: true });
      return true;
    },
  };
}

/** Keeps an unreadable file: someone may still need it. */
async function keepAside(file: string): Promise<void> {
  try {
    await rename(file, `${file}.unreadable-${randomBytes(4).toString('hex')}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** A record of any other shape trusts nothing. */
function parse(text: string | null, project: string): TrustRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isRecord(value) || value.project !== project) return null;
    const { commands, settings } = value;
    const repository = readIdentity(value.repository);
    if (repository === null || !isRecord(settings)) return null;
    if (!Array.isArray(commands) || !commands.every(isEntry)) return null;
    return { project, repository, commands, settings };
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is TrustedEntry {
  if (!isRecord(value)) return false;
  const { file, name, run, check, scripts } = value;
  return (
    [file, name, run].every((each) => typeof each === 'string') &&
    (check === undefined || isCheck(check)) &&
    isRecord(scripts) &&
    Object.values(scripts).every((each) => each === null || typeof each === 'string')
  );
}

function isCheck(value: unknown): value is CheckOf {
  return (
    isRecord(value) &&
    [value.job, value.step, value.name].every((each) => typeof each === 'string') &&
    Number.isSafeInteger(value.timeoutSeconds) &&
    (value.when === null || typeof value.when === 'string') &&
    Array.isArray(value.workflows)
  );
}
