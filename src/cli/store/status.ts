// deepwork store status: where the journal is, whether it can be reached, and which servers use it.

import type { StoreStatus } from '../../board/stores-of-project.ts';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { toJsonText } from '../../core/json-text.ts';
import { counted } from '../../core/wording.ts';
import { screenOf } from '../board/screen.ts';
import { warningLines } from '../board/warnings.ts';
import type { Io } from '../io.ts';
import { printableLine } from '../terminal/printable.ts';

export async function storeStatus(io: Io, projectRoot: string, json: boolean): Promise<number> {
  const database = await loadBundle('board').openDatabaseOfProject(projectRoot, io.env, true);
  if (database === null) {
    const { length } = await loadBundle('board').namesInFiles(projectRoot);
    const words = `The journal is kept in files: ${counted(length, 'stream')} in .deepwork/journal.\n`;
    io.stdout.write(json ? show({ store: 'files', streams: length }) : words);
    return 0;
  }
  try {
    const found = await database.status();
    const warnings = await loadBundle('board').warningsOfStore(projectRoot, database);
    const lines = warningLines(warnings, screenOf(io));
    const words = [inWords(found), ...lines.map((line) => `${line}\n`)].join('');
    io.stdout.write(json ? show({ ...inData(found), warnings }) : words);
    return 0;
  } finally {
    await database.close();
  }
}

function show(value: object): string {
  return `${toJsonText(value, 2)}\n`;
}

function inData(found: StoreStatus) {
  return {
    store: 'postgres',
    address: found.address,
    server_version: found.serverVersion,
    schema: found.schema,
    migration: found.migration,
    newest_migration: found.newestMigration,
    may_migrate: found.mayMigrate,
    workspace: found.workspace || null,
    streams: found.streams,
    events: found.events,
    leases: found.leases.map(({ host, process, agent, expiresInSeconds }) => ({
      host,
      process,
      agent,
      expires_in_seconds: expiresInSeconds,
    })),
  };
}

/** A newer schema than this program knows is refused before. */
function schemaInWords({ migration, newestMigration: newest, mayMigrate }: StoreStatus): string {
  if (migration >= newest) return `version ${migration}`;
  const [state, change] =
    migration === 0 ? ['no tables yet', 'create'] : [`version ${migration} of ${newest}`, 'update'];
  return mayMigrate
    ? `${state}: the next call ${change}s the tables, or deepwork store migrate`
    : `${state}, and this role may not ${change} the tables: run deepwork store migrate with a role that may`;
}

const NO_WORKSPACE = 'none yet: the first call creates its id, .deepwork/workspace.id';

function inWords(found: StoreStatus): string {
  const rows = [
    ['database', `${found.address}, PostgreSQL ${found.serverVersion}`],
    ['schema', `${found.schema}, ${schemaInWords(found)}`],
    ['workspace', found.workspace || NO_WORKSPACE],
    ['journal', `${counted(found.streams, 'stream')}, ${counted(found.events, 'event')}`],
    ...found.leases.map(({ host, process, agent, expiresInSeconds: left }) => {
      const who = `${agent === null ? '' : `agent ${agent}, `}process ${process} on ${host}`;
      const until = left > 0 ? `lease for another ${Math.ceil(left)} s` : 'lease expired';
      return ['at work', `${who}, ${until}`];
    }),
  ];
  return `${rows.map(([name = '', value = '']) => printableLine(`${name.padEnd(11)}${value}`)).join('\n')}\n`;
}
