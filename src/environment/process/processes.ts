// Information on processes: from /proc if it exists, else from `ps` by its absolute path,
// since PATH may lead into a project.

import { existsSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  /** Its command line, word by word. */
  readonly words: readonly string[];
}

const MAX_DEPTH = 64;
const PS_TIMEOUT_MS = 2000;

/** Fields of /proc/<pid>/stat after the command's name, which may contain spaces. */
export function statFields(pid: number): string[] | null {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  const end = text.lastIndexOf(')');
  return end === -1 ? null : text.slice(end + 2).split(' ');
}

/** The output of `ps`; null if it cannot be run. */
export function ps(args: readonly string[]): string | null {
  if (process.platform === 'win32') return null;
  // Loaded here, because commands look up processes at every start, and rarely need it.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    return execFileSync(existsSync('/bin/ps') ? '/bin/ps' : '/usr/bin/ps', args, {
      encoding: 'utf8',
      timeout: PS_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

/** The ancestors of this process, nearest first, as far as the system shows them. */
export function ancestors(): RunningProcess[] {
  const lookUp = process.platform === 'linux' ? fromProc : fromPs();
  const found: RunningProcess[] = [];
  for (let pid = process.ppid; pid > 0 && found.length < MAX_DEPTH; ) {
    const next = lookUp(pid);
    if (next === null) break;
    found.push({ pid, words: next.words });
    pid = next.parent;
  }
  return found;
}

/** The process that started another; null if unknown. */
export function parentOf(pid: number): number | null {
  const lookUp = process.platform === 'linux' ? fromProc : fromPs();
  return lookUp(pid)?.parent ?? null;
}

interface Entry {
  readonly parent: number;
  readonly words: readonly string[];
}

function fromProc(pid: number): Entry | null {
  const fields = statFields(pid);
  if (fields === null) return null;
  const words = readOrEmpty(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);
  return { parent: Number(fields[1]), words };
}

/** `ps` does not delimit words, so a path with spaces comes in pieces. */
function fromPs(): (pid: number) => Entry | null {
  const table = new Map<number, Entry>();
  for (const line of ps(['-A', '-o', 'pid=,ppid=,command='])?.split('\n') ?? []) {
    const [pid, parent, ...words] = line.trim().split(/\s+/);
    if (pid) table.set(Number(pid), { parent: Number(parent), words });
  }
  return (pid) => table.get(pid) ?? null;
}

/** Empty for processes of others, and for those that have just ended. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
