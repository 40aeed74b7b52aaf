// deepwork store migrate: brings the schema in the database up to date, with the rights of a role
// that may create tables, so that servers can run with one that may not.

import { toJsonText } from '../../core/json-text.ts';
import type { Io } from '../io.ts';
import { requireDatabase } from './open-database.ts';

export async function migrate(io: Io, projectRoot: string, json: boolean): Promise<number> {
  const database = await requireDatabase(io, projectRoot);
  try {
    const { from, to } = await database.migrate();
    const words =
      from === to
        ? `The schema is up to date (version ${to}).`
        : `The schema was brought from version ${from} to ${to}.`;
    io.stdout.write(json ? `${toJsonText({ from, to }, 2)}\n` : `${words}\n`);
    return 0;
  } finally {
    await database.close();
  }
}
