// Several servers that write to one stream of one database, some of them killed in the middle of
// it. DEEPWORK_STORE_LONG=1 runs the long form: 20,000 messages.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpServer, post, serveOverHttp, stateless } from '../support/http.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { sharedProject, storeEnv } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const LONG = process.env.DEEPWORK_STORE_LONG === '1';
const SERVERS = LONG ? 4 : 3;
const TIME = LONG ? 3_600_000 : 240_000;

interface Stored {
  readonly seq: number;
  readonly body: string | null;
}

async function storedIn(url: string): Promise<Stored[]> {
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end());
  const rows = await sql`
    select seq, type, data from deepwork.event where stream = 'team/log' order by seq`;
  return rows.map(({ seq, type, data }) => ({
    seq: Number(seq),
    body: type === 'sent' ? data.body : null,
  }));
}

/** Every sentence once, and no number missing. */
function expectWhole(stored: readonly Stored[], sent: readonly string[]): void {
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  const bodies = stored.flatMap(({ body }) => (body === null ? [] : [body]));
  expect(bodies.sort()).toEqual([...sent].sort());
}

async function send(server: HttpServer, agent: string, body: string): Promise<string> {
  const call = { name: 'send_message', arguments: { toAgent: 'coordinator', body } };
  const { body: reply } = await post(`${server.url}/mcp`, stateless('tools/call', call), {
    'x-sgai-agent-identity': agent,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'send_message',
  });
  const { content, isError } = reply.result ?? {};
  if (content === undefined || isError) throw new Error(JSON.stringify(reply).slice(0, 500));
  return content[0].text;
}

test(
  `${SERVERS} servers with 8 writers each leave one stream without gaps, and nothing is lost`,
  async () => {
    verifies('STORE-3');
    const url = await freshDatabase();
    const env = storeEnv(url);
    const servers = await Promise.all(
      Array.from({ length: SERVERS }, () => serveOverHttp(sharedProject().root, { env })),
    );
    const each = LONG ? 50 : 4;
    const sent: string[] = [];
    await Promise.all(
      servers.flatMap((server, s) =>
        Array.from({ length: 8 }, async (_, w) => {
          for (let n = 0; n < each; n += 1) {
            const body = `message ${s}.${w}.${n}`;
            await send(server, `writer-${s}-${w}`, body);
            sent.push(body);
          }
        }),
      ),
    );
    expect(sent).toHaveLength(SERVERS * 8 * each);
    expectWhole(await storedIn(url), sent);
  },
  TIME,
);

test(
  'messages of 16 clients arrive once each while servers are killed',
  async () => {
    verifies('STORE-3');
    const url = await freshDatabase();
    const env = storeEnv(url);
    const roots = Array.from({ length: SERVERS }, () => sharedProject().root);
    const serve = (index: number) => serveOverHttp(roots[index] as string, { env });
    const servers = await Promise.all(roots.map((_, index) => serve(index)));
    const each = LONG ? 1250 : 6;
    // Each server is killed once.
    const betweenKills = LONG ? 50 : 24;
    const sent: string[] = [];
    let done = false;
    const kill = async () => {
      // By messages, not by time: a slow machine would only start servers.
      for (let kills = 1; ; kills += 1) {
        await until(() => done || sent.length >= kills * betweenKills, TIME);
        if (done) return;
        const victim = kills % SERVERS;
        servers[victim]?.child.kill('SIGKILL');
        servers[victim] = await serve(victim);
      }
    };
    const killing = kill();
    await Promise.all(
      Array.from({ length: 16 }, async (_, client) => {
        for (let n = 0; n < each; n += 1) {
          const body = `message ${client}.${n}`;
          // The very same call again, at another server, until it is answered.
          for (let tries = client; ; tries += 1) {
            const server = servers[tries % SERVERS] as HttpServer;
            const answer = await send(server, `client-${client}`, body).catch(() => null);
            if (answer !== null) break;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          sent.push(body);
        }
      }),
    );
    done = true;
    await killing;
    expectWhole(await storedIn(url), sent);
  },
  TIME,
);
