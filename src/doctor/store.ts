// Whether the journal's store works: files, or a database that answers, whose schema has this
// program's version, whose tables this role may use, whose leases can run out, and that has what was
// recorded in files before. The address is shown without user and password.

import { Refused } from '../core/refusal.ts';
import { openContainment } from '../environment/containment.ts';
import { pathsOf } from '../environment/paths.ts';
import { storeOfProject } from '../environment/project-store.ts';
import { otherFolderWarning } from '../environment/workspace-id.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { COPY_TO_DATABASE, leftInFiles, openOnlyInFiles } from '../journal/left-in-files.ts';
import type { Diagnosis } from '../journal/postgres/diagnose.ts';
import { openPostgresStore } from '../journal/postgres/open.ts';
import { type Checker, ok, problem, type Result, warning } from './check.ts';

export const store: Checker = {
  name: 'store',
  timeoutMs: 30_000,
  async run({ root, env }) {
    try {
      const paths = pathsOf(root);
      const choice = await storeOfProject({ paths, env });
      if (choice.kind === 'files') return ok('files, in .deepwork/journal');
      const database = openPostgresStore({ ...choice, readOnly: true });
      try {
        const found = judge(await database.diagnose(), choice.leaseSeconds);
        if (found.state !== 'ok') return found;
        const layer = checkedLayer(realFileLayer, openContainment(root, () => {}).require);
        const left = leftInFiles(await openOnlyInFiles(paths.journal, layer)(database));
        if (left !== null) return warning(`${found.detail}. ${left}`, COPY_TO_DATABASE);
        const other = otherFolderWarning(paths, choice.workspace);
        return other === null ? found : warning(`${found.detail}. ${other}`, CHOOSE_WORKSPACE);
      } finally {
        await database.close();
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return problem(error.refusal.message, error.refusal.next ?? 'run deepwork store status');
    }
  },
};

const CHOOSE_WORKSPACE = 'look into .deepwork/workspace.id and choose';

function judge(found: Diagnosis, leaseSeconds: number): Result {
  const { address, serverVersion, schema, migration, newestMigration, workspace } = found;
  const where = `${address}, PostgreSQL ${serverVersion}`;
  // A project without a git remote gets its workspace name with the first call.
  const named = workspace === '' ? 'no workspace yet' : `workspace '${workspace}'`;
  const known = `${where}, schema ${schema}, version ${migration}, ${named}`;
  if (found.isReadOnly) {
    return problem(
      `${where} takes no changes: it is a standby, or set to read only`,
      'name the primary in the address, or wait until it has taken over',
    );
  }
  if (migration < newestMigration && !found.mayMigrate) {
    const state = migration === 0 ? 'is not there yet' : `has version ${migration}`;
    return problem(
      `${where}: schema ${schema} ${state}, of ${newestMigration}, and this role may not change it`,
      'run deepwork store migrate with a role that may',
    );
  }
  if (migration === 0) return ok(`${where}, schema ${schema}: the first call creates its tables`);
  if (found.missingRights.length > 0) {
    return problem(
      `${known}: this role lacks ${found.missingRights.join(', ')}`,
      `as the owner: grant usage on schema ${schema} to …; grant select, insert, update, delete on all tables in schema ${schema} to …`,
    );
  }
  if (migration < newestMigration) {
    return ok(`${known}: the next call brings it to version ${newestMigration}`);
  }
  if (found.longestLeaseSeconds > MAX_LEASES * leaseSeconds) {
    const hours = (found.longestLeaseSeconds / 3600).toFixed(1);
    return warning(
      `${known}: a lease lasts another ${hours} h, so the database's clock was set back; work of that process is not taken over until then`,
      `if it is gone: delete from ${schema}.lease where expires > now() + interval '${MAX_LEASES * leaseSeconds} seconds'`,
    );
  }
  return ok(`${known}, clock ${inWords(found.clockAheadSeconds)}`);
}

/** Other servers may have set longer ones. */
const MAX_LEASES = 20;

function inWords(ahead: number): string {
  const seconds = Math.abs(ahead).toFixed(0);
  if (Math.abs(ahead) < 2) return 'in sync';
  return `${seconds} s ${ahead > 0 ? 'ahead' : 'behind'}, which does not matter`;
}
