// What changed in files since a run began, as a diff for reviewers. Git compares files only
// after filters and attributes of the repository had their say, which can name programs. So
// the repository is asked for nothing but the former content (`cat-file`, which runs nothing),
// and the comparison is made between copies in a folder of our own.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runGit } from './git.ts';
import { findRepository, type GitRepository } from './git-repository.ts';

export interface ChangedText {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Of one file; larger ones are not compared. */
export const MAX_COMPARED_BYTES = 256 * 1024;
const MAX_DIFF_BYTES = 64 * 1024;

/**
 * The files compared with the branch of the run, which stays where the run began, or else
 * with HEAD. Null where there is no repository to compare with.
 */
export async function changesSince(
  root: string,
  branch: string,
  files: readonly ChangedText[],
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const found = await findRepository(root, ref).catch(() => null);
  if (found?.kind !== 'found' || files.length === 0) return null;
  const { repository, refExists } = found;
  const base = refExists ? ref : repository.head;
  const before = await contentsAt(root, repository, base, files);
  const lines = [`Compared with ${refExists ? branch : `commit ${repository.head.slice(0, 12)}`}:`];
  const changed: Compared[] = [];
  for (const file of files) {
    const old = before.get(file.path);
    if (old === undefined) lines.push(`New file: ${file.path}`);
    else if (old === null) lines.push(`Not compared (too large, or no text): ${file.path}`);
    else if (old === file.text) lines.push(`Unchanged: ${file.path}`);
    else changed.push({ ...file, old });
  }
  if (changed.length > 0) lines.push(await diffOf(root, changed));
  return lines.join('\n');
}

interface Compared extends ChangedText {
  readonly old: string;
}

/** By path; absent: it was not there; null: it cannot be compared. */
async function contentsAt(
  root: string,
  { gitDir, workTree }: GitRepository,
  base: string,
  files: readonly ChangedText[],
): Promise<Map<string, string | null>> {
  const folder = path.relative(workTree, realpathSync.native(root)).split(path.sep).join('/');
  const env = { GIT_DIR: gitDir };
  // One line for each question: a name with a line break in it cannot be asked about.
  const asked = files.filter((file) => !/[\r\n]/.test(file.path));
  const names = asked.map((file) => `${base}:${path.posix.join(folder, file.path)}\n`);
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  const listed = await runGit({ root, args, env, input: names.join('') });
  const contents = new Map<string, string | null>();
  for (const [index, line] of listed.stdout.split('\n').entries()) {
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
    const file = asked[index];
    if (id === undefined || file === undefined) continue;
    const isSmall = Number(size) <= MAX_COMPARED_BYTES;
    const blob = isSmall ? await readBlob(root, env, id) : null;
    contents.set(file.path, blob);
  }
  return contents;
}

async function readBlob(
  root: string,
  env: Readonly<Record<string, string>>,
  id: string,
): Promise<string | null> {
  const args = ['cat-file', 'blob', id];
  const { ok, stdout } = await runGit({ root, args, env, outputLimit: MAX_COMPARED_BYTES });
  // What is no UTF-8 text was decoded with replacement characters.
  return ok && !/[\0\ufffd]/.test(stdout) ? stdout : null;
}

async function diffOf(root: string, files: readonly Compared[]): Promise<string> {
  const own = mkdtempSync(path.join(os.tmpdir(), 'deepwork-diff-'));
  try {
    for (const file of files) {
      place(path.join(own, 'a', file.path), file.old);
      place(path.join(own, 'b', file.path), file.text);
    }
    const quietly = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
    const { stdout, why } = await runGit({
      root,
      args: ['diff', ...quietly, '--no-prefix', '--text', 'a', 'b'],
      cwd: own,
      // No config but ours, and no repository that may lie around the folder.
      env: {
        GIT_CEILING_DIRECTORIES: path.dirname(own),
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: os.devNull,
      },
      outputLimit: MAX_DIFF_BYTES,
    });
    // It says that there are differences by failing.
    if (stdout === '') return `[The diff could not be made: ${why}]`;
    return Buffer.byteLength(stdout) >= MAX_DIFF_BYTES
      ? '[The diff is larger than 64 KiB and not shown]'
      : stdout.trimEnd();
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function place(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
