// Pages that read all day beside agents that work: a project of hundreds of runs and thousands of
// messages. Every server of these tests runs under the stall watchdog.

import { expect, test } from 'vitest';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { pastMessages, repeatSession, writeMessages } from '../support/large-project.ts';
import { verifies } from '../verifies.ts';
import { showProjectBy, startDemo } from './support.ts';

const RUNS = 500;
const READERS = 8;
const CALLS = 10;

test('readers of a long history do not hold up the calls of agents', {
  timeout: 120_000,
}, async () => {
  verifies('BOARD-4');
  const { project, server, agent, get } = await showProjectBy(serveOverHttp);
  writeMessages(project, pastMessages(5000, 5, 200));
  project.write('plan.md', 'a plan\n');
  const id = await startDemo(agent, 'other');
  await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  repeatSession(project, id, RUNS);
  const running = await startDemo(agent);

  const client = await connectOverHttp(server.url, { headers: { 'x-sgai-agent-identity': 'a' } });
  let isDone = false;
  let reads = 0;
  const paths = ['/api/board?all=1', `/api/runs/${running}`, '/api/team', '/api/definitions'];
  const reading = Array.from({ length: READERS }, async (_, nth) => {
    let own = 0;
    for (; !isDone; own++) {
      const path = paths[(nth + own) % paths.length] as string;
      expect((await get(path)).status, path).toBe(200);
      reads += 1;
    }
    return own;
  });
  /** How many reads were answered while each call waited for its answer. */
  const overtaken: number[] = [];
  for (let nth = 0; nth < CALLS; nth++) {
    const before = reads;
    const answer = await client.callTool({ name: 'get_workflows', arguments: {} });
    overtaken.push(reads - before);
    expect(answer.isError).not.toBe(true);
  }
  isDone = true;
  const ofEach = await Promise.all(reading);
  expect(Math.min(...ofEach)).toBeGreaterThan(0);
  expect(overtaken.sort((a, b) => a - b)[CALLS / 2]).toBeLessThan(10 * READERS);
  const { body } = await get('/api/board?all=1');
  expect(body.runs.length).toBeGreaterThan(RUNS);
  const { body: few } = await get('/api/board');
  expect(few.runs.filter((run: { status: string }) => run.status !== 'active')).toHaveLength(10);
});
