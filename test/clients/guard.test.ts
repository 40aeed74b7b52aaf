// What an agent's file tools may not write.

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { claudeInput, hook } from '../support/hook.ts';
import { expectPiecesAtMost } from '../support/processor-time.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

async function denied(project: Project, file: string, tool = 'Write', env = {}) {
  const member = tool === 'NotebookEdit' ? 'notebook_path' : 'file_path';
  const input = claudeInput('c', project.root, { tool_name: tool, tool_input: { [member]: file } });
  const answer = await hook('tool', input, { cwd: project.root, env });
  if (answer === null) return null;
  expect(answer.hookSpecificOutput.hookEventName).toBe('PreToolUse');
  expect(answer.hookSpecificOutput.permissionDecision).toBe('deny');
  return answer.hookSpecificOutput.permissionDecisionReason as string;
}

test.each(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])(
  '%s into the journal and the views is refused without any open session',
  async (tool) => {
    verifies('CLIENT-6');
    const project = newProject();
    const journal = '.deepwork/journal/session/0123abcd.jsonl';
    expect(await denied(project, journal, tool)).toContain("deepwork's journal");
    const view = project.path('.deepwork/tmp/session_0123abcd.json');
    expect(await denied(project, view, tool)).toContain('finished_step');
    expect(await denied(project, 'src/index.ts', tool)).toBeNull();
    expect(await denied(project, '.deepwork/jobs/demo/job.yml', tool)).toBeNull();
  },
);

test('neither detours nor links get around it', async () => {
  verifies('CLIENT-6');
  const project = newProject({ 'src/a.ts': '' });
  project.write('.deepwork/journal/x', '');
  symlinkSync(project.path('.deepwork/journal'), project.path('innocent'));
  for (const file of ['src/../.deepwork/journal/x', 'innocent/x', 'innocent/new/deep']) {
    expect(await denied(project, file)).toContain('journal');
  }
});

test('the record of what a person trusts, and the key, are refused; guides of the person are not', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const home = tempFolder('.deepwork/trust.d');
  const env = { HOME: home };
  const own = (...parts: string[]) => path.join(home, '.deepwork', ...parts);
  expect(await denied(project, own('trust.d', 'x.json'), 'Write', env)).toContain('deepwork trust');
  expect(await denied(project, own('signing.key'), 'Write', env)).toContain("the user's keys");
  expect(await denied(project, own('workflows', 'mine.json'), 'Write', env)).toBeNull();
});

test('blanks around a path, and ~ for the home, do not get around it', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const HOME = tempFolder('.deepwork/trust.d');
  const journal = project.path('.deepwork/journal/x');
  for (const file of [
    ` ${journal}`,
    `${journal}\n`,
    '\u00a0.deepwork/journal/x',
    '\u0085.deepwork/tmp/x',
  ])
    expect(await denied(project, file), JSON.stringify(file)).toContain('deepwork');
  for (const name of ['trust.d/x.json', 'servers/a/1.json', 'signing.key']) {
    for (const file of [`~/.deepwork/${name}`, ` ~/.deepwork/${name}`]) {
      expect(await denied(project, file, 'Write', { HOME }), file).toContain('must not be edited');
    }
  }
  expect(await denied(project, '~/.deepwork/workflows/mine.json', 'Write', { HOME })).toBeNull();
});

test("another user's, or another home's, records are refused", async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const home = tempFolder('.deepwork/trust.d');
  for (const name of ['trust.d/x.json', 'servers/a/1.json', 'signing.key']) {
    const file = path.join(home, '.deepwork', name);
    expect(await denied(project, file), file).toContain('must not be edited');
  }
});

test('tools that write nothing are not looked at', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  expect(await denied(project, '.deepwork/journal/x', 'Read')).toBeNull();
});

test('protect_definitions keeps the running job as it is', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  project.write(
    '.deepwork/config.yml',
    'git: { branch: off }\nclients: { protect_definitions: true }\n',
  );
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  writeJob(project, 'other', { a: {} }, { main: ['a'] });
  const file = '.deepwork/jobs/demo/steps/a.md';
  expect(await denied(project, file)).toBeNull();
  const agent = await connect(project.root, { env: { CLAUDE_CODE_SESSION_ID: 'c' } });
  await agent.ok('start_workflow', { goal: 'G', job_name: 'demo', workflow_name: 'main' });
  expect(await denied(project, file)).toContain("definition of 'demo'");
  expect(await denied(project, '.deepwork/jobs/other/steps/a.md')).toBeNull();
});

test('neither a link that leads nowhere yet, nor another folder to start from, gets around it', async () => {
  verifies('CLIENT-6');
  const project = newProject({ 'sub/.deepwork/config.yml': '' });
  project.write('.deepwork/journal/session/x', '');
  symlinkSync('.deepwork/journal/session/new.jsonl', project.path('dangling'));
  symlinkSync('dangling', project.path('twice'));
  for (const file of ['dangling', 'twice'])
    expect(await denied(project, file)).toContain('journal');
  const journal = project.path('.deepwork/journal/session/x');
  for (const cwd of [project.path('sub'), tempFolder()]) {
    const write = { tool_name: 'Write', tool_input: { file_path: journal } };
    const answer = await hook('tool', claudeInput('c', cwd, write), { cwd });
    expect(answer?.hookSpecificOutput.permissionDecision, cwd).toBe('deny');
  }
});

test('what was pruned, and the list of running servers, are refused', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const home = tempFolder('.deepwork');
  expect(await denied(project, '.deepwork/archive/session/x.jsonl')).toContain('archive');
  const server = path.join(home, '.deepwork', 'servers', 'a', '1.json');
  expect(await denied(project, server, 'Write', { HOME: home })).toContain('running servers');
});

test('a patch is checked in time and in full, however many files it names', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const answerTo = async (files: readonly string[]) => {
    const patch = files.map((file) => `*** Add File: ${file}\n+x\n`).join('');
    const call = { tool_name: 'apply_patch', tool_input: { patch } };
    const input = claudeInput('c', project.root, call);
    const answer = await hook('tool', input, { client: 'codex', cwd: project.root });
    return answer?.hookSpecificOutput.permissionDecisionReason ?? null;
  };
  const names = (count: number, file: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => file(at));
  const journal = '.deepwork/journal/x';
  for (const [files, expected] of [
    [names(200_000, () => 'src/a.ts'), null],
    [[...names(200_000, () => 'src/a.ts'), journal], "deepwork's journal"],
    [['x/'.repeat(12_000), journal], "deepwork's journal"],
    [names(2000, (at) => `${at}/.deepwork/x`), null],
    [names(700, (at) => `src/${at}/a/long/name/of/a/file.ts`), null],
    [names(200_000, (at) => `src/${at}.ts`), 'Write them in several calls'],
  ] as const) {
    let answer: unknown;
    const answering = async () => {
      answer = await answerTo(files);
    };
    await expectPiecesAtMost(400, answering, `${files.length} × ${files[0]?.slice(0, 20)}`);
    if (expected === null) expect(answer).toBeNull();
    else expect(answer).toContain(expected);
  }
});
