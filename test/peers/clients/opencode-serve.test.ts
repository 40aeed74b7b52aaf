// opencode with the plugin that `deepwork init` writes. Where its process stays, as behind the
// terminal interface (`opencode serve`), an agent is sent back; `opencode run` ends before it could
// be. With a plugin in the project opencode first fetches a package of its own, and without a
// network that takes it more than a minute.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../support/until.ts';
import { verifies } from '../../verifies.ts';
import { installPeers } from '../install.ts';
import { call, inOrder, say, write } from '../model/script.ts';
import { type Driven, drive } from './driven/client.ts';
import { opencode as client } from './driven/opencode.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { historyOf } from './driven/session-view.ts';
import { clientEnv } from './stage.ts';

const PATIENCE_MS = 4 * 60_000;

/** Its address, once it listens. */
async function serve(scene: Driven): Promise<string> {
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const { root } = scene.project;
  const args = ['serve', '--port', '0', '--hostname', '127.0.0.1'];
  const child = spawn(peers.file(client.program), args, {
    cwd: root,
    detached: true,
    env: { ...clientEnv(scene.home, peers), ...client.env(scene), PWD: root },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  let out = '';
  const listen = (text: string) => {
    out += text;
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  await until(() => /listening on http:/.test(out), PATIENCE_MS);
  return /http:\/\/[\d.]+:\d+/.exec(out)?.[0] ?? '';
}

async function post(url: string, body: unknown): Promise<{ readonly id: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return (await answer.json()) as { readonly id: string };
}

test('under opencode serve an agent that stops too early is sent back and finishes', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const inJournal = project.path('.deepwork/journal/x');
  const script = inOrder(
    write(inJournal, 'All accepted.'),
    START_REPORT,
    say('All done!'),
    write(project.path('report.md'), 'Measured: 12 ms.'),
    call('finished_step', { outputs: { report: 'report.md' } }),
    say('All done!'),
    write(project.path('page.md'), '# 12 ms'),
    call('finished_step', { outputs: { page: 'page.md' } }),
    say('The page is written.'),
  );
  const scene = await drive(context, { client, script, project, byInit: true });
  const url = await serve(scene);
  const { id } = await post(`${url}/session`, {});
  const parts = [{ type: 'text', text: 'Please write the report.' }];
  await post(`${url}/session/${id}/message`, { parts });

  // The answer came with the first stop; the agent goes on by itself.
  await until(() => historyOf(project).includes('completed'), PATIENCE_MS);
  expect(scene.model.failures).toEqual([]);
  expect(historyOf(project)).toEqual([
    ...['started', 'nudged', 'accepted', 'nudged', 'accepted', 'completed'],
  ]);
  const { calls } = scene.model.requests.at(-1)?.conversation ?? {};
  expect(calls?.[0]?.result).toContain(
    "belongs to deepwork's journal and must not be edited by agents",
  );
  expect(existsSync(inJournal)).toBe(false);
});
