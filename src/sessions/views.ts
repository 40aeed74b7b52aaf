// The readable views of sessions, `.deepwork/tmp/session_<id>.json`. A view is written
// after its event is committed, by temp file and rename, and is never read for state:
// the journal is the truth, and a view that is missing, stale or damaged is replaced.
//
// Several processes write the view of one session, each with what it has read so far. So
// a view is put in place only if the one that is there is the one that the writer knows
// of; `shown-views.ts` decides that.

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
  /**
   * Replaces the session's view, if the revision that is there may be replaced: asked when
   * nothing but the rename is left to do. Throws if it cannot be written.
   */
  write(session: Session, mayReplace: (revision: number | null) => boolean): Promise<boolean>;
  /** The revision that the view claims to show; null if it names none. */
  revision(id: string): number | null;
  /** The view as it is, for people; null if there is none that can be read. */
  read(id: string): Record<string, unknown> | null;
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

  async function replace(
    file: string,
    text: string,
    mayReplace: () => boolean = () => true,
  ): Promise<boolean> {
    if (!prepared) {
      prepareFolder();
      prepared = true;
    }
    try {
      return replacer.replace(file, text, mayReplace);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Somebody cleaned up meanwhile; these files may be deleted at any time.
      prepareFolder();
      return replacer.replace(file, text, mayReplace);
    }
  }

  const fileOf = (id: string) => path.join(folder, `session_${id}.json`);

  return {
    check,
    write(session, mayReplace) {
      const file = fileOf(session.id);
      const text = `${JSON.stringify(viewOf(session), null, 2)}\n`;
      return replace(file, text, () => mayReplace(revisionIn(file)));
    },
    revision(id) {
      check();
      return revisionIn(fileOf(id));
    },
    read(id) {
      check();
      return viewIn(fileOf(id));
    },
    async place(name, text) {
      const file = path.join(folder, name);
      await replace(file, text);
      return file;
    },
  };
}

const VIEW_LIMIT = 16 * 1024 * 1024;

/** Looked for without parsing, since every commit asks; no text within JSON has a bare newline. */
function revisionIn(file: string): number | null {
  const found = /\n {2}"revision": (\d+),/.exec(readSmallText(file, VIEW_LIMIT) ?? '');
  return found === null ? null : Number(found[1]);
}

function viewIn(file: string): Record<string, unknown> | null {
  try {
    const view: unknown = JSON.parse(readSmallText(file, VIEW_LIMIT) ?? 'null');
    return typeof view === 'object' && view !== null ? (view as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
