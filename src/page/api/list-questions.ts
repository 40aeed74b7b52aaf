// GET /api/questions: the open questions, with what a person needs to answer them: for an override,
// the files whose reviews would be skipped; for an approval, the files that it is about, as they were
// when it was asked.

import type { ProjectBoard } from '../../board/board.ts';
import type { OpenQuestion } from '../../board/run.ts';
import { approvalFiles, type ShownFile, showFiles } from '../../engine/entries/approval-files.ts';
import { dismissEnded } from '../../engine/person/ended-questions.ts';
import type { Workspace } from '../../engine/workspace.ts';

export async function listQuestions(workspace: Workspace, board: ProjectBoard) {
  // This closes only questions whose answers no longer matter, so doing it while reading, or twice, is harmless.
  await dismissEnded(workspace);
  const { questions } = await board.board();
  const open = new Map((await workspace.team.questions.open()).map((each) => [each.id, each]));
  const shown = [];
  for (const question of questions) {
    const { multiSelect = false, about } = open.get(question.id) ?? {};
    const show =
      question.kind === 'approval'
        ? await approvalFiles(workspace, about)
        : await overrideFiles(board, question);
    shown.push({ ...question, multi_select: multiSelect, show });
  }
  return shown;
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
