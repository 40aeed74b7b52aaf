// Settings in files that a git config includes only under a condition (`includeIf`), and in the files
// that those include. Git itself lists them only while the condition holds.

import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type GitRequest, runGit } from './git.ts';

export interface ConfigEntry {
  readonly key: string;
  readonly value: string;
  /** The file that has it. */
  readonly file: string;
}

const MAX_FILES = 50;
const MAX_LIST_BYTES = 1024 * 1024;
const CONDITIONAL = /^includeif\..*\.path$/is;
const INCLUDE = /^include(?:if\..*)?\.path$/is;

/** An entry as git prints it with `--null`. */
export function parseEntry(printed: string, file: string): ConfigEntry {
  const end = printed.indexOf('\n');
  return end === -1
    ? { key: printed, value: '', file }
    : { key: printed.slice(0, end), value: printed.slice(end + 1), file };
}

/** Null if one of the files cannot be read, or there are too many. */
export async function conditionallyIncluded(
  request: Pick<GitRequest, 'root' | 'cwd' | 'env'>,
  entries: readonly ConfigEntry[],
): Promise<readonly ConfigEntry[] | null> {
  const found: ConfigEntry[] = [];
  const files = new Set<string>();
  let open = entries.filter(({ key }) => CONDITIONAL.test(key));
  while (open.length > 0) {
    const next: ConfigEntry[] = [];
    for (const include of open) {
      const file = includedFile(include);
      if (file === null) return null;
      // Git ignores a file that is not there.
      if (files.has(file) || !existsSync(file)) continue;
      files.add(file);
      if (files.size > MAX_FILES) return null;
      const args = ['config', '--file', file, '--list', '--null'];
      const ran = await runGit({ ...request, args, outputLimit: MAX_LIST_BYTES });
      if (!ran.ok) return null;
      const inFile = ran.stdout.split('\0').filter((each) => each !== '');
      next.push(...inFile.map((each) => parseEntry(each, file)));
    }
    found.push(...next);
    open = next.filter(({ key }) => INCLUDE.test(key));
  }
  return found;
}

/** Null if only git knows where it is. */
function includedFile({ value, file }: ConfigEntry): string | null {
  if (value.startsWith('~/')) return path.join(os.homedir(), value.slice(2));
  if (/^(?:~|%\(prefix\))/.test(value)) return null;
  return path.resolve(path.dirname(file), value);
}
