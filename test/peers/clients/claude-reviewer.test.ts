// The reviewer that `--external-runner claude` starts, with the real Claude CLI: its verdict is
// taken, and nothing that the reviewed project contains can help it along.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { connect } from '../../support/connect.ts';
import { newHome } from '../../support/http.ts';
import { newProject, REVIEW, writeJob } from '../../support/project.ts';
import { verifies } from '../../verifies.ts';
import { installPeers } from '../install.ts';
import { inOrder, type Move, say, use } from '../model/script.ts';
import { startModel } from '../model/server.ts';
import { claudeCode } from './driven/claude-code.ts';
import { drive } from './driven/client.ts';
import { clientEnv, programOf } from './stage.ts';

/** A project whose settings would give a Claude in it a hook and another server. */
function trappedProject() {
  const project = newProject();
  const fires = (name: string) => ({
    hooks: [{ type: 'command', command: `touch ${project.path(name)}` }],
  });
  const hooks = { SessionStart: [fires('fired-start')], Stop: [fires('fired-stop')] };
  project.write('.claude/settings.json', JSON.stringify({ hooks, permissions: ALLOW_ALL }));
  const server = { command: 'touch', args: [project.path('fired-server')] };
  project.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: server } }));
  const steps = { a: { outputs: { report: 'file' }, reviews: [REVIEW] } };
  writeJob(project, 'demo', steps, { main: ['a'] });
  project.write('report.md', 'Measured: 12 ms.');
  return project;
}

const ALLOW_ALL = { allow: ['Bash', 'Write', 'Edit'] };

async function review(context: TestContext, ...moves: Move[]) {
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const program = programOf({ peers }, context, claudeCode.program);
  const model = await startModel(inOrder(...moves));
  onTestFinished(() => model.close());
  const project = trappedProject();
  const home = newHome();
  const bin = path.join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(program, path.join(bin, 'claude'));
  const env = clientEnv(home, peers);
  const scene = { project, home, modelUrl: model.url, serve: null };
  const agent = await connect(project.root, {
    args: ['--external-runner', 'claude'],
    env: {
      ...env,
      ...claudeCode.env(scene),
      PATH: `${bin}${path.delimiter}${env.PATH}`,
    },
  });
  await agent.ok('start_workflow', { goal: 'Try it', job_name: 'demo', workflow_name: 'main' });
  const answer = await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  expect(model.failures).toEqual([]);
  return { project, model, answer };
}

const verdict = (passed: boolean, feedback: string) =>
  use('StructuredOutput', {
    passed,
    feedback,
    criteria_results: [{ criterion: 'good', passed, feedback }],
  });

test("the real Claude CLI's verdict is taken", async (context) => {
  verifies('CLIENT-7');
  const refused = await review(context, verdict(false, 'Which machine was it?'));
  expect(refused.answer.status).toBe('needs_work');
  expect(refused.answer.feedback).toContain('Which machine was it?');
  const accepted = await review(context, verdict(true, 'fine'));
  expect(accepted.answer.status).toBe('workflow_complete');
});

test('it can only read, and runs nothing of the project', async (context) => {
  verifies('CLIENT-7');
  const { project, model } = await review(context, verdict(true, 'fine'));
  const [first] = model.requests;
  const offered = first?.conversation.tools.map(({ name }) => name).sort();
  // By the last it gives its verdict in the form that it was asked for.
  expect(offered).toEqual(['Glob', 'Grep', 'Read', 'StructuredOutput']);
  expect(first?.deferred).toEqual([]);
  const asked = JSON.stringify(first?.body.messages);
  expect(asked).toContain('Measured: 12 ms.');
  for (const name of ['fired-start', 'fired-stop', 'fired-server']) {
    expect(existsSync(project.path(name)), name).toBe(false);
  }
});

test('in the same project, Claude Code itself runs what is set up there', async (context) => {
  const project = trappedProject();
  const { ask } = await drive(context, {
    client: claudeCode,
    project,
    script: inOrder(say('Hello.')),
  });
  await ask('Say hello.');
  for (const name of ['fired-start', 'fired-stop']) {
    expect(existsSync(project.path(name)), name).toBe(true);
  }
});
