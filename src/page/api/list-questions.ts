// GET /api/questions: the open questions, with what a person needs to answer them: for an override,
// the files whose reviews would be skipped; for an approval, the files that it is about, as they were
// when it was asked.

import type { ProjectBoard } from '../../board/board.ts';
import type { OpenQuestion } from '../../board/run.ts';
import { pinnedFile } from '../../engine/entries/pinned-file.ts';
import { dismissEnded } from '../../engine/person/ended-questions.ts';
import type { Workspace } from '../../engine/workspace.ts';

interface ShownFile {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

export async function listQuestions(workspace: Workspace, board: ProjectBoard) {
  await dismissEnded(workspace);
  const { questions } = await board.board();
  const open = new Map((await workspace.team.questions.open()).map((each) => [each.id, each]));
  const shown = [];
  for (const question of questions) {
    const { multiSelect = false, about } = open.get(question.id) ?? {};
    const show =
      question.kind === 'approval'
        ? await approvalFiles(board, question, about?.files ?? {})
        : await overrideFiles(board, question);
    shown.push({ ...question, multi_select: multiSelect, show });
  }
  return shown;
}

/** The files to approve; one that has changed since is not shown. */
async function approvalFiles(
  board: ProjectBoard,
  { session_id: id }: OpenQuestion,
  files: Readonly<Record<string, string>>,
): Promise<ShownFile[]> {
  if (id === null) return [];
  const root = await board.workFolderOf(id);
  return showFiles(files, (path, sha256) => pinnedFile(root, path, sha256));
}

/** The files of the last submission, as they were submitted. */
async function overrideFiles(board: ProjectBoard, question: OpenQuestion): Promise<ShownFile[]> {
  const { session_id: id, kind } = question;
  if (id === null || kind !== 'override') return [];
  const { run, workflow } = await board.run(id);
  const step = workflow.steps.find((each) => each.id === run.step);
  const files = step?.progress.submissions.at(-1)?.files ?? {};
  return showFiles(files, (_, sha256) => board.submittedFile(id, sha256));
}

type ReadFile =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: Exclude<keyof typeof NOT_SHOWN, 'no_room'> };

/** `files` are hashes by path. */
async function showFiles(
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
