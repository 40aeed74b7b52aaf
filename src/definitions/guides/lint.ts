// Judges workflow files without walking them, for `deepwork lint`, in the same form as
// jobs are reported. Every file counts, also one that an earlier folder hides.

import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ProblemOf } from '../../files/project-path.ts';
import { openFindingLog } from '../finding.ts';
import { type LintedFile, nothingToLint } from '../lint-report.ts';
import { openGuideFile, openGuideFiles, readGuideBytes, troubleOf } from './guide-file.ts';
import { asDuplicate, indexGuides } from './guide-index.ts';
import type { ParsedGuide } from './guide-model.ts';

/** Everything in the given folders; folders that do not exist are skipped. */
export async function lintGuideFolders(
  folders: readonly string[],
  problemOf: ProblemOf = () => null,
): Promise<LintedFile[]> {
  const files: LintedFile[] = [];
  for (const folder of new Set(folders.map((path) => resolve(path)))) {
    files.push(...(await lintGuideFolder(folder, problemOf)));
  }
  return files;
}

/** One file that is there, judged by itself. */
export async function lintGuideFile(file: string): Promise<LintedFile> {
  const content = readGuideBytes(await realpath(dirname(file)), file);
  return describe(file, await openGuideFile(file, content).check());
}

async function lintGuideFolder(path: string, problemOf: ProblemOf): Promise<LintedFile[]> {
  const watchFrom = Number.POSITIVE_INFINITY;
  const guides = openGuideFiles({ folders: () => [path], problemOf, watchFrom });
  const views = await guides.look('all');
  const losers = new Set(indexGuides(views).losers);
  const linted: LintedFile[] = [];
  for (const view of views) {
    for (const file of view.files) {
      const checked = await file.check();
      linted.push(describe(file.file, losers.has(file) ? asDuplicate(file, checked) : checked));
    }
    const trouble = troubleOf(view);
    if (trouble !== null) linted.push(nothingToLint(path, trouble));
  }
  return linted;
}

function describe(file: string, checked: ParsedGuide): LintedFile {
  const problems = openFindingLog();
  const warnings = openFindingLog();
  if (checked.kind === 'guide') {
    for (const warning of checked.warnings) warnings.add(warning.message, warning);
  } else {
    for (const problem of checked.problems) problems.add(problem.message, problem);
    problems.pass(checked.left);
  }
  return { kind: 'guide', file, problems, warnings };
}
