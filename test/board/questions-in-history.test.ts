// What a person was asked in a run, and what they said, belongs to what happened in it.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { expectSchema, newDemo, START, statusOf, textOf } from './support.ts';

const ASKED = { question: 'Keep the old format?', choices: ['Yes', 'No'], multiSelect: false };

test('a question of its agent and the answer stand in the history of a run, between its events', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'coordinator' } });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const asking = agent.call('ask_user_question', { questions: [ASKED] });
  await until(async () => (await statusOf(project)).questions.length === 1);
  const waiting = await statusOf(project);
  expect(waiting.questions[0]).toMatchObject({ id: 'q-1', session_id: id });
  const [shown] = waiting.runs;
  expect(shown?.last_activity_at).toBe(waiting.questions[0]?.asked_at);

  const at = { cwd: project.root };
  const answer = ['answer', 'q-1', '--choose', 'No', '--other', 'till May'];
  expect(await command(answer, at)).toMatchObject({ code: 0 });
  await asking;
  await agent.ok('abort_workflow', { explanation: 'enough' });

  const text = await textOf(project, 'history', id);
  const lines = text.split('\n').filter((line) => /asked q-1|answered q-1|enough/.test(line));
  expect(lines).toEqual([
    expect.stringMatching(/The agent asked q-1: Keep the old format\?$/),
    expect.stringMatching(/answered q-1: No, till May$/),
    expect.stringMatching(/enough/),
  ]);
  const json = JSON.parse(await textOf(project, 'history', id, '--json'));
  expectSchema('history.schema.json', json);
  expect(json.questions).toMatchObject([
    { id: 'q-1', asked_by: null, outcome: { kind: 'answered', answer: 'No, till May' } },
  ]);
  expect(json.events.map(({ type }: { type: string }) => type)).toEqual(['started', 'aborted']);
  expect(await command(['export', id, '-o', 'run.html'], at)).toMatchObject({ code: 0 });
  expect(readFileSync(project.path('run.html'), 'utf8')).toContain('answered q-1: No, till May');
});
