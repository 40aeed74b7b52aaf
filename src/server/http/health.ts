// Whether this server can do its work, found out by doing some: what it writes must reach
// the disk that the journal is on. Asked often, it tries at most once a second.

import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';

export interface Health {
  readonly status: 'ok' | 'failing';
  /** Milliseconds for a small write to be safe on disk. */
  readonly write_ms: number | null;
  readonly reason: string | null;
}

const FRESH_MS = 1000;

/** `check` throws if the journal's folder must not be used. */
export function openHealth(journal: string, check: () => void): () => Promise<Health> {
  let last: { readonly at: number; readonly health: Promise<Health> } | null = null;
  return () => {
    const at = performance.now();
    if (last === null || at - last.at > FRESH_MS) last = { at, health: tryWrite(journal, check) };
    return last.health;
  };
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
