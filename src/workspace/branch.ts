// The git branch of a run: its name, and the ref itself. Git is a convenience here:
// whatever goes wrong with it is a warning and never stops the work.

import { execFile } from 'node:child_process';

export type BranchMode = 'create' | 'checkout' | 'off';

/** `deepwork/<job>-<workflow>-<instance or date>`, made legal as a git ref. */
export function branchName(
  jobName: string,
  workflowName: string,
  instanceId: string | null,
  at: string,
): string {
  // A ref is a file name: whatever is longer would be cut anyway.
  const last = instanceId?.slice(0, 255) ?? at.slice(0, 10).replaceAll('-', '');
  const name = `${jobName}-${workflowName}-${last}`
    .replace(/[^\p{L}\p{N}._-]/gu, '-')
    .replace(/\.{2,}/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .replace(/\.lock$/i, '-lock');
  // Refs become file names: 255 bytes is the common limit, less `.lock`.
  return `deepwork/${cutToBytes(name, 240)}`;
}

/** Makes the ref at HEAD (or switches to it); answers with a warning if it could not. */
export async function prepareBranch(
  root: string,
  name: string,
  mode: BranchMode,
): Promise<string | null> {
  if (mode === 'off') return null;
  const exists = () => git(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`]);
  let ran = await exists();
  if (!ran.ok) {
    const made = await git(root, ['branch', '--no-track', name]);
    // Another start of the same run may have made it in this instant.
    ran = made.ok || (await exists()).ok ? { ok: true, why: '' } : made;
  }
  if (ran.ok && mode === 'checkout') ran = await git(root, ['checkout', name]);
  if (ran.ok) return null;
  return `Git branch '${name}' was not ${mode === 'create' ? 'created' : 'checked out'}: ${ran.why}`;
}

interface Ran {
  readonly ok: boolean;
  readonly why: string;
}

function git(root: string, args: readonly string[]): Promise<Ran> {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      'git',
      [...args],
      { cwd: root, timeout: 10_000, maxBuffer: 64 * 1024, env: { ...env, LC_ALL: 'C' } },
      (error, _stdout, stderr) => {
        if (error === null) return resolve({ ok: true, why: '' });
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        const said = stderr.trim().split('\n')[0]?.slice(0, 200);
        resolve({ ok: false, why: missing ? 'git is not installed' : said || error.message });
      },
    );
  });
}

function cutToBytes(text: string, limit: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > limit) cut = cut.slice(0, -1);
  return cut.replace(/[.-]+$/, '');
}
