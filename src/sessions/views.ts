// The readable views of sessions, `.deepwork/tmp/session_<id>.json`. A view is written
// after its event is committed, by temp file and rename, and is never read for state:
// the journal is the truth, and a view that is missing, stale or damaged is replaced.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Session } from '../core/session/state.ts';
import { viewOf } from '../core/session/view.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { readSmallText } from '../files/read-contained.ts';
import { openReplacer } from '../files/replace-file.ts';
import { sweepTemporaryFiles } from '../files/sweep.ts';

export interface Views {
  /** Throws if nothing may be written there: asked before the event that a view is for. */
  check(): void;
  /** Replaces the session's view. Throws if it cannot be written. */
  write(session: Session): Promise<void>;
  /** Writes the view only if what is there does not show this revision. */
  refresh(session: Session): Promise<void>;
  /** Puts a file beside the views and answers with its path. */
  place(name: string, text: string): Promise<string>;
}

/** `check` throws if the folder must not be used; `prepare` comes before anything is made. */
export function openViews(
  folder: string,
  check: () => void = () => {},
  prepare: () => void = () => {},
): Views {
  const replacer = openReplacer(folder, check);
  let prepared = false;

  function prepareFolder(): void {
    check();
    prepare();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    ignoreInGit(folder, ['*', '!.gitignore']);
    sweepTemporaryFiles(folder);
  }

  async function replace(file: string, text: string): Promise<void> {
    if (!prepared) {
      prepareFolder();
      prepared = true;
    }
    try {
      replacer.replace(file, text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Somebody cleaned up meanwhile; these files may be deleted at any time.
      prepareFolder();
      replacer.replace(file, text);
    }
  }

  const fileOf = (session: Session) => path.join(folder, `session_${session.id}.json`);
  const write = (session: Session) =>
    replace(fileOf(session), `${JSON.stringify(viewOf(session), null, 2)}\n`);

  return {
    check,
    write,
    async refresh(session) {
      check();
      if (revisionIn(fileOf(session)) !== session.seq) await write(session);
    },
    async place(name, text) {
      const file = path.join(folder, name);
      await replace(file, text);
      return file;
    },
  };
}

const VIEW_LIMIT = 16 * 1024 * 1024;

function revisionIn(file: string): unknown {
  try {
    const view: unknown = JSON.parse(readSmallText(file, VIEW_LIMIT) ?? 'null');
    return typeof view === 'object' && view !== null
      ? (view as { revision?: unknown }).revision
      : null;
  } catch {
    return null;
  }
}
