// An agent whose client declares forms, and fills them in itself: what only a person may grant is
// never granted that way.

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import {
  beginProcess,
  demoArguments,
  finish,
  newScene,
  runnerOf,
  turnsOf,
} from '../run/support.ts';
import { ERAS } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { connectOverHttp, newHome } from '../support/http.ts';
import { newProject, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const ASKING = { capabilities: { elicitation: { form: {} } } };

/** Accepts every form with this choice, and lists what was shown. */
function filledIn(client: Client, choice: string): string[] {
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message);
    return { action: 'accept', content: { choice } };
  });
  return shown;
}

async function textOf(client: Client, question: string, choices: readonly string[]) {
  const questions = [{ question, choices, multiSelect: false }];
  const { content } = await client.callTool({
    name: 'ask_user_question',
    arguments: { questions },
  });
  return (content as { text: string }[])[0]?.text ?? '';
}

const WAYS: readonly [string, StepSpec, StepSpec, Record<string, unknown>][] = [
  [
    'an override',
    { reviews: [REVIEW] },
    { reviews: [REVIEW] },
    { ...REPORT, quality_review_override_reason: 'Trust me' },
  ],
  ['a weaker gate', { checks: [{ name: 'lint', run: 'exit 1' }] }, {}, REPORT],
];

describe.each(ERAS)('over stdio, %s', (era) => {
  test.each(WAYS)('%s is not granted by asking the same again', async (_what, was, is, call) => {
    const project = newProject({
      'report.md': 'R\n',
      '.deepwork/config.yml':
        'git: {branch: off}\nquality_gate: {overrides: person}\nteam: {question_wait_seconds: 1}\n',
    });
    const define = (write: StepSpec) =>
      writeJob(
        project,
        'work',
        { write: { outputs: { report: 'file' }, ...write }, after: {} },
        { main: ['write', 'after'] },
      );
    define(was);
    const env = { HOME: newHome() };
    const agent = await connect(project.root, { era, env, args: ['--trust'], client: ASKING });
    const shown = filledIn(agent.client, 'Grant');
    await agent.ok('start_workflow', START);
    define(is);
    expect((await agent.ok('finished_step', call)).feedback).toContain('q-1');
    const status = await command(['status', '--json'], { cwd: project.root, env });
    const [asked] = JSON.parse(status.stdout).questions;
    expect(await textOf(agent.client, asked.text, ['Grant', 'Refuse'])).toContain('q-2');
    expect(shown).toHaveLength(1);
    const waiting = await agent.ok('finished_step', call);
    expect(waiting).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    const answer = ['answer', 'q-1', '--choose', 'Grant', '--path', project.root];
    expect(await command(answer, { cwd: project.root, env })).toMatchObject({ code: 0 });
    expect((await agent.ok('finished_step', call)).status).toBe('next_step');
  });
});

test.each(ERAS)('the server of an unattended run shows no forms: %s', async (era) => {
  const scene = newScene(['draft'], 'team:\n  question_wait_seconds: 1\n');
  const running = beginProcess(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  const [{ url, token }] = turnsOf(scene);
  const headers = { authorization: `Bearer ${token}` };
  const client = await connectOverHttp(url.replace(/\/mcp$/, ''), {
    era,
    headers,
    options: ASKING,
  });
  const shown = filledIn(client, 'yes');
  expect(await textOf(client, 'Go?', ['yes', 'no'])).toContain('No human response yet');
  expect(shown).toEqual([]);
  process.kill(runnerOf(scene), 'SIGINT');
  await finish(running);
});
