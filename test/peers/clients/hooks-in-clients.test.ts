// Clients with hooks, set up by `deepwork init`: an agent that stops in the middle of a workflow is
// sent back as far as each client's hooks go, a write into the journal is refused, and what a client
// forgets at a compaction comes back. docs/clients.md says what was seen.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Project } from '../../support/project.ts';
import { verifies } from '../../verifies.ts';
import { call, inOrder, say, write } from '../model/script.ts';
import { claudeCode } from './driven/claude-code.ts';
import { type DrivenClient, drive } from './driven/client.ts';
import { codex } from './driven/codex.ts';
import { geminiCli } from './driven/gemini.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { historyOf, onlySession } from './driven/session-view.ts';

const PROMPT = 'Please write the report.';
const NUDGE = /deepwork: the work is not done\./;
const CAPSULE = 'deepwork: you are in the middle of a workflow. Go on with it; do not start over.';

interface Held {
  readonly client: DrivenClient;
  /** Codex runs hooks only once a person has trusted them. */
  readonly args: readonly string[];
}

const TRUSTED = ['--dangerously-bypass-hook-trust'];

const HELD: readonly Held[] = [
  { client: claudeCode, args: [] },
  { client: codex('scripted'), args: TRUSTED },
  { client: codex('gpt-5.5'), args: TRUSTED },
  { client: codex('gpt-6.1-sol'), args: TRUSTED },
  { client: geminiCli, args: [] },
];

const handInReport = (project: Project) => [
  write(project.path('report.md'), 'Measured: 12 ms.'),
  call('finished_step', { outputs: { report: 'report.md' } }),
];

const handInPage = (project: Project) => [
  write(project.path('page.md'), '# 12 ms'),
  call('finished_step', { outputs: { page: 'page.md' } }),
];

test.for(HELD)(
  '$client.name: an agent that stops too early is sent back and finishes',
  async ({ client, args }, context) => {
    verifies('CLIENT-4');
    const project = projectWithReportJob();
    const script = inOrder(
      START_REPORT,
      say('All done!'),
      ...handInReport(project),
      say('All done!'),
      ...handInPage(project),
      say('The page is written.'),
    );
    const { ask, model } = await drive(context, { client, script, project, byInit: true });

    const ran = await ask(PROMPT, { args });
    expect(ran.code, ran.text).toBe(0);
    expect(historyOf(project)).toEqual([
      ...['started', 'nudged', 'accepted', 'nudged', 'accepted', 'completed'],
    ]);
    const texts = model.requests.at(-1)?.conversation.texts ?? [];
    const nudges = texts.filter(({ role, text }) => role === 'user' && NUDGE.test(text));
    expect(nudges).toHaveLength(2);
  },
);

test.for(HELD)(
  '$client.name: an agent that hands in nothing is let go after three reminders',
  async ({ client, args }, context) => {
    verifies('CLIENT-4');
    const project = projectWithReportJob();
    const words = ['All done!', 'It is done.', 'Really.', 'I will not.'];
    const script = inOrder(START_REPORT, ...words.map(say));
    const { ask } = await drive(context, { client, script, project, byInit: true });

    const ran = await ask(PROMPT, { args });
    expect(ran.code, ran.text).toBe(0);
    expect(onlySession(project).view).toMatchObject({ status: 'active' });
    expect(historyOf(project)).toEqual(['started', 'nudged', 'nudged', 'nudged', 'let_go']);
  },
);

// An unknown model has no tool of Codex for files but the shell, which is not looked at.
test.for(HELD.filter(({ client }) => client.name !== 'Codex with scripted'))(
  "$client.name: a tool's write into the journal is refused",
  async ({ client, args }, context) => {
    verifies('CLIENT-4');
    const project = projectWithReportJob();
    const file = project.path('.deepwork/journal/x');
    const script = inOrder(write(file, 'All accepted.'), say('That was refused.'));
    const { ask, model } = await drive(context, { client, script, project, byInit: true });

    const ran = await ask(PROMPT, { args });
    expect(ran.code, ran.text).toBe(0);
    const { result } = model.requests.at(-1)?.conversation.calls.at(-1) ?? {};
    expect(result).toContain("belongs to deepwork's journal and must not be edited by agents");
    expect(existsSync(file)).toBe(false);
  },
);

test('Codex: hooks that no one has trusted are not run', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const script = inOrder(START_REPORT, say('All done!'));
  const client = codex('scripted');
  const { ask } = await drive(context, { client, script, project, byInit: true });

  const ran = await ask(PROMPT);
  expect(ran.code, ran.text).toBe(0);
  expect(historyOf(project)).toEqual(['started']);
});

test.for(HELD)(
  '$client.name: an agent that waits for a person is let go at once',
  async ({ client, args }, context) => {
    verifies('CLIENT-4');
    const project = projectWithReportJob();
    const config = 'git:\n  branch: off\nteam:\n  question_wait_seconds: 1\n';
    project.write('.deepwork/config.yml', config);
    const question = { question: 'Which machine?', choices: ['mine', 'yours'] };
    const script = inOrder(
      START_REPORT,
      call('ask_user_question', { questions: [question] }),
      say('I wait for your answer.'),
    );
    const { ask } = await drive(context, { client, script, project, byInit: true });

    const ran = await ask(PROMPT, { args });
    expect(ran.code, ran.text).toBe(0);
    expect(historyOf(project)).toEqual(['started']);
  },
);

