// With every client, an agent does a job of two steps: its first report breaks a rule and is
// sent back, it fixes it, and the workflow completes.

import { expect, test } from 'vitest';
import { call, inOrder, say, write } from '../model/script.ts';
import { claudeCode } from './driven/claude-code.ts';
import { drive } from './driven/client.ts';
import { codex } from './driven/codex.ts';
import { geminiCli } from './driven/gemini.ts';
import { opencode } from './driven/opencode.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { onlySession } from './driven/session-view.ts';

const CLIENTS = [
  claudeCode,
  codex('scripted'),
  codex('gpt-5.5'),
  codex('gpt-6.1-sol'),
  geminiCli,
  opencode,
];

test.for(CLIENTS)('$name runs a workflow to its end', async (client, context) => {
  const project = projectWithReportJob();
  const script = inOrder(
    START_REPORT,
    write(project.path('report.md'), 'It seems fast.'),
    call('finished_step', { outputs: { report: 'report.md' } }),
    write(project.path('report.md'), 'Measured: 12 ms.'),
    call('finished_step', { outputs: { report: 'report.md' } }),
    write(project.path('page.md'), '# 12 ms'),
    call('finished_step', { outputs: { page: 'page.md' } }),
    say('The page is written.'),
  );
  const { ask, model } = await drive(context, { client, script, project });

  const ran = await ask('Please write the report.');
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain('The page is written.');

  const last = model.requests.at(-1)?.conversation;
  expect(last?.texts.some(({ text }) => text.includes('Please write the report.'))).toBe(true);
  const answers = (last?.calls ?? [])
    .filter(({ name }) => name === 'finished_step')
    .map(({ result }) => JSON.parse(result ?? ''));
  expect(answers).toMatchObject([
    { status: 'needs_work', reason: 'rules', feedback: 'Say what you measured (report.md)' },
    { status: 'next_step', begin_step: { step_id: 'publish' } },
    { status: 'workflow_complete', all_outputs: { report: 'report.md', page: 'page.md' } },
  ]);

  const { view, events } = onlySession(project);
  expect(view).toMatchObject({
    status: 'completed',
    history: [
      { event: 'started', step_id: 'draft' },
      { event: 'rules_failed', step_id: 'draft' },
      { event: 'accepted', step_id: 'draft' },
      { event: 'accepted', step_id: 'publish' },
      { event: 'completed' },
    ],
  });
  expect(events.map(({ type }) => type)).toEqual(['started', 'judged', 'judged', 'judged']);
});
