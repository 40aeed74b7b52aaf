// A check judges what was handed in. No name, number or size of files, items and inputs leads it to
// judge nothing, or something else.

import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };

/** Fails if one of the files has BAD in it; without files, there is nothing that fails. */
const EACH_FILE =
  'printf "%s\\n" "$DEEPWORK_OUTPUT_PAGES" | while read -r f; do ! grep -q BAD -- "$f" || exit 1; done';

interface Work {
  readonly outputs?: Readonly<Record<string, string>>;
  readonly run: string;
  readonly files?: Readonly<Record<string, string>>;
}

function workWith({ outputs = { pages: 'files' }, run, files = {} }: Work): Project {
  const project = newProject(files);
  const checks = [{ name: 'sound', run }];
  writeJob(
    project,
    'work',
    { write: { outputs, checks }, after: {} },
    { main: ['write', 'after'] },
  );
  return project;
}

async function started(project: Project) {
  const agent = await connect(project.root, { args: ['--trust'] });
  await agent.ok('start_workflow', START);
  return agent;
}

describe('a check', () => {
  test('fails if the paths are too long to be given to it', async () => {
    verifies('JOBS-X.9');
    const project = workWith({ run: EACH_FILE, files: { 'bad.md': 'BAD' } });
    const many = Array.from({ length: 600 }, (_, at) => `many/${'x'.repeat(240)}${at}.md`);
    for (const file of many) project.write(file, 'fine');
    const agent = await started(project);
    const alone = await agent.ok('finished_step', { outputs: { pages: ['bad.md'] } });
    expect(alone.reason).toBe('checks');
    const hidden = await agent.ok('finished_step', { outputs: { pages: ['bad.md', ...many] } });
    expect(hidden).toMatchObject({ status: 'needs_work', reason: 'checks' });
    expect(hidden.feedback).toMatch(/not run: DEEPWORK_OUTPUT_PAGES would be \d+ bytes long/);
    expect(hidden.feedback).toContain('Hand in fewer files, or files with shorter paths');
    const few = await agent.ok('finished_step', { outputs: { pages: many.slice(0, 200) } });
    expect(few.status).toBe('next_step');
  });

  test('fails if all of them together are too long for a command', async () => {
    verifies('JOBS-X.9');
    const names = Array.from({ length: 40 }, (_, at) => `pages_${at}`);
    const outputs = Object.fromEntries(names.map((name) => [name, 'files']));
    const project = workWith({ outputs, run: 'true' });
    const many = Array.from({ length: 400 }, (_, at) => `${'x'.repeat(230)}${at}.md`);
    for (const file of many) project.write(file, 'fine');
    const agent = await started(project);
    const all = Object.fromEntries(names.map((name) => [name, many]));
    const answer = await agent.ok('finished_step', { outputs: all });
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'checks' });
    expect(answer.feedback).toContain('could not be started');
  });

  test('is given a file whose name looks like an option as a path', async () => {
    verifies('JOBS-X.9');
    const run = '! grep -n TODO "$DEEPWORK_OUTPUT_DRAFT"';
    const project = workWith({ outputs: { draft: 'file' }, run });
    const names = ['-n', '-', '--', '-q', '--version'];
    for (const name of names) project.write(name, 'TODO');
    const agent = await started(project);
    for (const draft of names) {
      const answer = await agent.ok('finished_step', { outputs: { draft } });
      expect(answer.feedback, draft).toContain('TODO');
    }
    project.write('-n', 'done');
    const sound = await agent.ok('finished_step', { outputs: { draft: '-n' } });
    expect(sound.status).toBe('next_step');
  });

  test('is given a file whose name looks like an assignment as a path', async () => {
    verifies('JOBS-X.9');
    const run = `! awk '/TODO/ { print }' "$DEEPWORK_OUTPUT_DRAFT" < /dev/null | grep TODO`;
    const project = workWith({ outputs: { draft: 'file' }, run, files: { 'a=b': 'TODO' } });
    const agent = await started(project);
    const answer = await agent.ok('finished_step', { outputs: { draft: 'a=b' } });
    expect(answer.reason).toBe('checks');
  });

  test('finds no variable for an optional output that was not handed in', async () => {
    const run = `test "\${DEEPWORK_OUTPUT_EXTRA-unset}" = unset`;
    const outputs = { draft: 'file', extra: 'file?' };
    const project = workWith({ outputs, run, files: { 'a.md': 'x' } });
    const agent = await started(project);
    const answer = await agent.ok('finished_step', { outputs: { draft: 'a.md' } });
    expect(answer.status).toBe('next_step');
  });
});

describe('an output path', () => {
  test.each([
    ['a line break', 'g.md\ng.md', 'g.md\\ng.md'],
    ['a carriage return', 'g.md\r', 'g.md\\r'],
    ['a NUL', 'g.md\0', 'g.md\\u0000'],
    ['an escape sequence', '\u001b[2Jg.md', '\\u001b[2Jg.md'],
    ['DEL', 'g\u007f.md', 'g\\u007f.md'],
    ['a C1 control', 'g\u009b.md', 'g\\u009b.md'],
    ['a line separator', 'g\u2028.md', 'g\\u2028.md'],
    ['a line break in a folder', 'a\nb/g.md', 'a\\nb/g.md'],
  ])('with %s is refused, and shown escaped', async (_what, name, shown) => {
    verifies('JOBS-X.8');
    const project = workWith({ run: EACH_FILE, files: { 'g.md': 'fine' } });
    if (!name.includes('\0')) project.write(name, 'BAD');
    const agent = await started(project);
    const text = await agent.refused('finished_step', { outputs: { pages: [name] } });
    expect(text.split('\n')[0]).toBe(
      `Output 'pages': '${shown}' has control characters in its path; rename it`,
    );
  });
});
