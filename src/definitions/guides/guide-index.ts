// Maps ids to files. The first file with an id wins, valid or not: folder by folder, then by file
// name. A file may be hidden by one in an earlier folder; two files in one folder with the same id
// are a mistake and are reported.

import { MAX_PROBLEMS } from '../../core/conditions-problems.ts';
import type { RootView } from '../../files/collection-root.ts';
import { findIdPosition, type GuideFile } from './guide-file.ts';
import type { InvalidGuide } from './guide-model.ts';
import { invalidFile } from './parse-guide.ts';

export interface GuideIndex {
  /** The folders it was built from, in their order. */
  readonly views: readonly RootView<GuideFile>[];
  readonly winners: ReadonlyMap<string, Winner>;
  /** Files hidden by another file of the same folder. */
  readonly losers: readonly GuideFile[];
}

interface Winner {
  readonly folder: string;
  readonly guide: GuideFile;
}

export function indexGuides(views: readonly RootView<GuideFile>[]): GuideIndex {
  const winners = new Map<string, Winner>();
  const losers: GuideFile[] = [];
  for (const { root: folder, files } of views) {
    for (const guide of files) {
      const winner = winners.get(guide.id);
      if (!winner) winners.set(guide.id, { folder, guide });
      else if (winner.folder === folder) losers.push(guide);
    }
  }
  return { views, winners, losers };
}

/** The problems of a hidden file: the duplicate id, and its other problems. */
export async function checkDuplicate(file: GuideFile): Promise<InvalidGuide> {
  const checked = await file.check();
  const message = `Duplicate workflow id: ${file.id}`;
  const own = invalidFile('guide_invalid', 'duplicate_id', message, await findIdPosition(file));
  const duplicates = own.problems.map((issue) => ({ ...issue, path: file.idPath }));
  if (checked.kind === 'guide') return { ...own, problems: duplicates };
  const problems = [...duplicates, ...checked.problems];
  const left = checked.left + Math.max(0, problems.length - MAX_PROBLEMS);
  return { ...checked, criteriaOnly: false, problems: problems.slice(0, MAX_PROBLEMS), left };
}
