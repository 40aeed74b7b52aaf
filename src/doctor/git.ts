// Whether runs get branches: git is installed, the project is in a usable repository, and
// `git.branch` does not turn them off.

import { runGit } from '../environment/git/git.ts';
import { findRepository } from '../environment/git/git-repository.ts';
import { pathsOf } from '../environment/paths.ts';
import { openConfig } from '../environment/settings/config.ts';
import { effectiveSettings } from '../environment/settings/settings.ts';
import { type Checker, ok, warning } from './check.ts';

/** Never created, only looked up. */
const SOME_REF = 'refs/heads/deepwork/doctor';
const OFF = 'set git.branch: off in .deepwork/config.yml';

export const git: Checker = {
  name: 'git',
  timeoutMs: 15_000,
  async run({ root }) {
    const config = await openConfig(root, pathsOf(root).config)().catch(() => null);
    const mode = config === null ? 'not known' : effectiveSettings({}, config).branch;
    const branch = `git.branch: ${mode}`;
    const { ok: runs, stdout, why } = await runGit({ root, args: ['--version'] });
    const version = runs ? stdout.trim().replace('git version', 'git') : why;
    if (mode === 'off') return ok(`${version}; ${branch}`);
    if (!runs) return warning(`${why}, so runs get no branch`, `install git, or ${OFF}`);
    const found = await findRepository(root, SOME_REF);
    if (found.kind === 'found') return ok(`${version}; ${branch}`);
    return warning(
      `${version}; runs get no branch: ${found.why}`,
      `commit something to a repository here, or ${OFF}`,
    );
  },
};
