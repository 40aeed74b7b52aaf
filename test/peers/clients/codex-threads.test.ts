// Several threads of one Codex process in one project, as in its editor extensions: each agent is held
// to its own work. Codex names the thread in `_meta` of each call and in each hook.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Project } from '../../support/project.ts';
import { verifies } from '../../verifies.ts';
import { installPeers } from '../install.ts';
import { call, inOrder, type Script, say } from '../model/script.ts';
import { type CodexServer, openCodex } from './ask-codex.ts';
import { drive } from './driven/client.ts';
import { codex } from './driven/codex.ts';
import { projectWithReportJob } from './driven/report-job.ts';
import { clientEnv } from './stage.ts';

const PROGRAM = '@openai/codex/bin/codex.js';

/** The prompt of a thread tells which script is meant. */
const byPrompt =
  (scripts: Readonly<Record<string, Script>>): Script =>
  (conversation) => {
    const said = conversation.texts.filter(({ role }) => role === 'user').map(({ text }) => text);
    const name = Object.keys(scripts).find((prompt) => said.includes(prompt));
    const script = name === undefined ? undefined : scripts[name];
    if (script === undefined) throw new Error(`There is no script for: ${said.join(' | ')}`);
    return script(conversation);
  };

const start = (goal: string) =>
  call('start_workflow', { goal, job_name: 'report', workflow_name: 'main' });

test('threads of one Codex process are each sent back to their own work', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const words = ['All done!', 'It is done.', 'Really.', 'I will not.'];
  const unwilling = (goal: string) => inOrder(start(goal), ...words.map(say));
  const scripts = {
    'Do the first.': unwilling('First'),
    'Do the second.': unwilling('Second'),
    'Do the third.': unwilling('Third'),
    'Do nothing.': inOrder(say('Nothing to do.')),
  };
  const script = byPrompt(scripts);
  const client = codex('scripted');
  const scene = await drive(context, { client, script, project, byInit: true });
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const place = { peers, project, env: clientEnv(scene.home, peers) };
  await trustHooks(await openCodex(place, peers.file(PROGRAM)), scene.home, project);

  const server = await openCodex(place, peers.file(PROGRAM));
  for (const prompt of Object.keys(scripts)) await finishTurn(server, project, prompt);
  expect(scene.model.failures).toEqual([]);
  const history = ['started', 'nudged', 'nudged', 'nudged', 'let_go'];
  expect(historiesOf(project)).toEqual({ First: history, Second: history, Third: history });
});

/** What `/hooks` does when a person trusts them. */
async function trustHooks(server: CodexServer, home: string, { root }: Project): Promise<void> {
  const { data } = await server.request('hooks/list', { cwds: [root] });
  const hooks: { key: string; currentHash: string }[] = data[0].hooks;
  expect(hooks).toHaveLength(3);
  const text = hooks.map(
    ({ key, currentHash }) =>
      `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  );
  appendFileSync(path.join(home, '.codex/config.toml'), text.join(''));
}

/** In a thread of its own, while those before stay open. */
async function finishTurn(server: CodexServer, { root }: Project, prompt: string): Promise<void> {
  const { thread } = await server.request('thread/start', {
    cwd: root,
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
  });
  // On a busy machine the first turn may begin before our server is up.
  const isReady = ({ threadId, status }: { threadId: string; status: string }) =>
    threadId === thread.id && status === 'ready';
  await server.heard('mcpServer/startupStatus/updated', isReady);
  const input = [{ type: 'text', text: prompt }];
  await server.request('turn/start', { threadId: thread.id, input });
  const { turn } = await server.heard('turn/completed', ({ threadId }) => threadId === thread.id);
  expect(turn.error, JSON.stringify(turn.error)).toBeNull();
}

/** By goal. */
function historiesOf(project: Project): Record<string, string[]> {
  const views = readdirSync(project.path('.deepwork/tmp')).filter((name) =>
    /^session_.*\.json$/.test(name),
  );
  return Object.fromEntries(
    views.map((name) => {
      const view = JSON.parse(readFileSync(project.path(`.deepwork/tmp/${name}`), 'utf8'));
      const history: { event: string }[] = view.history;
      return [view.goal, history.map(({ event }) => event)];
    }),
  );
}
