// What happens to a journal under running servers: `git clean -fdx` deletes it, a backup or a
// checkout replaces it by an older copy, a full disk or an editor cuts off its end. All servers
// are stopped meanwhile, so that the content before and after is known exactly; each of them may
// be in the middle of anything.

import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Random } from '../support/random.ts';
import { deepwork } from '../support/run-command.ts';
import type { Loss } from './epochs.ts';
import type { Recorder } from './history.ts';
import type { Slot } from './servers.ts';
import { readFiles } from './streams.ts';

export interface LossSetup {
  readonly root: string;
  /** Where an older copy of the journal is kept. */
  readonly backup: string;
  readonly slots: readonly Slot[];
  readonly recorder: Recorder;
  readonly random: Random;
}

const JOURNAL = '.deepwork/journal';

/**
 * Streams that something can be taken from. A process does not read a session again that it saw
 * end, so a cut that only reactivates such a session is noticed by the next process.
 */
function openFiles(root: string): string[] {
  const { sessions } = readFiles(root);
  const hasEnded = (id: string) =>
    sessions.get(id)?.some(({ type, data }) => type === 'aborted' || data.completed) ?? false;
  return filesIn(path.join(root, JOURNAL)).filter(
    (file) => !hasEnded(path.basename(file, '.jsonl')),
  );
}

/** Copies the journal as it is, to be restored later; as backups do, while it is written. */
export function backUpJournal({ root, backup }: LossSetup): void {
  rmSync(backup, { recursive: true, force: true });
  const journal = path.join(root, JOURNAL);
  if (existsSync(journal)) cpSync(journal, backup, { recursive: true });
}

export async function loseJournal(setup: LossSetup): Promise<Loss> {
  const { root, slots, recorder } = setup;
  return whileStopped(slots, () => {
    const from = recorder.now();
    const before = readFiles(root);
    recorder.fault(`the journal: ${lose(setup)}`);
    return { from, before, after: readFiles(root), to: recorder.now() };
  });
}

/**
 * A cut between a writer's read and its write leaves a line that proves the cut: the stream is
 * set aside, and a person is asked to run `deepwork repair`. Here that happens, and the loss lasts
 * until then. Null if nothing was set aside since.
 */
export async function repairJournal(
  { root, home, slots, recorder, setAside }: RepairSetup,
  last: Loss,
): Promise<Loss | null> {
  const fresh = newlySetAside(root, setAside);
  if (fresh.length === 0) return null;
  for (const name of fresh) setAside.add(name);
  recorder.fault(`set aside: ${fresh.join(', ')}`);
  const ran = await deepwork(['repair', '--path', root], { cwd: root, env: { HOME: home } });
  if (ran.code !== 0) throw new Error(`deepwork repair failed: ${ran.stdout}${ran.stderr}`);
  return whileStopped(slots, () => ({ ...last, after: readFiles(root), to: recorder.now() }));
}

export function hasDamage(root: string, setAside: ReadonlySet<string>): boolean {
  return newlySetAside(root, setAside).length > 0;
}

function newlySetAside(root: string, known: ReadonlySet<string>): string[] {
  const folder = path.join(root, JOURNAL, 'damaged');
  return existsSync(folder) ? readdirSync(folder).filter((name) => !known.has(name)) : [];
}

export interface RepairSetup extends Pick<LossSetup, 'root' | 'slots' | 'recorder'> {
  readonly home: string;
  /** Names that are already known. */
  readonly setAside: Set<string>;
}

async function whileStopped<T>(slots: readonly Slot[], act: () => T): Promise<T> {
  const pids = slots.map((slot) => slot.pid()).filter((pid) => pid !== null);
  const stopped = pids.filter((pid) => signal(pid, 'SIGSTOP'));
  while (!stopped.every(isStill)) await new Promise((resolve) => setImmediate(resolve));
  try {
    return act();
  } finally {
    for (const pid of stopped) signal(pid, 'SIGCONT');
  }
}

function lose(setup: LossSetup): string {
  const roll = setup.random.part();
  if (roll < 0.3) return deleteJournal(setup);
  if (roll < 0.55 && existsSync(setup.backup)) return rollBack(setup);
  return cut(setup);
}

function deleteJournal({ root, random }: LossSetup): string {
  const folders = [
    JOURNAL,
    ...(random.chance(0.7) ? ['.deepwork/tmp'] : []),
    ...(random.chance(0.4) ? ['.sgai'] : []),
  ];
  for (const folder of folders) rmSync(path.join(root, folder), { recursive: true, force: true });
  return `${folders.join(', ')} deleted`;
}

function rollBack({ root, backup, random }: LossSetup): string {
  const journal = path.join(root, JOURNAL);
  const open = openFiles(root);
  const old = filesIn(backup);
  if (random.chance(0.5)) {
    const ended = old.filter(
      (file) => !open.includes(file) && existsSync(path.join(journal, file)),
    );
    const kept = ended.map((file) => [file, readFileSync(path.join(journal, file))] as const);
    rmSync(journal, { recursive: true, force: true });
    cpSync(backup, journal, { recursive: true });
    for (const [file, bytes] of kept) writeFileSync(path.join(journal, file), bytes);
    return 'all that had not ended is as it was before';
  }
  // In the same file, like an editor that writes in place.
  if (old.length === 0) return 'nothing';
  const file = random.chance(0.6) ? 'team/log.jsonl' : random.pick(old);
  if (!old.includes(file) || !open.includes(file)) return 'nothing';
  writeFileSync(path.join(journal, file), readFileSync(path.join(backup, file)));
  return `${file} is as it was before`;
}

function cut({ root, random }: LossSetup): string {
  const journal = path.join(root, JOURNAL);
  const files = openFiles(root);
  if (files.length === 0) return 'nothing';
  const isTeam = random.chance(0.6) && files.includes('team/log.jsonl');
  const file = isTeam ? 'team/log.jsonl' : random.pick(files);
  const bytes = readFileSync(path.join(journal, file));
  const lines = bytes.toString('latin1').split('\n');
  const kept = random.chance(0.5)
    ? lines.slice(0, -2 - random.below(5)).join('\n').length + 1
    : bytes.length - 1 - random.below(400);
  truncateSync(path.join(journal, file), Math.max(0, kept));
  return `${file} is cut from ${bytes.length} to ${Math.max(0, kept)} bytes`;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:team|session)\/\w+\.jsonl$/.test(name))
    .sort();
}

/** Whether every thread of a process has stopped, or it is gone. */
function isStill(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
      return /^[TtZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
    });
  } catch {
    return true;
  }
}

/** False if it was already gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
