// A real PostgreSQL for tests: a server of the test worker with a fresh database for each test, or
// one of the test's own that it may kill and start again.
//
//   await findPostgres();                  at the top of a test file: installing takes a while
//   const url = await freshDatabase();     dropped when the test is over
//   const server = await ownPostgres();    server.kill(), server.start()

import { onTestFinished } from 'vitest';
import { needs } from './needs.ts';
import { findPrograms } from './postgres-program.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** False if there is none, and none can be installed. */
export const findPostgres = () => needs(findPrograms);

let shared: Promise<PostgresServer> | null = null;

/** The address of an empty database, with the rights of a superuser. */
export async function freshDatabase(on?: PostgresServer): Promise<string> {
  const { url, drop } = await newDatabase(on);
  onTestFinished(drop);
  return url;
}

/** For several tests; the caller drops it. */
export async function newDatabase(on?: PostgresServer) {
  shared ??= startPostgres();
  return (on ?? (await shared)).createDatabase();
}

/** A server for one test, which may do with it what it likes. */
export async function ownPostgres(): Promise<PostgresServer> {
  const server = await startPostgres();
  onTestFinished(() => server.end());
  return server;
}
