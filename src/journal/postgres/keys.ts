// The key of a workspace, created by the first process that writes and kept in the database, so
// that every machine can verify what another one signed. The keys in use are derived from it, one
// for each purpose, as from the user's key for files.

import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import type { WorkspaceKeys } from './store.ts';

export interface KeyRing {
  keys(): Promise<WorkspaceKeys>;
  known(): WorkspaceKeys | null;
}

export function openKeyRing(db: Database, workspace: string, readOnly: boolean): KeyRing {
  let known: WorkspaceKeys | null = null;

  async function read(): Promise<Buffer | null> {
    const [row] = await db.query<{ key: Buffer }>(
      `select key from ${db.schema}workspace where name = $1`,
      [workspace],
    );
    return row?.key ?? null;
  }

  /** If several processes create one, all use the first. */
  async function make(): Promise<Buffer> {
    await db.query(
      `insert into ${db.schema}workspace (name, key) values ($1, $2) on conflict do nothing`,
      [workspace, randomBytes(32)],
    );
    const key = await read();
    if (key === null) throw new Error(`The workspace '${workspace}' has no key`);
    return key;
  }

  return {
    async keys() {
      if (known !== null) return known;
      const key = (await read()) ?? (readOnly ? null : await make());
      // Nothing was signed yet, so a reader needs a key that proves nothing, and asks again.
      if (key === null) return keysFrom(randomBytes(32));
      known = keysFrom(key);
      return known;
    },
    known: () => known,
  };
}

function keysFrom(key: Buffer): WorkspaceKeys {
  const derive = (purpose: string) =>
    createHmac('sha256', key).update(`deepwork ${purpose}`).digest();
  return { journal: derive('journal'), forms: derive('forms'), reviews: derive('reviews') };
}
