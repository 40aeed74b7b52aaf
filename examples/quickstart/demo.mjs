// `npm run demo`: a scripted agent runs the job of this example over a real connection to
// a real server, makes two mistakes, and loses the server in the middle. It works on a copy
// of the workspace. Each answer is checked, so this is a test as well: the exit code is 1 as
// soon as one exchange is not as it should be.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { calls, chapter, ending, quotes, remark, says, title } from '../screen.mjs';
import { connect } from './demo/connection.mjs';
import * as drafts from './demo/drafts.mjs';

const workspace = copyOfWorkspace();
let server = null;

process.on('exit', leaveNothing);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
process.stdout.on('error', () => process.exit(1));

try {
  await tellStory();
} catch (error) {
  process.stderr.write(`\nThe demo did not go as it should: ${error.message}\n`);
  process.exit(1);
}

async function tellStory() {
  title(
    'Rough notes become a release announcement',
    `A scripted agent, a real deepwork server. They work in a copy of this example: ${workspace}`,
  );
  server = await connect(workspace);

  await findWorkflow();
  const session = await startWorkflow();
  await forgetFile();
  await breakRule();
  await handInOneOfTwo();
  await loseServer(session);
  await passReview(session);
  await complete(session);

  await server.close();
  ending('Next: copy examples/quickstart, tell your agent "Run the release_notes job."');
}

async function findWorkflow() {
  chapter('What can be done here?');
  const { jobs, errors } = await accepted('get_workflows', {});
  for (const job of jobs) {
    for (const workflow of job.workflows) {
      says('deepwork', `${job.name}/${workflow.name}: ${workflow.summary}`);
    }
  }
  expect(errors.length === 0, 'no job is broken', errors);
  expect(
    jobs.some((job) => job.name === 'release_notes'),
    'release_notes is listed',
    jobs,
  );
}

async function startWorkflow() {
  chapter('Start: the agent gets one step, not the whole job');
  const { begin_step: step } = await accepted('start_workflow', {
    goal: 'Announce Larder 2.4.0',
    job_name: 'release_notes',
    workflow_name: 'announce',
  });
  expect(step?.step_id === 'collect_facts', 'the first step is collect_facts', step);
  says('deepwork', `Session ${step.session_id}. First step: ${step.step_id}.`);
  quotes(opening(step.step_instructions));
  showExpected(step);
  return step.session_id;
}

async function forgetFile() {
  chapter('"Done!" is not enough: the file has to be there');
  const outputs = { 'facts.md': 'release/facts.md' };
  const { text } = await refused('finished_step', { outputs });
  expect(text.includes("file not found at 'release/facts.md'"), 'the missing file is named', text);

  write('release/facts.md', drafts.facts);
  const answer = await accepted('finished_step', { outputs });
  const next = answer.begin_step;
  expect(answer.status === 'next_step', 'the step is accepted', answer);
  expect(next?.step_id === 'write_announcement', 'write_announcement comes next', answer);
  const beside = next.concurrent_steps.map((step) => step.step_id);
  expect(beside.join() === 'write_changelog', 'write_changelog runs beside it', answer);
  says('deepwork', `Accepted. Next, concurrently: ${[next.step_id, ...beside].join(' and ')}.`);
}

async function breakRule() {
  chapter('A rule looks at the text itself');
  write('release/changelog_entry.md', drafts.wrongChangelogEntry);
  const answer = await accepted('finished_step', {
    outputs: { 'changelog_entry.md': 'release/changelog_entry.md' },
  });
  expect(answer.status === 'needs_work', 'the entry is sent back', answer);
  expect(answer.feedback.includes('"## 1.2.3"'), "the feedback is the rule's message", answer);
  says('refuses', answer.feedback);
}

async function handInOneOfTwo() {
  chapter('Two concurrent steps, submitted one by one');
  write('release/changelog_entry.md', drafts.changelogEntry);
  const answer = await accepted('finished_step', {
    outputs: { 'changelog_entry.md': 'release/changelog_entry.md' },
    notes: 'Heading corrected.',
  });
  expect(answer.status === 'needs_work', 'the other member is still open', answer);
  expect(/announcement/.test(answer.feedback), 'the open member is named', answer);
  says('deepwork', answer.feedback);
}

async function loseServer(session) {
  chapter('The server dies: kill -9, in the middle of the work');
  says('$', `kill -9 ${server.pid}`);
  await server.kill();
  remark('The process is gone. What it knew is on disk, for people to read as well:');
  remark(viewOf(session));

  const before = performance.now();
  server = await connect(workspace);
  remark(`A new server answers after ${Math.round(performance.now() - before)} ms.`);
  let found = await accepted('get_active_workflow', {});
  if (!found.active) {
    const left = found.orphans.map((orphan) => orphan.session_id);
    expect(left.join() === session, 'the session is offered for adoption', found);
    says('deepwork', `Nothing of yours, but session ${session} lost its server.`);
    found = await accepted('get_active_workflow', { session_id: session });
  }
  const done = found.completed_steps.map((step) => step.step_id).sort();
  expect(found.active === true && found.session_id === session, 'the session is found', found);
  expect(done.join() === 'collect_facts,write_changelog', 'both done steps are remembered', found);
  expect(found.begin_step?.step_id === 'write_announcement', 'the open step is offered', found);
  says('deepwork', `Session ${session}: "${found.goal}". Done: ${done.join(', ')}.`);
  says('', `To do now: ${found.begin_step.step_id}, with its instructions:`);
  quotes(opening(found.begin_step.step_instructions));
}

