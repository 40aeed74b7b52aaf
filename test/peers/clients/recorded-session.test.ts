// docs/recorded-session.txt is what really happens: an agent in Claude Code tries to stop three
// times, is sent back each time, and finishes. With DEEPWORK_RECORD=1 the file is written anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { call, inOrder, say, write } from '../model/script.ts';
import { claudeCode as client } from './driven/claude-code.ts';
import { drive } from './driven/client.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { historyOf, onlySession } from './driven/session-view.ts';
import { replaceAll, transcript } from './driven/transcript.ts';

const FILE = fileURLToPath(new URL('../../../docs/recorded-session.txt', import.meta.url));
const PROMPT = 'Please write the report.';

test('the recorded session is what happens', async (context) => {
  verifies('CLIENT-2');
  const project = projectWithReportJob();
  const handIn = call('finished_step', { outputs: { report: 'report.md' } });
  const script = inOrder(
    START_REPORT,
    say('All done! The report is on its way.'),
    write(project.path('report.md'), 'It seems fast.'),
    handIn,
    say('The report is written, so the work is done.'),
    say('I have nothing to add.'),
    write(project.path('report.md'), 'Measured: 12 ms for the first answer, 3 ms for the next.'),
    handIn,
    write(project.path('page.md'), '# 12 ms, then 3 ms'),
    call('finished_step', { outputs: { page: 'page.md' } }),
    say('The report is measured and its page is published.'),
  );
  const { ask, model } = await drive(context, { client, script, project, byInit: true });
  const ran = await ask(PROMPT);
  expect(ran.code, ran.text).toBe(0);

  const { view } = onlySession(project);
  expect(view.status).toBe('completed');
  const spoken = replaceAll(transcript(PROMPT, model.requests, 'Stop hook feedback:'), [
    { from: `${project.root}/`, to: '' },
    { from: String(view.session_id), to: '5a3c91e7' },
  ]);
  const history = historyOf(project);
  const record = `${HEAD}\n${spoken}\n\n${historyLine(history)}\n`;
  if (process.env.DEEPWORK_RECORD === '1') writeFileSync(FILE, record);
  expect(readFileSync(FILE, 'utf8')).toBe(record);
});

function historyLine(history: readonly string[]): string {
  return `The run is completed, and the agent may stop. Its history says what it took:\n\n          ${history.join(', ')}`;
}

const { optionalDependencies } = JSON.parse(
  readFileSync(new URL('../packages/clients/package.json', import.meta.url), 'utf8'),
);
const VERSION = optionalDependencies['@anthropic-ai/claude-code-linux-x64'];

const HEAD = `An agent that tries to stop three times, and finishes

Recorded by test/peers/clients/recorded-session.test.ts in the real Claude Code
${VERSION}, in a project that \`deepwork init --clients claude\` has set up. The agent's part is
played by a script, so that it is as stubborn as it needs to be. What deepwork says when the
agent wants to stop is given as it was said; answers of tools are shortened to the members that
say where the agent stands.

The job has two steps: \`draft\`, whose report must say what was measured, and \`publish\`.

$ claude -p "${PROMPT}"
`;
