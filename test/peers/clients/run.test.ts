// `deepwork run` with the agents that people use, each with a scripted model: in a project that
// `deepwork init` has set up (but for opencode, which would fetch a package at each turn), a workflow whose gate fails once is finished, turn by turn, over the
// run's own server.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { BINARY } from '../../support/connect.ts';
import { asPerson } from '../../support/person.ts';
import { deepwork } from '../../support/run-command.ts';
import { verifies } from '../../verifies.ts';
import { installPeers, type Peers } from '../install.ts';
import { call, inOrder, say, write } from '../model/script.ts';
import { claudeCode } from './driven/claude-code.ts';
import { type Driven, type DrivenClient, drive } from './driven/client.ts';
import { codex } from './driven/codex.ts';
import { geminiCli } from './driven/gemini.ts';
import { opencode } from './driven/opencode.ts';
import { projectWithApprovedReport, projectWithReportJob } from './driven/report-job.ts';
import { onlySession } from './driven/session-view.ts';
import { clientEnv, programOf } from './stage.ts';

const RUN_MS = 300_000;

test.for([claudeCode, codex('scripted'), geminiCli, opencode])(
  '$name finishes a workflow with a failed gate, unattended',
  { timeout: RUN_MS + 60_000 },
  async (client, context) => {
    verifies('RUN-3');
    const project = projectWithReportJob();
    const script = inOrder(
      write(project.path('report.md'), 'It seems fast.'),
      call('finished_step', { outputs: { report: 'report.md' } }),
      say('I stop here.'),
      write(project.path('report.md'), 'Measured: 12 ms.'),
      call('finished_step', { outputs: { report: 'report.md' } }),
      say('The report is accepted.'),
      write(project.path('page.md'), '# 12 ms'),
      call('finished_step', { outputs: { page: 'page.md' } }),
      say('The page is written.'),
    );
    const driven = await drive(context, {
      client,
      script,
      project,
      byInit: client.id !== 'opencode',
    });
    const ran = await runAgent(client, driven, context);
    expect(driven.model.failures, ran.text).toEqual([]);
    const calls = driven.model.requests.at(-1)?.conversation.calls;
    expect(ran.code, `${ran.text}${JSON.stringify(calls)}`).toBe(0);
    const ended = ran.events.filter(({ event }) => event === 'turn_ended');
    expect(ended).toMatchObject([
      { turn: 1, step_id: 'draft', exit: 0, advanced: false },
      { turn: 2, step_id: 'draft', exit: 0, advanced: true },
      { turn: 3, step_id: 'publish', exit: 0, advanced: true },
    ]);
    // Each turn is a conversation of its own, which begins with all that it needs.
    const prompts = driven.model.requests.map(({ conversation }) =>
      conversation.texts.filter(({ role }) => role === 'user').map(({ text }) => text),
    );
    expect(prompts.at(-1)?.join('\n')).toContain("step 2 of 2: 'publish'");
    expect(prompts.at(-1)?.join('\n')).not.toContain("step 1 of 2: 'draft'");
    const { view, events } = onlySession(project);
    expect(view).toMatchObject({
      status: 'completed',
      agent: { owner: expect.stringMatching(/^run:[0-9a-f]{8}$/) },
    });
    expect(events.map(({ type }) => type)).toEqual(['started', 'judged', 'judged', 'judged']);
    if (client.id === 'claude') expect(ended[0]?.cost_usd).toBeGreaterThanOrEqual(0);
  },
);

test.for([claudeCode, codex('scripted')])(
  '$name finishes a workflow with a failed gate, an approval and a loop, unattended',
  { timeout: RUN_MS + 60_000 },
  async (client, context) => {
    verifies('RUN-3');
    const project = projectWithApprovedReport();
    const script = inOrder(
      write(project.path('report.md'), 'It seems fast.'),
      call('finished_step', { outputs: { report: 'report.md' } }),
      say('I stop here.'),
      write(project.path('report.md'), 'Measured: 12 ms.'),
      call('finished_step', { outputs: { report: 'report.md' } }),
      say('A person has to approve it now.'),
      write(project.path('page.md'), '# 12 ms, in red'),
      call('finished_step', { outputs: { page: 'page.md' } }),
      say('The page is written.'),
      write(project.path('page.md'), '# 12 ms, in green'),
      call('finished_step', { outputs: { page: 'page.md' } }),
      say('The page is green.'),
    );
    const driven = await drive(context, { client, script, project, byInit: true });
    const ran = await runAgent(client, driven, context, (env) =>
      deepwork(['answer', 'q-1', '--choose', 'Approve'], { cwd: project.root, env }),
    );
    expect(driven.model.failures, ran.text).toEqual([]);
    expect(ran.code, ran.text).toBe(0);
    expect(ran.events.filter(({ event }) => event === 'turn_ended')).toMatchObject([
      { turn: 1, step_id: 'draft', exit: 0, advanced: false },
      { turn: 2, step_id: 'draft', exit: 0, advanced: true },
      { turn: 3, step_id: 'publish', exit: 0, advanced: true },
      { turn: 4, step_id: 'publish', exit: 0, advanced: true },
    ]);
    const { view, events } = onlySession(project);
    expect(view).toMatchObject({ status: 'completed' });
    expect(events.map(({ type }) => type)).toEqual([
      ...['started', 'judged', 'judged', 'asked', 'approved', 'judged', 'judged'],
    ]);
  },
);

interface RanAgent {
  readonly code: number | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely
  readonly events: any[];
}

async function runAgent(
  client: DrivenClient,
  driven: Driven,
  context: TestContext,
  whenAsked: (env: Readonly<Record<string, string>>) => Promise<unknown> = async () => {},
): Promise<RanAgent> {
  const peers = (await installPeers('clients')) as Peers;
  const { project, home } = driven;
  const bin = path.join(home, 'bin');
  installAs(
    client,
    path.join(bin, client.id),
    programOf({ peers }, context, client.program),
    peers,
  );
  const env = { ...clientEnv(home, peers), ...client.env(driven) };
  const args = ['report/main', '--goal', 'Report how fast it is', '--agent', client.id, '--json'];
  const person = asPerson(process.execPath, [BINARY, 'run', ...args]);
  const log = path.join(home, 'run.log');
  const child = spawn(person.file, [...person.args], {
    cwd: project.root,
    env: { ...env, PATH: `${bin}${path.delimiter}${env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let asked: Promise<unknown> | null = null;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.includes('"event":"waiting_for_person"')) asked ??= whenAsked(env);
    });
  }
  const timer = setTimeout(() => child.kill('SIGTERM'), RUN_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  await asked;
  writeFileSync(log, text);
  const events = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line));
  return { code, text, events };
}

/** A program of that name on PATH, as the client's own installation would leave it. */
function installAs({ needsNode }: DrivenClient, place: string, program: string, { node }: Peers) {
  mkdirSync(path.dirname(place), { recursive: true });
  const command = needsNode ? `'${node}' '${program}'` : `'${program}'`;
  writeFileSync(place, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(place, 0o755);
}
