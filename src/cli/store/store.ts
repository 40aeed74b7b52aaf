// deepwork store: where the journal of a project is kept, and moving it between files and a
// database. Agents may ask for the status; copying and migrating are for people.

import { didYouMean } from '../../core/nearest.ts';
import { readCommandLine, UsageError } from '../command-line.ts';
import { STORE_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { requireProject } from '../project.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { copy } from './copy.ts';
import { migrate } from './migrate.ts';
import { storeStatus } from './status.ts';
import { STORES, type StoreWord } from './store-words.ts';

const ACTIONS = ['copy', 'migrate', 'status'] as const;

export async function store(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'store', argv, STORE_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [given, ...more] = positionals;
  const action = ACTIONS.find((each) => each === given);
  if (action === undefined || more.length > 0) {
    const meant = given === undefined ? '' : didYouMean(given, ACTIONS);
    throw new UsageError(
      `store takes one of ${ACTIONS.join(', ')}${meant === '' ? '.' : meant} Try: deepwork store --help`,
    );
  }
  const { from, to } = values;
  if (action !== 'copy' && (from ?? to) !== undefined) {
    throw new UsageError('--from and --to are for deepwork store copy');
  }
  const way = action === 'copy' ? readWay(from, to) : null;
  if (action !== 'status' && refusesAgent(io, `${action} the store`)) return AGENTS_CANNOT;
  const projectRoot = requireProject(io, values.path);
  const { json } = values;
  if (way !== null) return copy(io, projectRoot, way, json);
  return action === 'migrate' ? migrate(io, projectRoot, json) : storeStatus(io, projectRoot, json);
}

/** Only these words: an address on the command line would show its password to every user. */
function readWay(from: string | undefined, to: string | undefined) {
  const word = (flag: string, given: string | undefined): StoreWord => {
    const found = STORES.find((each) => each === given);
    if (found !== undefined) return found;
    throw new UsageError(
      `${flag} takes one of ${STORES.join(', ')}; the address of the database is in config.yml or DEEPWORK_DATABASE_URL`,
    );
  };
  const way = { from: word('--from', from), to: word('--to', to) };
  if (way.from === way.to) throw new UsageError('--from and --to are the same');
  return way;
}