async function passReview(session) {
  chapter('What takes judgement gets a second reader');
  write('release/announcement.md', drafts.announcement);
  const input = {
    session_id: session,
    outputs: { 'announcement.md': 'release/announcement.md' },
  };
  const asked = await accepted('finished_step', input);
  expect(asked.status === 'needs_work', 'a review is asked for', asked);
  expect(/subagent/i.test(asked.feedback), 'the feedback asks for a subagent', asked);
  says('refuses', asked.feedback);

  const file = `.deepwork/tmp/quality_review_${session}_write_announcement.md`;
  expect(asked.feedback.includes(file), 'the feedback names the review file', asked);
  const review = readFileSync(path.join(workspace, file), 'utf8').split('\n');
  const criteria = review.filter((line) => line.startsWith('- **'));
  expect(criteria.length === 2, 'the review file holds both criteria', review.join('\n'));
  remark('From that file:');
  quotes([review.find((line) => line.startsWith('#')) ?? '', ...criteria]);
  says('reviewer', 'only_facts: yes. no_jargon: yes. PASSED (here by the script).');

  const reason = 'A subagent reviewed it: PASSED.';
  const answer = await accepted('finished_step', {
    ...input,
    quality_review_override_reason: reason,
  });
  expect(answer.status === 'next_step', 'the reviewed step is accepted', answer);
  expect(answer.begin_step?.step_id === 'publish_checklist', 'the last step begins', answer);
  const view = readFileSync(path.join(workspace, viewOf(session)), 'utf8');
  expect(view.includes(reason), 'the reason is on record', view);
  says('deepwork', `Accepted; the reason is on record. Next: ${answer.begin_step.step_id}.`);
}

async function complete(session) {
  chapter('Done, and everybody can see what came out');
  write('release/checklist.md', drafts.checklist);
  const answer = await accepted('finished_step', {
    session_id: session,
    outputs: { 'checklist.md': 'release/checklist.md' },
  });
  expect(answer.status === 'workflow_complete', 'the workflow is complete', answer);
  expect(answer.stack.length === 0, 'nothing is left on the stack', answer);
  const names = Object.keys(answer.all_outputs).sort().join(', ');
  expect(
    names === 'announcement.md, changelog_entry.md, checklist.md, facts.md',
    'all four outputs are there',
    answer,
  );
  says('deepwork', answer.summary);
  says('', names);
  quotes(drafts.announcement.trim().split('\n'));
}

/** Calls a tool, shows the call, and returns the answer's data; a refusal ends the demo. */
async function accepted(tool, input) {
  calls(tool, input);
  const answer = await server.call(tool, input);
  expect(!answer.refused, `${tool} is accepted`, answer.text);
  return answer.data;
}

/** Calls a tool that must be refused, and shows what the agent gets. */
async function refused(tool, input) {
  calls(tool, input);
  const answer = await server.call(tool, input);
  expect(answer.refused, `${tool} is refused`, answer.data);
  expect(typeof answer.data.error?.code === 'string', 'the refusal has a code', answer.data);
  says('refuses', answer.text);
  return answer;
}

function expect(holds, what, seen) {
  if (holds) return;
  const shown = typeof seen === 'string' ? seen : JSON.stringify(seen, null, 2);
  throw new Error(`expected that ${what}. Seen:\n${String(shown).slice(0, 3000)}`);
}

/** Heading and first paragraph, which is enough to see that these are instructions. */
function opening(instructions) {
  const [heading = '', paragraph = ''] = instructions.trim().split(/\n{2,}/);
  return [heading, paragraph.replaceAll('\n', ' ')];
}

function viewOf(session) {
  return `.deepwork/tmp/session_${session}.json`;
}

function showExpected(step) {
  for (const output of step.step_expected_outputs) {
    says('', `Hand in ${output.name} (${output.type}): ${output.description}`);
  }
}

function write(file, text) {
  const target = path.join(workspace, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  says('agent', `writes ${file}`, true);
}

/** The example without the demo itself and without leftovers of an earlier run. */
function copyOfWorkspace() {
  const example = path.dirname(fileURLToPath(import.meta.url));
  const copy = mkdtempSync(path.join(tmpdir(), 'deepwork-demo-'));
  const leftOut = new Set(['demo', 'demo.mjs', 'release', path.join('.deepwork', 'tmp')]);
  cpSync(example, copy, {
    recursive: true,
    filter: (source) => !leftOut.has(path.relative(example, source)),
  });
  return copy;
}

function leaveNothing() {
  try {
    if (server !== null) process.kill(server.pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
  rmSync(workspace, { recursive: true, force: true, maxRetries: 3 });
}
