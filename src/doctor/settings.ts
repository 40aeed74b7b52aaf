// Whether `.deepwork/config.yml` and the front matter of `GOAL.md` are valid.

import path from 'node:path';
import { counted } from '../core/wording.ts';
import type { LintedFile } from '../definitions/lint-report.ts';
import { lintSettings } from '../team/lint-settings.ts';
import { type Checker, ok, problem, warning } from './check.ts';

const FIX = 'correct it; deepwork lint names every place';

export const settings: Checker = {
  name: 'settings',
  timeoutMs: 10_000,
  async run({ root }) {
    const files = await lintSettings(root);
    const problems = found(files, root, 'problems');
    const warnings = found(files, root, 'warnings');
    if (problems !== null) return problem(problems, FIX);
    if (warnings !== null) return warning(warnings, FIX);
    const names = files.map(({ file }) => path.relative(root, file));
    return ok(names.length === 0 ? 'none: the defaults apply' : names.join(', '));
  },
};

/** The first one, and how many there are; null if there is none. */
function found(
  files: readonly LintedFile[],
  root: string,
  kind: 'problems' | 'warnings',
): string | null {
  const all = files.reduce((sum, file) => sum + file[kind].kept.length + file[kind].left, 0);
  const first = files.find((file) => file[kind].kept.length > 0);
  const issue = first?.[kind].kept[0];
  if (first === undefined || issue === undefined) return null;
  const { at, message } = issue;
  const more = all === 1 ? '' : ` (${counted(all, kind.slice(0, -1))} in all)`;
  return `${path.relative(root, first.file)}:${at.line}:${at.column}: ${message}${more}`;
}
