// deepwork verify: whether the journal and its archives are still what was written. It only reads,
// so agents may run it, too.

import type { StreamVerdict, Verification, VerifiedFile } from '../board/verify-journal.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { counted } from '../core/wording.ts';
import { screenOf } from './board/screen.ts';
import { warningLines } from './board/warnings.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { VERIFY_HELP } from './help.ts';
import type { Io } from './io.ts';
import { requireProject } from './project.ts';
import { printableLine } from './terminal/printable.ts';

export async function verify(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'verify', argv, VERIFY_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [wanted, ...more] = positionals;
  if (more.length > 0) throw new UsageError('verify takes the id of one run, or none for all');
  const projectRoot = requireProject(io, values.path);
  const board = loadBundle('board');
  const database = await board.openDatabaseOfProject(projectRoot, io.env, true);
  const key = board.knownJournalKey(board.keyFile(io.env));
  const all =
    database === null
      ? await board.verifyJournal(projectRoot, key)
      : await board.verifyDatabase(projectRoot, database, key);
  await database?.close();
  const found = wanted === undefined ? all : board.chooseFiles(all, wanted);
  io.stdout.write(
    values.json ? `${toJsonText(found, 2)}\n` : inWords(io, found) + warned(io, found),
  );
  return found.sound ? 0 : 1;
}

function warned(io: Io, { warnings }: Verification): string {
  return warningLines(warnings, screenOf(io))
    .map((line) => `${line}\n`)
    .join('');
}

const KEY = '~/.deepwork/signing.key';
const TAKE_OVER =
  'Restore the key that signed them, or take over what is yours: deepwork repair --journal';

function inWords(io: Io, { key, files, sound }: Verification): string {
  if (key === 'missing') {
    return sound
      ? 'There is nothing to verify yet.\n'
      : `There is no key in ${KEY}, so nothing here can be verified.\n${TAKE_OVER}\n`;
  }
  if (files.length === 0) return 'There is nothing to verify yet.\n';
  const foreign = files.filter(({ verdict }) => verdict === 'foreign');
  if (foreign.length === files.length) {
    return `Nothing here was written under your key: ${KEY} is not the key that signed ${counted(files.length, 'file')}.\n${TAKE_OVER}\n`;
  }
  const lines = files.filter(({ verdict }) => verdict !== 'sound').map((file) => lineOf(io, file));
  const isQuarantined = files.some(({ verdict }) => verdict === 'quarantined');
  if (foreign.length > 0 || isQuarantined) lines.push(TAKE_OVER);
  return [...lines, ...(lines.length > 0 ? [''] : []), total(files), ''].join('\n');
}

function lineOf(io: Io, { file, verdict, line, reason, events }: VerifiedFile): string {
  const { paint } = screenOf(io);
  const where = line === null ? file : `${file}:${line}`;
  const before = verdict === 'damaged' ? ` (${counted(events, 'event')} before it sound)` : '';
  const label = LABELS[verdict] ?? verdict;
  return `${printableLine(where)}: ${paint('red', label)}: ${printableLine(reason ?? '')}${before}`;
}

const LABELS: Readonly<Partial<Record<StreamVerdict, string>>> = {
  lost: 'incomplete',
  set_aside: 'set aside',
};

function total(files: readonly VerifiedFile[]): string {
  const inUse = files.filter(({ verdict }) => verdict !== 'set_aside');
  const wrong = inUse.filter(({ verdict }) => verdict !== 'sound').length;
  const archives = inUse.filter(({ kind }) => kind === 'archive').length;
  const events = inUse.reduce((sum, each) => sum + each.events, 0);
  const what = [
    counted(inUse.length - archives, 'stream'),
    ...(archives > 0 ? [counted(archives, 'archive')] : []),
    counted(events, 'event'),
  ].join(', ');
  const aside = files.length - inUse.length;
  const result = wrong === 0 ? 'all as written' : `${wrong} not as written`;
  return `${what}: ${result}${aside > 0 ? `, ${aside} set aside` : ''}.`;
}
