// The readable views of sessions, `.deepwork/tmp/session_<id>.json`. A view is written after
// its event is committed, by temp file and rename, and is never read for state: the journal is
// the truth, and a view that is missing, stale or damaged is replaced.
//
// Several processes write the view of one session, each with what it has read so far. So a
// view is replaced only if it is the one that the writer knows of; `shown-views.ts` decides
// that.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Session } from '../core/session/state.ts';
import { REVISION_WITHIN, revisionIn } from '../core/session/view.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { readSmallText, readTextStart } from '../files/read-contained.ts';
import { openReplacer } from '../files/replace-file.ts';
import { sweepTemporaryFiles } from '../files/sweep.ts';
import { type OpenMarks, openMarks } from './open-marks.ts';
import { openViewTexts, type ViewText } from './view-text.ts';

export interface Views {
  /** Throws if nothing may be written there; called before the event is committed. */
  check(): void;
  /**
   * Replaces the session's view if `mayReplace` accepts the existing revision; asked right
   * before the rename. Throws if it cannot be written.
   */
  write(session: Session, mayReplace: (revision: number | null) => boolean): Promise<boolean>;
  /** The revision that the view claims to show; null if there is none. */
  revision(id: string): number | null;
  /** The current view, for people; null if there is none that can be read. */
  read(id: string): Record<string, unknown> | null;
  /** Writes a file beside the views and returns its path. */
  place(name: string, text: string): Promise<string>;
  /** Which sessions may be open, for hooks, which have no time to read the journal. */
  readonly marks: OpenMarks;
  /** Releases the files held for writing. */
  close(): void;
}

/** `check` throws if the folder must not be used; `prepare` runs before anything is created. */
export function openViews(
  folder: string,
  check: () => void = () => {},
  prepare: () => void = () => {},
): Views {
  const replacer = openReplacer(folder, check);
  const textOf = openViewTexts();
  let prepared = false;

  function prepareFolder(): void {
    check();
    prepare();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    ignoreInGit(folder, ['*', '!.gitignore']);
    sweepTemporaryFiles(folder);
  }

  function prepareOnce(): void {
    if (!prepared) prepareFolder();
    prepared = true;
  }

  async function replace(
    file: string,
    text: string | ViewText,
    mayReplace: () => boolean = () => true,
  ): Promise<boolean> {
    prepareOnce();
    try {
      return replacer.replace(file, text, mayReplace);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The folder was deleted, which is allowed at any time.
      prepareFolder();
      return replacer.replace(file, text, mayReplace);
    }
  }

  const fileOf = (id: string) => path.join(folder, `session_${id}.json`);

  return {
    check,
    write(session, mayReplace) {
      const file = fileOf(session.id);
      return replace(file, textOf(session), () => mayReplace(shownRevision(file)));
    },
    revision(id) {
      check();
      return shownRevision(fileOf(id));
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
    marks: openMarks(folder, prepareOnce),
    close: replacer.close,
  };
}

/** Removes the views of sessions that are gone, and the files of their reviews. */
export function removeViews(folder: string, ids: ReadonlySet<string>): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, viewed, reviewed] = OF_SESSION.exec(name) ?? [];
    const id = viewed ?? reviewed;
    if (id !== undefined && ids.has(id)) rmSync(path.join(folder, name), { force: true });
  }
}

const OF_SESSION = /^(?:session_([0-9a-f]{8})\.json|quality_review_([0-9a-f]{8})_.*\.md)$/;
const MAX_VIEW_BYTES = 16 * 1024 * 1024;

/** Found without reading all of it, because every commit needs it; null if there is no view. */
function shownRevision(file: string): number | null {
  return revisionIn(readTextStart(file, REVISION_WITHIN) ?? '');
}

/** All of it, even if a person has edited it; null if it is not a view. */
export function viewIn(file: string): Record<string, unknown> | null {
  try {
    const view: unknown = JSON.parse(readSmallText(file, MAX_VIEW_BYTES) ?? 'null');
    return typeof view === 'object' && view !== null ? (view as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
