// The readable views of sessions, `.deepwork/tmp/session_<id>.json`. A view is written
// after its event is committed, by temp file and rename, and is never read for state:
// the journal is the truth, and a view that is missing, stale or damaged is replaced.

import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Session } from '../core/session/state.ts';
import { viewOf } from '../core/session/view.ts';
import { openReplacer } from '../workspace/replace-file.ts';
import { readSmallFile } from '../workspace/small-file.ts';

export interface Views {
  /** Replaces the session's view. Throws if it cannot be written. */
  write(session: Session): Promise<void>;
  /** Writes the view only if what is there does not show this revision. */
  refresh(session: Session): Promise<void>;
  /** Puts a file beside the views and answers with its path. */
  place(name: string, text: string): Promise<string>;
}

export function openViews(folder: string): Views {
  const replacer = openReplacer(folder);
  let prepared = false;

  async function replace(file: string, text: string): Promise<void> {
    if (!prepared) {
      await prepareFolder(folder);
      prepared = true;
    }
    try {
      replacer.replace(file, text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Somebody cleaned up meanwhile; these files may be deleted at any time.
      await prepareFolder(folder);
      replacer.replace(file, text);
    }
  }

  const fileOf = (session: Session) => path.join(folder, `session_${session.id}.json`);
  const write = (session: Session) =>
    replace(fileOf(session), `${JSON.stringify(viewOf(session), null, 2)}\n`);

  return {
    write,
    async refresh(session) {
      if (revisionIn(fileOf(session)) !== session.seq) await write(session);
    },
    async place(name, text) {
      const file = path.join(folder, name);
      await replace(file, text);
      return file;
    },
  };
}

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await sweep(folder).catch(() => {});
  const ignore = await open(path.join(folder, '.gitignore'), 'wx').catch((error) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (ignore === null) return;
  try {
    await ignore.writeFile('*\n!.gitignore\n');
  } finally {
    await ignore.close();
  }
}

const LEFT_BEHIND_MS = 60_000;

/** Processes that were killed while writing leave their temporary files. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const file = path.join(folder, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(file, { force: true });
  }
}

const VIEW_LIMIT = 64 * 1024 * 1024;

function revisionIn(file: string): unknown {
  try {
    const view: unknown = JSON.parse(readSmallFile(file, VIEW_LIMIT) ?? 'null');
    return typeof view === 'object' && view !== null
      ? (view as { revision?: unknown }).revision
      : null;
  } catch {
    return null;
  }
}
