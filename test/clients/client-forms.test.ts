// Each client's own JSON, as the real one sends it, and the answer in the form that it
// understands. The inputs were captured from Claude Code 2.1.325, Codex 0.166.0 and Gemini CLI
// 0.61.0; opencode's are those of our plugin.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { hook, hookProcess } from '../support/hook.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

interface Form {
  readonly client: 'claude' | 'codex' | 'gemini' | 'opencode';
  start(cwd: string): object;
  stop(cwd: string): object;
  /** A file tool that is about to write. */
  write(cwd: string, file: string): object;
  /** How the reason is found in an answer; undefined if the form is not the client's. */
  sentBack(answer: unknown): unknown;
  refused(answer: unknown): unknown;
}

const ID = '01a1e644-7c2b-7d10-9f3a-5b6c7d8e9f00';

/** Claude Code's answers, which Codex and our plugin for opencode take as well. */
const CLAUDE_ANSWERS = {
  sentBack: (answer: unknown) => reasonIf(answer, { decision: 'block' }),
  refused(answer: unknown) {
    const { hookSpecificOutput, ...rest } = answer as { hookSpecificOutput?: object };
    expect(rest).toEqual({});
    const { permissionDecisionReason, ...fixed } = { ...hookSpecificOutput } as {
      permissionDecisionReason?: string;
    };
    expect(fixed).toEqual({ hookEventName: 'PreToolUse', permissionDecision: 'deny' });
    return permissionDecisionReason;
  },
};

function reasonIf(answer: unknown, fixed: object): unknown {
  const { reason, ...rest } = answer as { reason?: string };
  expect(rest).toEqual(fixed);
  return reason;
}

const FORMS: readonly Form[] = [
  {
    client: 'claude',
    ...CLAUDE_ANSWERS,
    start: (cwd) => ({ ...claude(cwd, 'SessionStart'), source: 'startup' }),
    stop: (cwd) => ({
      ...claude(cwd, 'Stop'),
      prompt_id: 'p',
      permission_mode: 'default',
      effort: { level: 'medium' },
      stop_hook_active: false,
      last_assistant_message: 'All done!',
      background_tasks: [],
      session_crons: [],
    }),
    write: (cwd, file) => ({
      ...claude(cwd, 'PreToolUse'),
      prompt_id: 'p',
      permission_mode: 'default',
      effort: { level: 'medium' },
      tool_name: 'Write',
      tool_use_id: 'call_3',
      tool_input: { file_path: file, content: 'x' },
    }),
  },
  {
    client: 'codex',
    ...CLAUDE_ANSWERS,
    start: (cwd) => ({ ...codex(cwd, 'SessionStart'), source: 'startup' }),
    stop: (cwd) => ({
      ...codex(cwd, 'Stop'),
      turn_id: 't',
      stop_hook_active: false,
      last_assistant_message: 'All done!',
    }),
    write: (cwd, file) => ({
      ...codex(cwd, 'PreToolUse'),
      turn_id: 't',
      tool_use_id: 'call_3',
      tool_name: 'apply_patch',
      tool_input: { command: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n` },
    }),
  },
  {
    client: 'gemini',
    start: (cwd) => ({ ...gemini(cwd, 'SessionStart'), source: 'startup' }),
    stop: (cwd) => ({
      ...gemini(cwd, 'AfterAgent'),
      prompt: 'Please write the report.',
      prompt_response: 'All done!',
      stop_hook_active: false,
    }),
    write: (cwd, file) => ({
      ...gemini(cwd, 'BeforeTool'),
      tool_name: 'write_file',
      tool_input: { file_path: file, content: 'x' },
    }),
    sentBack: (answer) => reasonIf(answer, { decision: 'deny' }),
    refused: (answer) => reasonIf(answer, { decision: 'deny' }),
  },
  {
    client: 'opencode',
    ...CLAUDE_ANSWERS,
    start: (cwd) => ({ session_id: 'ses_e19b37a35ffe', cwd, source: 'startup' }),
    stop: (cwd) => ({ session_id: 'ses_e19b37a35ffe', cwd }),
    write: (cwd, file) => ({
      session_id: 'ses_e19b37a35ffe',
      cwd,
      tool_name: 'write',
      tool_input: { filePath: file, content: 'x' },
    }),
  },
];

function claude(cwd: string, event: string) {
  const transcript_path = `/home/u/.claude/projects/-p/${ID}.jsonl`;
  return { session_id: ID, transcript_path, cwd, hook_event_name: event };
}

function codex(cwd: string, event: string) {
  return {
    session_id: ID,
    transcript_path: '/home/u/.codex/sessions/2026/11/16/rollout.jsonl',
    cwd,
    hook_event_name: event,
    model: 'gpt-5.5',
    permission_mode: 'bypassPermissions',
  };
}

function gemini(cwd: string, event: string) {
  return {
    session_id: ID,
    transcript_path: '/home/u/.gemini/tmp/p/chats/session.jsonl',
    cwd,
    hook_event_name: event,
    timestamp: '2026-11-16T21:33:31.815Z',
  };
}

function demo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  return project;
}

test.for(FORMS)('$client is answered in its own form', async (form) => {
  verifies('CLIENT-4');
  const project = demo();
  const { root } = project;
  const options = { client: form.client, cwd: root };
  const agent = await connect(root);
  const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
  const { begin_step } = await agent.ok('start_workflow', START);

  const { hookSpecificOutput, ...rest } = await hook('start', form.start(root), options);
  expect(rest).toEqual({});
  expect(hookSpecificOutput).toEqual({
    hookEventName: 'SessionStart',
    additionalContext: expect.stringContaining(`session ${begin_step.session_id}`),
  });
  // A process, whose input is a pipe, as with a real client.
  const reason = form.sentBack(await hookProcess('stop', form.stop(root), options));
  expect(reason).toContain('deepwork: the work is not done.');
  const journal = project.path('.deepwork/journal/x');
  const why = form.refused(await hook('tool', form.write(root, journal), options));
  expect(why).toContain("belongs to deepwork's journal");
  expect(await hook('tool', form.write(root, project.path('report.md')), options)).toBeNull();
});

test.for(FORMS)('$client hears nothing where no session is open', async (form) => {
  verifies('CLIENT-4');
  const { root } = demo();
  const options = { client: form.client, cwd: root };
  expect(await hook('start', form.start(root), options)).toBeNull();
  expect(await hook('stop', form.stop(root), options)).toBeNull();
});
