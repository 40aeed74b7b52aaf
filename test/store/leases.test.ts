// Who may go on with whose work, by leases on the database's clock. Servers of one machine know
// more of each other than that, so here a server is stopped, not killed, to lose its lease.

import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const LEASE = 'store_lease_seconds: 2\n';
const SHIFT = fileURLToPath(new URL('../support/shift-clock.cjs', import.meta.url));

function stop(server: ProcessConnection): void {
  process.kill(server.pid, 'SIGSTOP');
  onTestFinished(() => goOn(server));
}

function goOn({ pid }: ProcessConnection): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It is gone.
  }
}

/** The session that a call without an id would act on; null if there is none. */
async function activeAt(server: ProcessConnection): Promise<string | null> {
  const answer = await server.call('get_active_workflow');
  return answer.isError ? null : (answer.data.session_id ?? null);
}

test('a server that loses its lease during a review learns it from its refused commit', async () => {
  verifies('STORE-6');
  const env = storeEnv(await freshDatabase());
  const [one, two] = [sharedProject(LEASE), sharedProject(LEASE)];
  for (const project of [one, two]) {
    writeJob(
      project,
      'demo',
      { a: { outputs: { report: 'file' }, reviews: [REVIEW] }, b: {} },
      { main: ['a', 'b'] },
    );
    project.write('report.md', 'Done\n');
  }
  script(one, { sleep: 4000, answer: PASS });
  const args = ['--quality-gate', REVIEW_COMMAND];
  const first = await connectToProcess(one.root, { env, args });
  const second = await connectToProcess(two.root, { env, args });
  const { begin_step: step } = await first.ok('start_workflow', START);
  const reviewed = first.call('finished_step', { outputs: { report: 'report.md' } });
  await until(() => seen(one).length > 0);
  // While the lease is renewed, the session is the first one's.
  expect(await activeAt(second)).toBeNull();
  stop(first);
  await until(async () => (await activeAt(second)) === step.session_id);
  // Any call takes it over, also one that comes to nothing.
  await second.refused('finished_step', { outputs: { report: 'missing.md' } });
  goOn(first);
  expect(readRefusal(await reviewed).code).toBe('session_taken_over');
  const active = await second.ok('get_active_workflow');
  expect(active).toMatchObject({ session_id: step.session_id, begin_step: { step_id: 'a' } });
});

test('of two that claim the same work at once one gets it, and the other learns so', async () => {
  verifies('STORE-6');
  const env = storeEnv(await freshDatabase());
  const project = sharedProject(LEASE);
  const left = await connectToProcess(project.root, { env, closeAfterTest: false });
  const { begin_step: step } = await left.ok('start_workflow', START);
  process.kill(left.pid, 'SIGKILL');
  await left.close().catch(() => {});
  const claimants = await Promise.all(
    [0, 1, 2].map(async () => {
      const each = sharedProject(LEASE);
      each.write('report.md', 'Done\n');
      return connectToProcess(each.root, { env });
    }),
  );
  const answers = await Promise.all(
    claimants.map((each) =>
      each.call('finished_step', { session_id: step.session_id, outputs: { report: 'report.md' } }),
    ),
  );
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  const codes = ['session_not_found', 'session_taken_over'];
  for (const answer of answers.filter(({ isError }) => isError)) {
    expect(codes).toContain(readRefusal(answer).code);
  }
});

test('clocks of machines that are hours apart change nothing', async () => {
  verifies('STORE-6');
  const env = storeEnv(await freshDatabase());
  const at = (hours: number) =>
    connectToProcess(sharedProject(LEASE).root, {
      env: {
        ...env,
        NODE_OPTIONS: `--require ${SHIFT}`,
        DEEPWORK_TEST_CLOCK_HOURS: String(hours),
      },
    });
  const [early, late] = [await at(-1), await at(1)];
  const { begin_step: step } = await early.ok('start_workflow', START);
  // Longer than the lease, which is renewed meanwhile.
  for (const began = Date.now(); Date.now() - began < 4000; ) {
    expect(await activeAt(late)).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  stop(early);
  // Soon, and not after the hours that the clocks are apart.
  await until(async () => (await activeAt(late)) === step.session_id);
}, 120_000);

test('a server that ends in order gives its lease back at once', async () => {
  verifies('STORE-6');
  const url = await freshDatabase();
  const env = storeEnv(url);
  const first = await connectToProcess(sharedProject().root, { env, closeAfterTest: false });
  const { begin_step: step } = await first.ok('start_workflow', START);
  const second = await connectToProcess(sharedProject().root, { env });
  expect(await activeAt(second)).toBeNull();
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end());
  const running = async () =>
    (await sql`select 1 from deepwork.lease where expires > now()`).length;
  expect(await running()).toBe(1);
  await first.close();
  // Without being given back it would last for half a minute.
  await until(async () => (await running()) === 0);
  expect(await activeAt(second)).toBe(step.session_id);
});
