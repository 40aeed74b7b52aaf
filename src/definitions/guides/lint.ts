// Judges workflow files without walking them, for `deepwork lint`, in the same form as
// jobs are reported. Every file counts, also one that an earlier folder hides.

import { resolve } from 'node:path';
import { openFindingLog } from '../finding.ts';
import type { LintedFile, LintReport } from '../lint.ts';
import { openGuideFolder } from './guide-folder.ts';
import { asDuplicate, indexGuides } from './guide-index.ts';
import type { ParsedGuide } from './guide-model.ts';

/** Everything in the given folders; folders that do not exist are skipped. */
export async function lintGuides(folders: readonly string[]): Promise<LintReport> {
  const files: LintedFile[] = [];
  for (const folder of new Set(folders.map((path) => resolve(path)))) {
    files.push(...(await lintGuideFolder(folder)));
  }
  const problems = files.reduce(
    (sum, file) => sum + file.problems.kept.length + file.problems.left,
    0,
  );
  return { files, problems, warnings: 0 };
}

async function lintGuideFolder(path: string): Promise<LintedFile[]> {
  const folder = openGuideFolder(path, { watch: false });
  const view = await folder.look('all');
  const losers = new Set(indexGuides([view]).losers);
  const linted: LintedFile[] = [];
  for (const file of view.files) {
    const checked = await file.check();
    linted.push(describe(file.file, losers.has(file) ? asDuplicate(file, checked) : checked));
  }
  if (view.trouble !== null) linted.push(describeTrouble(path, view.trouble));
  return linted;
}

function describe(file: string, checked: ParsedGuide): LintedFile {
  const problems = openFindingLog();
  if (checked.kind === 'invalid') {
    for (const problem of checked.problems) problems.add(problem.message, problem);
    problems.pass(checked.left);
  }
  return { file, problems, warnings: openFindingLog() };
}

function describeTrouble(path: string, why: string): LintedFile {
  const problems = openFindingLog();
  problems.add(`Nothing to lint here: ${why}`, { line: 1, column: 1 });
  return { file: path, problems, warnings: openFindingLog() };
}
