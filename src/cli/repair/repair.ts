// deepwork repair: recovers a team whose state file or journal cannot be read; with
// --journal, handles quarantined files.

import path from 'node:path';
import type { PostgresStore } from '../../board/stores-of-project.ts';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { SESSION_STREAMS } from '../../core/session/streams.ts';
import { readCommandLine, UsageError } from '../command-line.ts';
import { REPAIR_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectOptions, requireProjectOrTeam } from '../project.ts';
import { forPerson } from '../terminal/for-person.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { printable } from '../terminal/printable.ts';
import { repairJournal } from './repair-journal.ts';

export async function repair(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'repair', argv, REPAIR_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const action = values.journal ? 'take over a journal' : "repair the team's state";
  if (refusesAgent(io, action)) return AGENTS_CANNOT;
  const projectRoot = requireProjectOrTeam(io, values.path);
  const { openWorkspace, openQuarantine, readAllStreams } = loadBundle('engine');
  const workspace = openWorkspace(projectOptions(io, projectRoot));
  const database = await workspace.database();
  if (values.journal) {
    if (database !== null) throw new UsageError(NOTHING_QUARANTINED);
    return repairJournal(io, projectRoot, positionals, values.all);
  }
  if (positionals.length > 0 || values.all) {
    throw new UsageError('names and --all go with --journal. Try: deepwork repair --help');
  }
  if (database !== null) {
    const damaged = await damagedIn(database);
    if (damaged.length > 0) {
      const lines = damaged.map((text) => `deepwork: ${printable(text)}\n`);
      io.stderr.write(`${lines.join('')}deepwork: ${RESTORE_BACKUP}\n`);
      return 1;
    }
  }
  // First, because the team must not start from a journal that is not trusted.
  const unreadable = await readAllStreams(workspace.journal);
  for (const text of unreadable) io.stderr.write(`deepwork: ${printable(text)}\n`);
  const { stateFile, journal, left } = await workspace.team.repair();
  if (left !== null) io.stderr.write(`deepwork: ${printable(forPerson(left))}\n`);
  if (stateFile !== null) {
    const kept = path.relative(projectRoot, stateFile);
    io.stdout.write(
      `state.json could not be read. It is kept as ${kept}; the team can continue.\n`,
    );
  }
  if (journal.length > 0) {
    io.stdout.write(
      `The team's journal was damaged. It is kept as ${journal.join(', ')}; the team continues from .sgai/state.json.\n`,
    );
  }
  const damaged = (await workspace.journal.setAside(SESSION_STREAMS)).filter(
    ({ why }) => why === 'damaged',
  );
  if (damaged.length > 0) {
    const lines = damaged.map(({ stream, kept }) => `  ${stream}  .deepwork/journal/${kept}\n`);
    io.stdout.write(
      `Damaged sessions, set aside with every byte they had:\n${lines.join('')}They cannot be continued: start the workflows again, and delete these files when you no longer need them.\n`,
    );
  }
  const { length } = await openQuarantine(projectRoot, io.env).list();
  if (length > 0) {
    const files =
      length === 1 ? 'One file of the journal is' : `${length} files of the journal are`;
    io.stdout.write(
      `${files} in quarantine: not written by you here, so not trusted. To list and take over what is yours: deepwork repair --journal\n`,
    );
  } else if (stateFile === null && journal.length + damaged.length + unreadable.length === 0) {
    io.stdout.write('Nothing to repair: state.json and the journal can be read.\n');
  }
  return 0;
}

const NOTHING_QUARANTINED =
  'the journal of this project is in PostgreSQL, where nothing is quarantined: what was altered there is named by `deepwork verify` and restored from a backup';

const RESTORE_BACKUP =
  'A database is not repaired from here: restore these rows from a backup of it (docs/postgres.md), then run `deepwork verify`.';

/** One line for each damaged stream. */
async function damagedIn(database: PostgresStore): Promise<string[]> {
  const damaged: string[] = [];
  for (const { stream } of await database.heads()) {
    const { damage } = await database.verify(stream);
    if (damage !== null) damaged.push(`${stream}, event ${damage.line}: ${damage.reason}`);
  }
  return damaged;
}
