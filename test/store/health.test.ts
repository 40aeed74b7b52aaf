// `/healthz` of a server whose database goes away and comes back.

import { expect, test } from 'vitest';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { findPostgres, freshDatabase, ownPostgres } from '../support/postgres.ts';
import { newProject } from '../support/project.ts';
import { until } from '../support/until.ts';

await findPostgres();

test('is 200, 503 while the database is away, and 200 again by itself', async () => {
  const postgres = await ownPostgres();
  const env = { DEEPWORK_DATABASE_URL: await freshDatabase(postgres) };
  const { url } = await serveHttpInProcess(newProject().root, { env });
  const health = async () => {
    const response = await fetch(new URL('/healthz', url));
    return { status: response.status, body: await response.text() };
  };
  expect(await health()).toMatchObject({ status: 200 });
  await postgres.stop('immediate');
  await until(async () => (await health()).status === 503);
  const away = await health();
  expect(JSON.parse(away.body)).toMatchObject({ status: 'failing', reason: expect.any(String) });
  expect(away.body).not.toContain(new URL(env.DEEPWORK_DATABASE_URL).password);
  await postgres.start();
  await until(async () => (await health()).status === 200);
});
