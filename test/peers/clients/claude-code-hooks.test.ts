// Claude Code in a project that `deepwork init` has set up: an agent that wants to stop in the
// middle of a workflow is sent back, within limits; deepwork's own files are not written by its
// tools; and what it forgets at a compaction comes back.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProject, type Project } from '../../support/project.ts';
import { verifies } from '../../verifies.ts';
import { call, inOrder, type Script, say, write } from '../model/script.ts';
import type { ScriptedModel } from '../model/server.ts';
import { claudeCode as client } from './driven/claude-code.ts';
import { drive } from './driven/client.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { historyOf, onlySession } from './driven/session-view.ts';

const CAPSULE = 'deepwork: you are in the middle of a workflow. Go on with it; do not start over.';
const PROMPT = 'Please write the report.';

/** What the hook's answers to a stop were, as the model was given them. */
function sentBack({ requests }: ScriptedModel): string[] {
  const texts = requests.at(-1)?.conversation.texts ?? [];
  return texts.map(({ text }) => text).filter((text) => text.startsWith('Stop hook feedback:'));
}

/** What the client's stream says about the hooks that it ran. */
function hookAnswers(stdout: string): { event: string; output: string; code: number }[] {
  return stdout
    .split('\n')
    .filter((line) => line.includes('"hook_response"'))
    .map((line) => JSON.parse(line))
    .map(({ hook_event, stdout: output, exit_code }) => ({
      event: hook_event,
      output: String(output).trim(),
      code: exit_code,
    }));
}

const WITH_HOOK_EVENTS = { args: ['--include-hook-events'] };

function handInReport(project: Project) {
  return [
    write(project.path('report.md'), 'Measured: 12 ms.'),
    call('finished_step', { outputs: { report: 'report.md' } }),
  ];
}

function handInPage(project: Project) {
  return [
    write(project.path('page.md'), '# 12 ms'),
    call('finished_step', { outputs: { page: 'page.md' } }),
  ];
}

function scene(context: Parameters<typeof drive>[0], script: Script, project: Project) {
  return drive(context, { client, script, project, byInit: true });
}

test('an agent that stops too early in each step is sent back and finishes', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const script = inOrder(
    START_REPORT,
    say('All done!'),
    ...handInReport(project),
    say('All done!'),
    ...handInPage(project),
    say('The page is written.'),
  );
  const { ask, model } = await scene(context, script, project);

  const ran = await ask(PROMPT);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain('The page is written.');
  const [first, second] = sentBack(model);
  expect(first).toContain("deepwork: the work is not done. Step 'draft' of report/main");
  expect(first).toContain('- report (file, required): The report');
  expect(second).toContain("Step 'publish' of report/main");
  expect(sentBack(model)).toHaveLength(2);
  expect(onlySession(project).view).toMatchObject({ status: 'completed' });
  expect(historyOf(project)).toEqual([
    ...['started', 'nudged', 'accepted', 'nudged', 'accepted', 'completed'],
  ]);
});

test('an agent that hands in nothing is sent back three times, then let go', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const words = ['All done!', 'It is done.', 'Really.', 'I will not.'];
  const script = inOrder(START_REPORT, ...words.map(say));
  const { ask, model } = await scene(context, script, project);

  const ran = await ask(PROMPT);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain('I will not.');
  expect(sentBack(model)).toHaveLength(3);
  expect(sentBack(model)[2]).toContain('This is the last reminder');
  expect(onlySession(project).view).toMatchObject({ status: 'active', current_step_id: 'draft' });
  expect(historyOf(project)).toEqual(['started', 'nudged', 'nudged', 'nudged', 'let_go']);
});

