// Server processes of one client that get the same call at the same moment. The journal is the only
// lock between them.

import { expect, test } from 'vitest';
import { newProject, writeJob } from '../support/project.ts';
import { killAfterTest, startServer } from '../support/raw-server.ts';
import { verifies } from '../verifies.ts';
import { readFiles } from './streams.ts';

const PROCESSES = 4;
const ENTRIES = ['a', ['b', 'c'], 'd'];
const START = { goal: 'Run', job_name: 'relay', workflow_name: 'relay' };

test('the same call from several processes causes one event and gets equal answers', async () => {
  verifies('JOBS-X.5', 'JOBS-X.10', 'JOBS-X.18');
  const project = newProject({ 'out.txt': 'Done\n' });
  const steps = ENTRIES.flat();
  const outputsOf = (step: string) => ({ [`of_${step}`]: 'file' });
  writeJob(
    project,
    'relay',
    Object.fromEntries(steps.map((id) => [id, { outputs: outputsOf(id) }])),
    { relay: ENTRIES },
  );
  const servers = Array.from({ length: PROCESSES }, () =>
    startServer(project.root, { clientSession: 'workers' }),
  );
  killAfterTest(servers);
  const all = (tool: string, args: object) =>
    Promise.all(servers.map((server) => server.call(tool, args)));
  // Loaded and warm, so that the following calls really overlap.
  await all('get_active_workflow', {});

  // Starts are as many sessions on one stack, since none of them repeats another.
  const started = await all('start_workflow', START);
  const ids: string[] = started.map(({ data }) => data.begin_step.session_id);
  expect([...readFiles(project.root).sessions.keys()].sort()).toEqual([...new Set(ids)].sort());
  for (const { data } of await all('get_active_workflow', {})) {
    expect(data.stack).toHaveLength(PROCESSES);
    expect(data.stack.map((each: { session_id: string }) => each.session_id).sort()).toEqual(
      [...ids].sort(),
    );
  }

  const session_id = ids[0] as string;
  const events = () => readFiles(project.root).sessions.get(session_id)?.length;
  for (const [index, step] of steps.entries()) {
    const outputs = { [`of_${step}`]: 'out.txt' };
    const notes = `done with ${step}`;
    const answers = await all('finished_step', { session_id, step_id: step, outputs, notes });
    expect(answers[0]?.isError).toBe(false);
    for (const { text } of answers) expect(text).toBe(answers[0]?.text);
    expect(events()).toBe(index + 2);
  }

  const aborts = await all('abort_workflow', { session_id: ids[1], explanation: 'Enough' });
  const refused = aborts.filter(({ isError }) => isError);
  expect(refused).toHaveLength(PROCESSES - 1);
  for (const { data } of refused) expect(data.error.code).toBe('session_not_found');
});
