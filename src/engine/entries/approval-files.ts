// The files that a person is asked about, with their texts, as much as a person reads at once. For an
// approval they are shown only as they were when it was asked.

import { createHash } from 'node:crypto';
import { worktreeOf } from '../../core/run/work-folder.ts';
import type { ArrivalId, Question } from '../../core/team/state.ts';
import { onOneLine } from '../../core/wording.ts';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { checkOutputPath } from '../../gate/output-path.ts';
import { hashFile, openHashing, readFileUpTo } from '../../gate/submitted-files.ts';
import { openRunStore } from '../unattended/run-store.ts';
import type { Workspace } from '../workspace.ts';

export interface ShownFile {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

/** The files to approve, where the run works; one that has changed since is not shown. */
export async function approvalFiles(
  workspace: Workspace,
  about: ArrivalId | undefined,
): Promise<ShownFile[]> {
  const { session, files = {} } = about ?? {};
  if (session === undefined) return [];
  const root = await folderOf(workspace, session);
  return showFiles(files, (path, sha256) => pinnedFile(root, path, sha256));
}

/** For the person who has just answered: an answer counts only for the content that was shown. */
export async function voidWarnings(
  workspace: Workspace,
  { id, about, outcome }: Pick<Question, 'id' | 'about' | 'outcome'>,
): Promise<string[]> {
  if (about?.grants !== 'approval' || outcome.kind !== 'answered') return [];
  // The answer is recorded: failing to check the files must not look as if it were not.
  const changed = await changedFiles(workspace, about).catch(() => []);
  if (changed.length === 0) return [];
  const have = changed.length === 1 ? 'has' : 'have';
  return [
    `${nameList(changed)} ${have} changed since ${id} was asked, so the answer is void. The question will be asked again about the new content.`,
  ];
}

/** The files that are no longer as they were shown, as long as the session waits for the answer. */
async function changedFiles(
  workspace: Workspace,
  { session, arrival, files = {} }: ArrivalId,
): Promise<string[]> {
  const root = await folderOf(workspace, session);
  const hashing = openHashing(new AbortController().signal);
  const changed: string[] = [];
  for (const [path, sha256] of Object.entries(files)) {
    const found = await checkOutputPath(root, path);
    const now =
      found.kind === 'problem'
        ? null
        : await hashFile(root, found.absolute, hashing).catch(() => null);
    if (now !== sha256) changed.push(onOneLine(path));
  }
  // A waiting call may have taken the answer; then the next step may change the files.
  const isWaiting = (await workspace.store.load(session))?.position.arrival === arrival;
  return isWaiting ? changed : [];
}

function nameList(names: readonly string[]): string {
  const listed = names.slice(0, MAX_FILES).join(', ');
  return names.length > MAX_FILES ? `${listed} and ${names.length - MAX_FILES} more` : listed;
}

/** Where the run of a session works. */
async function folderOf(
  { store, journal, clock, processes, paths }: Workspace,
  session: string,
): Promise<string> {
  const runs = openRunStore(journal, clock, processes);
  const worktree = await worktreeOf(session, {
    runOf: runs.load,
    parentOf: async (id) => (await store.load(id))?.parentId ?? null,
  });
  return worktree ?? paths.work;
}

type ReadFile =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: Exclude<keyof typeof NOT_SHOWN, 'no_room'> };

const MAX_READ_BYTES = 5 * 1024 * 1024;

/** Only if its content is still what it was when the question was asked, so that a person reads exactly what is approved. */
async function pinnedFile(root: string, path: string, sha256: string): Promise<ReadFile> {
  const found = await checkOutputPath(root, path);
  if (found.kind === 'problem') return { kind: 'unknown' };
  const bytes = await readFileUpTo(root, found.absolute, MAX_READ_BYTES).catch(() => null);
  if (bytes === null) return { kind: 'not_text' };
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return { kind: 'changed' };
  const text = decodeUtf8(bytes);
  return text === null ? { kind: 'not_text' } : { kind: 'same', text };
}

/** `files` are hashes by path. */
export async function showFiles(
  files: Readonly<Record<string, string>>,
  read: (path: string, sha256: string) => Promise<ReadFile>,
): Promise<ShownFile[]> {
  const shown: ShownFile[] = [];
  let room = MAX_SHOWN_CHARS;
  for (const [path, sha256] of Object.entries(files).slice(0, MAX_FILES)) {
    const found = room > 0 ? await read(path, sha256) : NO_ROOM;
    const text = found.kind === 'same' ? cut(found.text, room) : NOT_SHOWN[found.kind];
    room -= text.length;
    shown.push({ path, sha256, text });
  }
  return shown;
}

/** As much as a person reads at once; the page of the run has every file. */
const MAX_FILES = 20;
const MAX_SHOWN_CHARS = 128 * 1024;
const NO_ROOM = { kind: 'no_room' } as const;

function cut(text: string, room: number): string {
  return text.length <= room
    ? text
    : `${text.slice(0, room)}\n(cut; the page of the run has all of it)`;
}

const NOT_SHOWN = {
  no_room: '(see the page of the run)',
  changed: '(the file has changed since it was submitted)',
  not_text: '(too large to show here, or not text)',
  unknown: '(not found)',
};
