// What an agent's file tools may not write.

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { claudeInput, hook } from '../support/hook.ts';
import { newProject, type Project } from '../support/project.ts';
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
    expect(await denied(project, '.deepwork/archive/session/x.jsonl', tool)).toContain('archive');
    expect(await denied(project, 'src/index.ts', tool)).toBeNull();
    expect(await denied(project, '.deepwork/jobs/demo/job.yml', tool)).toBeNull();
    expect(await denied(project, journal, 'Read')).toBeNull();
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
      expect(await denied(project, file, 'Write', { HOME }), file).not.toBeNull();
    }
    // Nor does another home than the hook's.
    const file = path.join(HOME, '.deepwork', name);
    expect(await denied(project, file), file).not.toBeNull();
  }
  expect(await denied(project, '~/.deepwork/workflows/mine.json', 'Write', { HOME })).toBeNull();
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

test('a patch is checked in full, however many files it names, or refused', async () => {
  verifies('CLIENT-6');
  const project = newProject();
  const answerTo = async (files: readonly string[]) => {
    const patch = files.map((file) => `*** Add File: ${file}\n+x\n`).join('');
    const call = { tool_name: 'apply_patch', tool_input: { patch } };
    const input = claudeInput('c', project.root, call);
    const answer = await hook('tool', input, { client: 'codex', cwd: project.root });
    return answer?.hookSpecificOutput.permissionDecisionReason ?? null;
  };
  const many = Array.from({ length: 200_000 }, () => 'src/a.ts');
  const journal = '.deepwork/journal/x';
  expect(await answerTo(many)).toBeNull();
  expect(await answerTo([...many, journal])).toContain("deepwork's journal");
  expect(await answerTo(['x/'.repeat(12_000), journal])).toContain("deepwork's journal");
  expect(await answerTo(many.map((_, at) => `src/${at}.ts`))).toContain('in several calls');
});