test.for(HELD)(
  '$client.name: where no work is open, nothing is said and no one is held',
  async ({ client, args }, context) => {
    verifies('CLIENT-4');
    const project = projectWithReportJob();
    const script = inOrder(write(project.path('a.md'), 'A'), say('Hello.'));
    const { ask, model, home } = await drive(context, { client, script, project, byInit: true });

    const ran = await ask('Say hello.', { args });
    expect(ran.code, ran.text).toBe(0);
    expect(model.requests).toHaveLength(2);
    const texts = model.requests.flatMap(({ conversation }) => conversation.texts);
    expect(texts.filter(({ text }) => text.includes('deepwork: '))).toEqual([]);
    expect(existsSync(project.path('a.md'))).toBe(true);
    // Nor did a hook fail.
    expect(existsSync(path.join(home, '.deepwork/hook.log'))).toBe(false);
  },
);

const GO_ON = 'Go on with the report.';

/** Resumes the last conversation where it is told to go on. */
const resumable: DrivenClient = {
  ...codex('scripted'),
  args(prompt) {
    const [exec = '', ...rest] = codex('scripted').args(prompt);
    return prompt === GO_ON ? [exec, 'resume', '--last', ...rest] : [exec, ...rest];
  },
};

const LATER = ['Later.', 'Later.', 'Later.', 'Enough for today.'].map(say);

test('Codex: a conversation that is resumed in a new process gets the capsule, and finishes', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const script = inOrder(
    ...[START_REPORT, ...handInReport(project), ...LATER],
    ...handInPage(project),
    say('The page is written.'),
  );
  const scene = { client: resumable, script, project, byInit: true };
  const { ask, model } = await drive(context, scene);

  await ask(PROMPT, { args: TRUSTED });
  const before = model.requests.length;
  const ran = await ask(GO_ON, { args: TRUSTED });
  expect(ran.code, ran.text).toBe(0);
  const told = model.requests[before]?.conversation.texts.map(({ text }) => text).join('\n');
  expect(told).toContain('deepwork: you are in the middle of a workflow.');
  expect(told).toContain("step 2 of 2: 'publish'");
  expect(onlySession(project).view).toMatchObject({ status: 'completed' });
});

test('Gemini CLI: a conversation that is resumed is told of its open work, and finishes it', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const script = inOrder(
    ...[START_REPORT, ...handInReport(project), ...LATER],
    () => call('get_active_workflow', { session_id: onlySession(project).view.session_id }),
    ...handInPage(project),
    say('The page is written.'),
  );
  const { ask, model } = await drive(context, { client: geminiCli, script, project, byInit: true });

  await ask(PROMPT);
  const before = model.requests.length;
  const ran = await ask(GO_ON, { args: ['--resume', 'latest'] });
  expect(ran.code, ran.text).toBe(0);
  const told = model.requests[before]?.conversation.texts.map(({ text }) => text).join('\n');
  const id = onlySession(project).view.session_id;
  expect(told).toContain('deepwork: unfinished work in this project.');
  expect(told).toContain(`- ${id}: report/main at step 'publish'`);
  expect(onlySession(project).view).toMatchObject({ status: 'completed' });
});

test('Codex: after a compaction, the model gets the capsule', async (context) => {
  verifies('CLIENT-4');
  const project = projectWithReportJob();
  const script = inOrder(
    ...[START_REPORT, ...handInReport(project), ...handInPage(project)],
    say('The page is written.'),
  );
  const client = codex('scripted');
  const { ask, model } = await drive(context, { client, script, project, byInit: true });

  const ran = await ask(PROMPT, { args: [...TRUSTED, '-c', 'model_auto_compact_token_limit=50'] });
  expect(ran.code, ran.text).toBe(0);
  const texts = model.requests.flatMap(({ conversation }) => conversation.texts);
  const capsule = texts.find(({ text }) => text.includes("step 2 of 2: 'publish'"))?.text;
  expect(capsule).toContain('deepwork: you are in the middle of a workflow.');
  expect(capsule).toContain('- draft: report.md');
  expect(onlySession(project).view).toMatchObject({ status: 'completed' });
});

/** What Claude Code's stream says about the hooks that it ran. */
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

test('Claude Code: after a compaction and after a resume, the model gets the capsule', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const script = inOrder(
    START_REPORT,
    ...handInReport(project),
    ...LATER,
    ...handInPage(project),
    say('The page is written.'),
  );
  const scene = { client: claudeCode, script, project, byInit: true };
  const { ask, model } = await drive(context, scene);

  const first = await ask(PROMPT);
  const { session_id: id } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '{}');
  const resume = { args: ['--resume', String(id), '--include-hook-events'] };
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
