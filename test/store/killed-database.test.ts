// PostgreSQL killed every few seconds while agents work. DEEPWORK_STORE_LONG=1 runs the long form:
// 5,000 sessions, and a message from each. DEEPWORK_SEED draws the same moments again.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { findPostgres, ownPostgres } from '../support/postgres.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const LONG = process.env.DEEPWORK_STORE_LONG === '1';
const AGENTS = LONG ? 8 : 3;
const SESSIONS = LONG ? 5000 : 18;
const TIME = LONG ? 7_200_000 : 300_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes the same call until it is answered, as an agent is told to. */
async function insist(
  agent: Connection,
  tool: string,
  args: Record<string, unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<any> {
  for (;;) {
    const answer = await agent.call(tool, args);
    if (!answer.isError) return answer.data ?? answer.text;
    expect(answer.text).toMatch(/nothing was accepted|it cannot be known whether it was accepted/);
  }
}

test(
  'every session comes to its end and every message arrives once',
  async () => {
    verifies('STORE-4');
    const seed = chooseSeed();
    const random = randomFrom(seed);
    const begun = performance.now();
    const server = await ownPostgres();
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, async (_, index) => {
        const project = sharedProject();
        project.write('report.md', 'Done\n');
        project.write('result.md', 'Done\n');
        const args = ['--agent', `agent-${index}`];
        return connect(project.root, { env: storeEnv(server.url()), args });
      }),
    );
    let done = false;
    let kills = 0;
    const kill = async () => {
      while (!done) {
        await pause(LONG ? random.between(5000, 10_000) : 2500);
        if (done) return;
        await server.kill();
        kills += 1;
        await pause(random.below(2000));
        await server.start();
      }
    };
    const killing = kill();
    const ended: string[] = [];
    const sent: string[] = [];
    const working = Promise.all(
      agents.map(async (agent, index) => {
        // On a fast machine they would be done before the database has been killed twice.
        for (let n = 0; n < SESSIONS / AGENTS || kills < 2; n += 1) {
          const start = { ...START, goal: `Goal ${index}.${n}` };
          const { begin_step: step } = await insist(agent, 'start_workflow', start);
          const session_id: string = step.session_id;
          const first = { session_id, outputs: { report: 'report.md' } };
          expect(await insist(agent, 'finished_step', first)).toMatchObject({
            status: 'next_step',
          });
          const body = `Message ${index}.${n}`;
          await insist(agent, 'send_message', { toAgent: 'coordinator', body });
          sent.push(body);
          const second = { session_id, outputs: { result: 'result.md' } };
          expect(await insist(agent, 'finished_step', second)).toMatchObject({
            status: 'workflow_complete',
          });
          ended.push(session_id);
        }
      }),
    );
    // However it ends: a server that is started again after the test would stay.
    await working.finally(() => {
      done = true;
      return killing;
    });
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    console.log(
      `DEEPWORK_SEED=${seed}: ${ended.length} sessions, ${sent.length} messages, ${kills} kills in ${seconds} s`,
    );
    expect(kills).toBeGreaterThan(1);
    const sql = postgres(server.url(), { max: 1 });
    onTestFinished(() => sql.end());
    const rows = await sql`select stream, seq, type, data from deepwork.event order by stream, seq`;
    const byStream = new Map<string, typeof rows>();
    for (const row of rows) {
      const known = byStream.get(row.stream) ?? ([] as unknown as typeof rows);
      known.push(row);
      byStream.set(row.stream, known);
    }
    for (const [stream, events] of byStream) {
      expect(
        events.map(({ seq }) => Number(seq)),
        stream,
      ).toEqual(events.map((_, n) => n + 1));
    }
    const sessions = [...byStream.keys()].filter((name) => name.startsWith('session/'));
    expect(sessions.sort()).toEqual(ended.map((id) => `session/${id}`).sort());
    for (const name of sessions) {
      const judged = byStream.get(name)?.filter(({ type }) => type === 'judged');
      expect(judged, name).toHaveLength(2);
    }
    const messages = byStream.get('team/log')?.filter(({ type }) => type === 'sent');
    expect(messages?.map(({ data }) => data.body).sort()).toEqual(sent.sort());
  },
  TIME,
);
