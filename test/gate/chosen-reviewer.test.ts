// Who reviews: flags override the config, and at one level switching the gate off overrides a
// command, which overrides a runner.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, REVIEW, writeJob } from '../support/project.ts';
import { putClaudeOnPath, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { verifies } from '../verifies.ts';

const OFF = ['--no-quality-gate'];
const COMMAND = ['--quality-gate', `${REVIEW_COMMAND} by-flag`];
const CLAUDE = ['--external-runner', 'claude'];
const CONFIG = { agent_review_command: `${REVIEW_COMMAND} by-config` };

test.each<[string, string[], Record<string, string>, string]>([
  ['nothing', [], {}, 'self'],
  ['a command by flag', COMMAND, {}, 'by-flag'],
  ['Claude by flag', CLAUDE, {}, '--print'],
  ['a command and Claude by flag', [...COMMAND, ...CLAUDE], {}, 'by-flag'],
  ['the gate off and both by flag', [...COMMAND, ...CLAUDE, ...OFF], {}, 'none'],
  ['a command in the config', [], CONFIG, 'by-config'],
  ['one in the config and one by flag', COMMAND, CONFIG, 'by-flag'],
  ['one in the config, and Claude by flag', CLAUDE, CONFIG, '--print'],
  ['one in the config, and the gate off by flag', OFF, CONFIG, 'none'],
])('with %s', async (_given, args, quality_gate, reviewer) => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.6');
  const project = newProject({ 'report.md': 'The report.\n' });
  const write = { outputs: { report: 'file' }, reviews: [REVIEW] };
  writeJob(project, 'work', { write, after: {} }, { main: ['write', 'after'] });
  const config = { git: { branch: 'off' }, quality_gate };
  project.write('.deepwork/config.yml', JSON.stringify(config));
  script(project, { answer: { passed: true, feedback: '' } });
  putClaudeOnPath();
  const agent = await connect(project.root, { args: [...args, '--trust'] });
  await agent.ok('start_workflow', { job_name: 'work', workflow_name: 'main', goal: 'g' });
  const { status } = await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const asked = seen(project).map(({ argv }) => argv[0]);
  if (reviewer === 'self') expect([status, asked]).toEqual(['needs_work', []]);
  else expect([status, asked]).toEqual(['next_step', reviewer === 'none' ? [] : [reviewer]]);
});
