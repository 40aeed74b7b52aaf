// What the code of a self-review and a person's grant are valid for: one arrival at one step,
// these files as these outputs, and the requested reviews. Nothing else, and not before a review
// was requested.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { REVIEW_COMMAND } from '../support/reviewer.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REVIEWS = [
  { run_each: 'drafts', quality_criteria: { spelled: 'No typos' } },
  { run_each: 'final', quality_criteria: { legal: 'Legal can sign it' } },
];

function newWork(rule: string): Project {
  const project = newProject({
    'x.md': 'x\n',
    'bad.md': 'bad\n',
    'z.md': 'z\n',
    '.deepwork/config.yml': `git: {branch: off}\nquality_gate: {overrides: ${rule}}\nteam: {question_wait_seconds: 1}\n`,
  });
  define(project, REVIEWS);
  return project;
}

function define(project: Project, reviews: readonly unknown[]): void {
  const outputs = { drafts: 'files', final: 'files?' } as const;
  writeJob(
    project,
    'work',
    { write: { outputs, reviews }, after: {} },
    { main: ['write', 'after'] },
  );
}

async function started(project: Project, ...args: string[]) {
  const home = newHome();
  const agent = await connect(project.root, { args, env: { HOME: home } });
  const { begin_step } = await agent.ok('start_workflow', START);
  const id = begin_step.session_id as string;
  const codeIn = () => {
    const file = project.path(`.deepwork/tmp/quality_review_${id}_write.md`);
    return /`([0-9a-f]{8})`/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'none';
  };
  const run = (...given: string[]) =>
    command([...given, '--path', project.root], { cwd: project.root, env: { HOME: home } });
  return { agent, id, codeIn, run };
}

const said = (outputs: unknown, quality_review_override_reason: string) => ({
  outputs,
  quality_review_override_reason,
});

describe('the code of a self-review', () => {
  test('does not count if a file becomes another output', async () => {
    const { agent, codeIn } = await started(newWork('never'));
    const reviewed = { drafts: ['x.md', 'bad.md'], final: ['z.md'] };
    await agent.ok('finished_step', { outputs: reviewed });
    const verdict = `${codeIn()} PASSED`;
    const moved = { drafts: ['x.md'], final: ['bad.md', 'z.md'] };
    const refusal = await agent.refused('finished_step', said(moved, verdict));
    expect(refusal).toContain('Reviews cannot be overridden here');
    expect((await agent.ok('finished_step', said(reviewed, verdict))).status).toBe('next_step');
  });

  test('does not count for an output that was not submitted for the review', async () => {
    const { agent, codeIn } = await started(newWork('never'));
    await agent.ok('finished_step', { outputs: { drafts: ['x.md'] } });
    const more = { drafts: ['x.md'], final: ['x.md'] };
    const refusal = await agent.refused('finished_step', said(more, `${codeIn()} PASSED`));
    expect(refusal).toContain('Reviews cannot be overridden here');
  });

  test('stays the same if the outputs are named in another order', async () => {
    const { agent, codeIn } = await started(newWork('never'));
    await agent.ok('finished_step', { outputs: { drafts: ['x.md', 'bad.md'], final: ['z.md'] } });
    const turned = { final: ['z.md'], drafts: ['bad.md', 'x.md'] };
    const done = await agent.ok('finished_step', said(turned, `${codeIn()} PASSED`));
    expect(done.status).toBe('next_step');
  });

  test('cannot be computed from what an agent sees', async () => {
    const project = newWork('never');
    const { agent, id } = await started(project);
    const hash = createHash('sha256')
      .update(readFileSync(project.path('x.md')))
      .digest('hex');
    const reviews = REVIEWS.map(({ run_each, quality_criteria }) => ({
      runEach: run_each,
      criteria: Object.entries(quality_criteria).map(([name, text]) => ({ name, text })),
      guidance: null,
    }));
    const known = ['self-review', id, 1, 'write', reviews, { 'x.md': hash }];
    const code = createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 8);
    const guess = said({ drafts: ['x.md'] }, `${code} PASSED`);
    expect(await agent.refused('finished_step', guess)).toContain('cannot be overridden here');
  });

  test('counts only if this review was the last one requested', async () => {
    const project = newWork('never');
    const { agent, codeIn } = await started(project);
    const outputs = { drafts: ['x.md'] };
    await agent.ok('finished_step', { outputs });
    const verdict = said(outputs, `${codeIn()} PASSED`);
    project.write('x.md', 'other\n');
    await agent.ok('finished_step', { outputs });
    project.write('x.md', 'x\n');
    expect(await agent.refused('finished_step', verdict)).toContain('cannot be overridden here');
    await agent.ok('finished_step', { outputs });
    expect((await agent.ok('finished_step', verdict)).status).toBe('next_step');
    // The same files at another arrival are another review.
    await agent.ok('go_to_step', { step_id: 'write' });
    const late = { ...verdict, notes: 'Again' };
    expect(await agent.refused('finished_step', late)).toContain('cannot be overridden here');
  });

  test('does not count for a criterion that was added after the review', async () => {
    const project = newWork('never');
    const { agent, codeIn } = await started(project);
    const outputs = { drafts: ['x.md'] };
    await agent.ok('finished_step', { outputs });
    const verdict = said(outputs, `${codeIn()} PASSED`);
    const [first, second] = REVIEWS;
    const quality_criteria = { ...first?.quality_criteria, brief: 'It is brief' };
    define(project, [{ ...first, quality_criteria }, second]);
    expect(await agent.refused('finished_step', verdict)).toContain('cannot be overridden here');
  });

  test('is still valid after a restart of the server', async () => {
    const project = newWork('never');
    const home = newHome();
    const env = { HOME: home, CLAUDE_CODE_SESSION_ID: 'one' };
    const first = await connect(project.root, { env });
    const { begin_step } = await first.ok('start_workflow', START);
    await first.ok('finished_step', { outputs: { drafts: ['x.md'] } });
    await first.close();
    const file = `.deepwork/tmp/quality_review_${begin_step.session_id}_write.md`;
    const code = /`([0-9a-f]{8})`/.exec(readFileSync(project.path(file), 'utf8'))?.[1];
    const second = await connect(project.root, { env });
    const done = await second.ok('finished_step', said({ drafts: ['x.md'] }, `${code} PASSED`));
    expect(done.status).toBe('next_step');
  });
});

