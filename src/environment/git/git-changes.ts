// What changed in files since a run began, as a diff for reviewers. A git diff in the
// repository applies its filters and attributes, which can name programs. So the repository
// is only asked for the earlier content (`cat-file`, which runs nothing), and the comparison
// is made between copies in a temporary folder.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onOneLine } from '../../core/wording.ts';
import { runGit } from './git.ts';
import { findRepository, type GitRepository } from './git-repository.ts';
import { holdsObject } from './plain-repository.ts';

export interface ChangedText {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Per file; larger ones are not compared. */
export const MAX_COMPARED_BYTES = 256 * 1024;
const MAX_DIFF_BYTES = 64 * 1024;

/** In total: a review continues without what takes longer. */
const MAX_MS = 5000;

/** Where a run began: its branch, and the commit where it created that branch, if it did. */
export interface Beginning {
  readonly branch: string;
  readonly commit: string | null;
}

/**
 * The files compared with the commit where the run began or, if that is not recorded, with
 * its branch or with HEAD. Null if there is no repository to compare with.
 */
export async function changesSince(
  root: string,
  { branch, commit }: Beginning,
  files: readonly ChangedText[],
): Promise<string | null> {
  const deadline = Date.now() + MAX_MS;
  const ref = `refs/heads/${branch}`;
  const found = await findRepository(root, ref, MAX_MS).catch(() => null);
  if (found?.kind !== 'found' || files.length === 0) return null;
  const { repository, refExists } = found;
  const base = commit ?? (refExists ? ref : repository.head);
  const before = await contentsAt({ root, repository, deadline }, base, files);
  const named = base === ref ? branch : `commit ${base.slice(0, 12)}`;
  const lines = [`Compared with ${named}${base === commit ? ', where the run began' : ''}:`];
  const changed: Compared[] = [];
  for (const file of files) {
    const old = before.get(file.path);
    const name = onOneLine(file.path);
    if (old === undefined) lines.push(`New: ${name}`);
    else if (old === null) lines.push(`Not compared (too large, not text, or missing): ${name}`);
    else if (old === file.text) lines.push(`Unchanged: ${name}`);
    else changed.push({ ...file, old });
  }
  if (changed.length > 0) lines.push(await diffOf(root, changed));
  return lines.join('\n');
}

interface Comparison {
  readonly root: string;
  readonly repository: GitRepository;
  readonly deadline: number;
}

interface Compared extends ChangedText {
  readonly old: string;
}

/** By path; absent: did not exist; null: cannot be compared. */
async function contentsAt(
  { root, repository, deadline }: Comparison,
  base: string,
  files: readonly ChangedText[],
): Promise<Map<string, string | null>> {
  const { gitDir, commonDir, workTree } = repository;
  const folder = path.relative(workTree, realpathSync.native(root)).split(path.sep).join('/');
  const env = { GIT_DIR: gitDir };
  // The input has one name per line, so a name with a line break cannot be looked up.
  const asked = files.filter((file) => !/[\r\n]/.test(file.path));
  const names = asked.map((file) => `${base}:${path.posix.join(folder, file.path)}\n`);
  const run = (args: readonly string[], more: { input?: string; outputLimit?: number }) =>
    runGit({ root, args, env, timeoutMs: Math.max(1, deadline - Date.now()), ...more });
  const check = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  const listed = await run(check, { input: names.join('') });
  const contents = new Map<string, string | null>();
  for (const [index, line] of listed.stdout.split('\n').entries()) {
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
    const file = asked[index];
    if (id === undefined || file === undefined) continue;
    contents.set(file.path, null);
    if (Number(size) > MAX_COMPARED_BYTES || !holdsObject(commonDir, id)) continue;
    if (Date.now() >= deadline) continue;
    const blob = await run(['cat-file', 'blob', id], { outputLimit: MAX_COMPARED_BYTES });
    // Invalid UTF-8 was decoded to replacement characters.
    if (blob.ok && !/[\0\ufffd]/.test(blob.stdout)) contents.set(file.path, blob.stdout);
  }
  return contents;
}

async function diffOf(root: string, files: readonly Compared[]): Promise<string> {
  const own = mkdtempSync(path.join(os.tmpdir(), 'deepwork-diff-'));
  try {
    for (const file of files) {
      write(path.join(own, 'a', file.path), file.old);
      write(path.join(own, 'b', file.path), file.text);
    }
    const quietly = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
    const { stdout, why } = await runGit({
      root,
      args: ['diff', ...quietly, '--no-prefix', '--text', 'a', 'b'],
      cwd: own,
      // Neither the user's config nor a repository around the folder may apply.
      env: {
        GIT_CEILING_DIRECTORIES: path.dirname(own),
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: os.devNull,
      },
      outputLimit: MAX_DIFF_BYTES,
    });
    // git exits with a failure code if there are differences.
    if (stdout === '') return `[No diff: ${why}]`;
    return Buffer.byteLength(stdout) >= MAX_DIFF_BYTES
      ? '[The diff is larger than 64 KiB and not shown]'
      : stdout.trimEnd();
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