test('an agent that waits for a person is let go at once', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const config = 'git:\n  branch: off\nteam:\n  question_wait_seconds: 1\n';
  project.write('.deepwork/config.yml', config);
  const question = { question: 'Which machine?', choices: ['mine', 'yours'] };
  const script = inOrder(
    START_REPORT,
    call('ask_user_question', { questions: [question] }),
    say('I wait for your answer.'),
  );
  const { ask, model } = await scene(context, script, project);

  const ran = await ask(PROMPT, WITH_HOOK_EVENTS);
  expect(ran.code, ran.text).toBe(0);
  const asked = model.requests.at(-1)?.conversation.calls.at(-1);
  expect(asked?.name).toBe('ask_user_question');
  expect(asked?.result).toContain('waiting');
  const stops = hookAnswers(ran.stdout).filter(({ event }) => event === 'Stop');
  expect(stops).toEqual([{ event: 'Stop', output: '', code: 0 }]);
  expect(historyOf(project)).toEqual(['started']);
});

test('where nothing is open, the hooks say nothing', async (context) => {
  verifies('CLIENT-2');
  // Another project has open work.
  const other = projectWithReportJob();
  const busy = await drive(context, {
    client,
    project: other,
    script: inOrder(START_REPORT, say('Later.')),
  });
  await busy.ask(PROMPT);
  expect(onlySession(other).view).toMatchObject({ status: 'active' });

  const project = newProject();
  const script = inOrder(write(project.path('a.md'), 'A'), say('Hello.'));
  const { ask } = await scene(context, script, project);
  const ran = await ask('Say hello.', WITH_HOOK_EVENTS);
  expect(ran.code, ran.text).toBe(0);
  const answers = hookAnswers(ran.stdout);
  expect(answers.map(({ event }) => event)).toEqual(['SessionStart', 'PreToolUse', 'Stop']);
  for (const { output, code } of answers) expect([output, code]).toEqual(['', 0]);
});

test("a tool's write into the journal is refused, with the reason", async (context) => {
  verifies('CLIENT-6');
  const project = projectWithReportJob();
  const file = project.path('.deepwork/journal/x');
  const script = inOrder(write(file, 'All accepted.'), say('That was refused.'));
  const { ask, model } = await scene(context, script, project);

  const ran = await ask(PROMPT);
  expect(ran.code, ran.text).toBe(0);
  const written = model.requests.at(-1)?.conversation.calls.at(-1);
  expect(written).toMatchObject({ name: 'Write' });
  expect(written?.result).toContain(
    "belongs to deepwork's journal and must not be edited by agents",
  );
  expect(existsSync(file)).toBe(false);
});

test('after a compaction and after a resume, the model gets the capsule', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const script = inOrder(
    START_REPORT,
    ...handInReport(project),
    ...['Later.', 'Later.', 'Later.', 'Enough for today.'].map(say),
    ...handInPage(project),
    say('The page is written.'),
  );
  const { ask, model } = await scene(context, script, project);

  const first = await ask(PROMPT);
  const { session_id: id } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '{}');
  const resume = { args: ['--resume', String(id), ...WITH_HOOK_EVENTS.args] };
  const before = model.requests.length;
  const compacted = await ask('/compact', resume);
  expect(compacted.code, compacted.text).toBe(0);
  // Nothing was asked but the summary. The hook spoke at the resume, and after the compaction.
  expect(model.requests).toHaveLength(before);
  const answers = hookAnswers(compacted.stdout);
  expect(answers.map(({ event }) => event)).toEqual(['SessionStart', 'SessionStart']);
  for (const { output } of answers) expect(output).toContain(CAPSULE);
  await ask('Go on.', resume);

  const next = model.requests[before]?.conversation;
  // Nothing of the work before is left but what the capsule says.
  expect(next?.calls).toEqual([]);
  const capsules = (next?.texts ?? []).filter(({ text }) => text.includes(CAPSULE));
  expect(capsules).toHaveLength(1);
  const session = String(onlySession(project).view.session_id);
  for (const part of [
    'Goal: Report how fast it is',
    "report/main, step 2 of 2: 'publish'",
    '- draft: report.md',
    'Do publish now.',
    `finished_step {"session_id":"${session}","outputs":{"page":"<path>"}}`,
  ]) {
    expect(capsules[0]?.text).toContain(part);
  }
  expect(onlySession(project).view).toMatchObject({ status: 'completed' });
  expect(readFileSync(project.path('page.md'), 'utf8')).toBe('# 12 ms');
});
