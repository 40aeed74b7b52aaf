// Whether the jobs and guides that the project can run load, by the totals of `deepwork lint`.

import { counted } from '../core/wording.ts';
import { guideFolders, jobFolders } from '../definitions/folders.ts';
import { lintFolders } from '../definitions/lint.ts';
import { otherFolders } from '../engine/project-folders.ts';
import { linkProblem } from '../files/folder-links.ts';
import { type Checker, ok, problem, warning } from './check.ts';

const FIX = 'see each with its line: deepwork lint';

export const definitions: Checker = {
  name: 'definitions',
  timeoutMs: 30_000,
  async run({ root, home, env, bundled }) {
    const report = await lintFolders({
      project: root,
      jobs: jobFolders(root, env, bundled.standardJobsDir),
      guides: guideFolders(root, env, home, bundled.standardGuidesDir),
      others: otherFolders(root),
      problemOf: (folder) => linkProblem(root, folder),
    });
    const { jobs, guides, problems, warnings } = report;
    const found = `${counted(jobs, 'job')} and ${counted(guides, 'guide')}, bundled ones included`;
    const totals = `${found}: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
    if (problems > 0) return problem(totals, FIX);
    return warnings > 0 ? warning(totals, FIX) : ok(found);
  },
};
