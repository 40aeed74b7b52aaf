// The suites of jobs, guides and team once more, with the journal in PostgreSQL: every server that
// they start finds a database in its environment, and every project is a workspace of its own
// there. By default that is a part that meets every tool; DEEPWORK_TEST_STORE=postgres runs all of
// them but those that are about files.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, newDatabase } from '../support/postgres.ts';
import { verifies } from '../verifies.ts';

const isThere = await findPostgres();

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IS_ALL = process.env.DEEPWORK_TEST_STORE === 'postgres';
const ADDRESS = 'DEEPWORK_DATABASE_URL';

const CHOSEN = [
  'test/requirements/start-workflow.test.ts',
  'test/requirements/finished-step.test.ts',
  'test/requirements/go-to-step.test.ts',
  'test/requirements/abort-workflow.test.ts',
  'test/requirements/get-active-workflow.test.ts',
  'test/requirements/session-stack.test.ts',
  'test/guides/next.test.ts',
  'test/team/state.test.ts',
];

/**
 * Suites that look into the files of the journal, spoil them, are about this user's key, or hold
 * a view back that a server writes for others, which it does not do on a shared journal.
 */
const ABOUT_FILES =
  /\.deepwork\/journal|journal\/(?:session|team)|\blogged\(|JournalIn|\bLOG\b|signing\.key|\.jsonl|hold-view/;

function allSuites(): string[] {
  return ['test/requirements', 'test/guides', 'test/team'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`)
      .filter((file) => !ABOUT_FILES.test(readFileSync(path.join(ROOT, file), 'utf8'))),
  );
}

describe.skipIf(!isThere)('with the journal in PostgreSQL', () => {
  let url = '';
  let drop = async () => {};

  beforeAll(async () => {
    ({ url, drop } = await newDatabase());
    process.env[ADDRESS] = url;
  });

  afterAll(async () => {
    delete process.env[ADDRESS];
    await drop();
  });

  for (const file of IS_ALL ? allSuites() : CHOSEN) {
    describe(file, async () => {
      // Loaded once more, because this worker may have run it already.
      await import(/* @vite-ignore */ `${path.join(ROOT, file)}?with-postgres`);
    });
  }

  test('every project of these suites had a workspace in the database', async () => {
    verifies('STORE-2');
    const sql = postgres(url, { max: 1 });
    const [row] = await sql`select count(distinct workspace) as workspaces from deepwork.event`;
    await sql.end();
    expect(Number(row?.workspaces)).toBeGreaterThan(20);
  });
});
