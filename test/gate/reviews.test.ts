// Reviews by someone other than the author, through a real server and real processes.

import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import {
  claudeOnPath,
  FAIL,
  PASS,
  putClaudeOnPath,
  REVIEW_COMMAND,
  type Seen,
  script,
  seen,
} from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];

/** A step with one reviewed file output, and a step after it. */
function reviewed(review: Record<string, unknown> = {}, outputs = { report: 'file' }): Project {
  const project = newProject({ 'report.md': 'The report.\n' });
  writeJob(
    project,
    'work',
    {
      write: {
        outputs,
        reviews: [{ run_each: 'step', quality_criteria: { clear: 'It is clear' }, ...review }],
      },
      after: {},
    },
    { main: ['write', 'after'] },
  );
  return project;
}

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

describe('a custom command', () => {
  test.each(ERAS)('sees outputs, notes and guidance, and lets good work pass (%s)', async (era) => {
    verifies('JOBS-REQ-001.4.8', 'JOBS-REQ-001.4.14');
    const project = reviewed({ additional_review_guidance: 'Mind the tone.' });
    script(project, { answer: PASS });
    const agent = await connect(project.root, { era, args: GATE });
    await agent.ok('start_workflow', START);
    const answer = await agent.ok('finished_step', { ...REPORT, notes: 'Took long.' });
    expect(answer.status).toBe('next_step');
    const [review] = seen(project);
    expect(seen(project)).toHaveLength(1);
    expect(review?.stdin).toContain('- clear: It is clear');
    expect(review?.stdin).toContain('Mind the tone.');
    const run = '='.repeat(20);
    const word = / BEGIN OUTPUTS (\w+) =/.exec(review?.stdin ?? '')?.[1];
    expect(review?.stdin).toContain(
      `${run} BEGIN OUTPUTS ${word} ${run}\n${'-'.repeat(20)} report.md ${'-'.repeat(20)}\nThe report.\n`,
    );
    expect(review?.stdin).toContain(
      `${run} END OUTPUTS ${word} ${run}\n${run} AUTHOR NOTES ${word} ${run}\nTook long.\n${run} END AUTHOR NOTES ${word} ${run}`,
    );
  });

  test('may answer in a json fence', async () => {
    verifies('JOBS-REQ-001.4.14');
    const project = reviewed();
    script(project, { raw: `I looked.\n\`\`\`json\n${JSON.stringify(PASS)}\n\`\`\`\nDone.\n` });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });

  test('fails the work twice, then it is an error; a later pass works', async () => {
    verifies('JOBS-REQ-001.4.11', 'JOBS-REQ-001.4.12', 'JOBS-REQ-001.4.13', 'JOBS-REQ-001.1.5');
    const project = reviewed();
    const failing = {
      passed: false,
      feedback: 'Too vague',
      criteria_results: [{ criterion: 'clear', passed: false, feedback: 'vague' }],
    };
    script(project, { when: 'The report', answer: failing }, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    for (const attempt of [1, 2]) {
      const answer = await agent.ok('finished_step', REPORT);
      expect(answer.status).toBe('needs_work');
      expect(answer.feedback).toBe('Too vague');
      expect(answer.failed_reviews).toEqual([
        {
          review_run_each: 'step',
          target_file: null,
          passed: false,
          feedback: 'Too vague',
          criteria_results: [{ criterion: 'clear', passed: false, feedback: 'vague' }],
        },
      ]);
      expect(answer.failed_criteria).toEqual([
        { criterion: 'It is clear', passed: false, feedback: 'vague' },
      ]);
      const { step_progress } = readView(project, begin_step.session_id);
      expect(step_progress.write.quality_attempts).toBe(attempt);
    }
    expect(await agent.refused('finished_step', REPORT)).toMatch(
      /^Quality gate failed after 3 attempts\. Feedback: Too vague\nNext: /,
    );
    project.write('report.md', 'A precise text.\n');
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });

  test('is not asked if a reason to override is given, and the reason is recorded', async () => {
    verifies('JOBS-REQ-001.4.9');
    const project = reviewed();
    script(project, { answer: FAIL });
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    const blank = await agent.ok('finished_step', {
      ...REPORT,
      quality_review_override_reason: '  ',
    });
    expect(blank.status).toBe('needs_work');
    const answer = await agent.ok('finished_step', {
      ...REPORT,
      quality_review_override_reason: 'My user read it and agreed',
    });
    expect(answer.status).toBe('next_step');
    expect(seen(project)).toHaveLength(1);
    const { history } = readView(project, begin_step.session_id);
    expect(history).toContainEqual(
      expect.objectContaining({
        event: 'review_overridden',
        step_id: 'write',
        reason: 'My user read it and agreed',
      }),
    );
  });
});

test('feedback on several reviews names the file and the review of each part', async () => {
  verifies('JOBS-REQ-001.4.12');
  const project = newProject({ 'p1.md': 'first', 'p2.md': 'second', 'sum.md': 'third' });
  const review = (run_each: string, name: string) => ({
    run_each,
    quality_criteria: { [name]: `It is ${name}` },
  });
  const outputs = { pages: 'files', sum: 'file' };
  const reviews = [review('pages', 'short'), review('pages', 'clear'), review('step', 'whole')];
  writeJob(project, 'work', { write: { outputs, reviews } }, { main: ['write'] });
  const no = (feedback: string) => ({ answer: { passed: false, feedback } });
  script(
    project,
    { when: 'It is whole', ...no('Page 3 is missing') },
    { when: '-- p1.md --', answer: PASS },
    { when: 'It is clear', ...no('Hard to read') },
    { when: 'It is short', ...no('Too long') },
  );
  const agent = await connect(project.root, { args: GATE });
  await agent.ok('start_workflow', START);
  const { feedback } = await agent.ok('finished_step', {
    outputs: { pages: ['p1.md', 'p2.md'], sum: 'sum.md' },
  });
  expect(feedback).toBe(
    [
      "p2.md (review of 'pages': short): Too long",
      "p2.md (review of 'pages': clear): Hard to read",
      "step 'write' (review of all outputs: whole): Page 3 is missing",
    ].join('; '),
  );
});

describe('the fault of a reviewer names where it was configured', () => {
  const config = '.deepwork/config.yml';

  test('an option', async () => {
    const project = reviewed();
    script(project, { exit: 3 });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const { next } = readRefusal(await agent.call('finished_step', REPORT));
    expect(next).toContain(`'${REVIEW_COMMAND}', given by the option --quality-gate`);
    expect(next).toContain('call finished_step again with the same outputs');
  });

  test('a key of config.yml, and the file', async () => {
    const project = reviewed();
    project.write(config, 'quality_gate: {agent_review_command: no-such-reviewer}\n');
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const { message, next } = readRefusal(await agent.call('finished_step', REPORT));
    expect(message).toBe('Review agent command not found: no-such-reviewer');
    expect(next).toContain(
      `named by quality_gate.agent_review_command in ${project.path(config)}.`,
    );
  });

  test('a claude on the PATH, or none', async () => {
    const project = reviewed();
    putClaudeOnPath();
    script(project, { exit: 3 });
    const args = ['--external-runner', 'claude'];
    const agent = await connect(project.root, { args });
    await agent.ok('start_workflow', START);
    const { next } = readRefusal(await agent.call('finished_step', REPORT));
    expect(next).toMatch(/Claude CLI \(\/.*\/claude, found on PATH\).*--external-runner claude/);
    const bare = await connect(project.root, { args, env: { PATH: newProject().root } });
    await bare.ok('start_workflow', START);
    const refusal = readRefusal(await bare.call('finished_step', REPORT));
    expect(refusal.message).toBe('Claude CLI command not found: claude');
    expect(refusal.next).toContain('no claude was found on PATH');
  });

  test('also beside reviews that gave a verdict', async () => {
    const project = reviewed();
    project.write('two.md', 'The other page.\n');
    script(project, { when: 'The report', answer: FAIL }, { exit: 3 });
    writeJob(
      project,
      'work',
      {
        one: {
          outputs: { a: 'file' },
          reviews: [{ run_each: 'step', quality_criteria: { c: 'C' } }],
        },
        two: {
          outputs: { b: 'file' },
          reviews: [{ run_each: 'step', quality_criteria: { c: 'C' } }],
        },
      },
      { main: [['one', 'two']] },
    );
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const { feedback } = await agent.ok('finished_step', {
      outputs: { a: 'report.md', b: 'two.md' },
    });
    expect(feedback).toContain('exit code 3');
    expect(feedback).toContain('given by the option --quality-gate');
  });
});

describe('the Claude CLI', () => {
  test('is started with its flags, and its structured output counts', async () => {
    verifies('JOBS-REQ-001.1.6', 'JOBS-REQ-001.1.7', 'JOBS-REQ-001.4.14', 'CLIENT-7');
    const project = reviewed();
    putClaudeOnPath();
    script(project, {
      answer: { ...PASS, criteria_results: [{ criterion: 'clear', passed: true }] },
    });
    const agent = await connect(project.root, { args: ['--external-runner', 'claude'] });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    const { argv, stdin } = seen(project)[0] as Seen;
    expect(argv.slice(0, 4)).toEqual(['--print', '--output-format', 'json', '--system-prompt']);
    expect(argv[4]).toContain('It is clear');
    expect(argv[5]).toBe('--json-schema');
    expect(JSON.parse(argv[6] as string).required).toContain('criteria_results');
    // It reads, and nothing of the project decides what it does.
    expect(argv.slice(7, 9)).toEqual(['--tools', 'Read,Grep,Glob']);
    expect(argv.slice(9, 12)).toEqual(['--strict-mcp-config', '--setting-sources', 'user']);
    expect(argv.slice(12)).toEqual(['-p', '--']);
    expect(stdin.startsWith('='.repeat(20))).toBe(true);
  });

  test('does not inherit the variables of the calling session', async () => {
    const project = reviewed();
    script(project, { answer: PASS });
    const marks = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: 'the-outer-one',
    };
    const env = { ...claudeOnPath(), ...marks };
    const agent = await connect(project.root, { args: ['--external-runner', 'claude'], env });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(seen(project)[0]?.marks).toEqual([]);
  });

  test.each([
    [
      'returns an error',
      { raw: '{"is_error": true, "result": "Not logged in"}', exit: 1 },
      'Claude CLI returned error: Not logged in',
    ],
    [
      'answers without structured_output',
      { raw: '{"result": "ok"}' },
      "Claude CLI response missing 'structured_output' field",
    ],
    ['prints no JSON', { raw: 'hello' }, 'Failed to parse Claude CLI response as JSON: '],
    ['fails', { exit: 3, stderr: 'boom' }, 'Claude CLI failed with exit code 3:\nstderr: boom'],
  ])('%s: a fault that costs no attempt', async (_what, scene, message) => {
    verifies('JOBS-X.17');
    const project = reviewed();
    putClaudeOnPath();
    script(project, scene);
    const agent = await connect(project.root, { args: ['--external-runner', 'claude'] });
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toContain(message);
    const { step_progress } = readView(project, begin_step.session_id);
    expect(step_progress.write.quality_attempts).toBe(0);
    script(project, {
      answer: { ...PASS, criteria_results: [{ criterion: 'clear', passed: true }] },
    });
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });
});

describe('an invalid answer', () => {
  test.each([
    ['a number', '7'],
    ['an object of another form', '{"verdict": "ok"}'],
    ['a passed that is no boolean', '{"passed": "yes", "feedback": ""}'],
    ['criteria that are no list', '{"passed": true, "criteria_results": {}}'],
    ['nothing', ''],
  ])('%s is a fault', async (_what, raw) => {
    verifies('JOBS-X.16', 'JOBS-X.17');
    const project = reviewed();
    script(project, { raw });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toContain(
      'Failed to parse Review agent response as JSON',
    );
  });
});
