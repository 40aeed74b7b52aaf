// Checks whether this server can work: by writing to the disk of the journal, or by asking the
// database that has it. It tries at most once a second, however often it is asked.

import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';

export interface Health {
  readonly status: 'ok' | 'failing';
  /** Milliseconds for a small write to be safe on disk; null if the journal is in a database. */
  readonly write_ms: number | null;
  readonly reason: string | null;
}

const FRESH_MS = 1000;

export interface HealthOptions {
  /** The journal's folder. */
  readonly journal: string;
  /** Throws if that must not be used. */
  check(): void;
  /** Null if the journal is in files. Throws if it is unclear where it is. */
  database(): Promise<{ health(): Promise<DatabaseHealth> } | null>;
}

interface DatabaseHealth {
  readonly ok: boolean;
  readonly problem: string | null;
}

export function openHealth(options: HealthOptions): () => Promise<Health> {
  let last: { readonly at: number; readonly health: Promise<Health> } | null = null;
  return () => {
    const at = performance.now();
    if (last === null || at - last.at > FRESH_MS) last = { at, health: checkHealth(options) };
    return last.health;
  };
}

async function checkHealth({ journal, check, database }: HealthOptions): Promise<Health> {
  try {
    const found = await database();
    if (found === null) return await tryWrite(journal, check);
    const { ok, problem } = await found.health();
    return { status: ok ? 'ok' : 'failing', write_ms: null, reason: problem };
  } catch (error) {
    return { status: 'failing', write_ms: null, reason: (error as Error).message };
  }
}

async function tryWrite(folder: string, check: () => void): Promise<Health> {
  const began = performance.now();
  const file = path.join(folder, `.health-${randomBytes(6).toString('hex')}`);
  try {
    check();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.write('ok\n');
      await handle.datasync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    const took = Math.round((performance.now() - began) * 10) / 10;
    return { status: 'ok', write_ms: took, reason: null };
  } catch (error) {
    return { status: 'failing', write_ms: null, reason: (error as Error).message };
  }
}