describe('the text with the code', () => {
  const outputs = { drafts: ['x.md'] };

  test.each([
    ['spelled: no\n**FAILED**', 'reviews'],
    ['Verdict: FAILED.', 'reviews'],
    ['spelled: it has not PASSED', 'self_review'],
    ["spelled: I can't say PASSED", 'self_review'],
    ['PASSED would be wrong here.\nspelled: three typos', 'self_review'],
    ['spelled: PASSED\nlegal: three clauses are missing', 'self_review'],
    ['spelled: yes. BYPASSED', 'self_review'],
    ['looks fine', 'self_review'],
  ])('is no pass: %j (%s)', async (words, reason) => {
    const { agent, codeIn } = await started(newWork('never'));
    await agent.ok('finished_step', { outputs });
    const answer = await agent.ok('finished_step', said(outputs, `${codeIn()} ${words}`));
    expect(answer).toMatchObject({ status: 'needs_work', reason });
  });

  test.each([
    ['PASSED'],
    ['spelled: no typo in it. PASSED'],
    ['The subagent FAILED to start at first.\nspelled: it has not one typo.\nPASSED'],
    ['\n- spelled: none\n\n**PASSED**\n'],
    ['\nspelled: none.\nVerdict: PASSED.'],
  ])('is a pass: %j', async (words) => {
    const { agent, codeIn } = await started(newWork('never'));
    await agent.ok('finished_step', { outputs });
    const answer = await agent.ok('finished_step', said(outputs, `${codeIn()} ${words}`));
    expect(answer.status).toBe('next_step');
  });

  test('is requested again, with the words that count, if it is unclear', async () => {
    const { agent, codeIn } = await started(newWork('never'));
    await agent.ok('finished_step', { outputs });
    const { feedback } = await agent.ok('finished_step', said(outputs, `${codeIn()} looks fine`));
    expect(feedback).toContain('ends with a line that says only PASSED or FAILED');
  });
});

describe('a grant of a person', () => {
  const reason = 'Only scrap drafts, nothing is published';
  const asksWith = async (work: Awaited<ReturnType<typeof started>>, outputs: unknown) => {
    const answer = await work.agent.ok('finished_step', said(outputs, reason));
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    return /q-\d+/.exec(answer.feedback)?.[0] ?? '';
  };

  test('is for these files as these outputs, and the question names both', async () => {
    const work = await started(newWork('person'), '--quality-gate', REVIEW_COMMAND);
    const drafts = { drafts: ['x.md', 'bad.md'] };
    const first = await asksWith(work, drafts);
    const shown = async () => (await work.run('answer')).stdout.replace(/ \(sha256 \w{12}\)/g, '');
    expect(await shown()).toContain('drafts: x.md, bad.md.');
    const granted = await work.run('answer', first, '--choose', 'Grant', '--by', 'ann');
    expect(granted.code, granted.stderr).toBe(0);
    const second = await asksWith(work, { drafts: ['x.md'], final: ['bad.md'] });
    expect(second).not.toBe(first);
    expect(await shown()).toContain('drafts: x.md; final: bad.md.');
    const done = await work.agent.ok('finished_step', said(drafts, reason));
    expect(done.status).toBe('next_step');
  });
});
