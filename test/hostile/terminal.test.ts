// What an agent or a repository writes, as commands print it: a terminal obeys none of it, and
// programs that read JSON get the same value.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const GOAL = 'x\u009b31m\u0085\u2028\u202e\u2066y\u007f';
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test.each([
  ['status', '--json'],
  ['history', 'last', '--json'],
  ['history', '--json'],
])('deepwork %s %s prints no control characters', async (...words) => {
  verifies('CLIENT-9');
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const agent = await connect(project.root);
  await agent.ok('start_workflow', { goal: GOAL, job_name: 'demo', workflow_name: 'main' });
  const { stdout } = await command(words, { cwd: project.root });
  expect(stdout).toContain('\\u009b31m');
  expect(stdout).not.toMatch(OBEYED);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(GOAL));
});

test.each([['trust'], ['messages'], ['x\u202ey']])(
  'what deepwork %s says of a mistake contains no control characters',
  async (...words) => {
    verifies('CLIENT-9');
    const agents = 'team:\n  agents:\n    - name: "a\\u202eb\\u009bc"\n';
    const project = newProject({ '.deepwork/config.yml': agents });
    const { code, stderr } = await deepwork(words, { cwd: project.root });
    expect(code).not.toBe(0);
    expect(stderr).toContain('\\u202e');
    expect(stderr).not.toMatch(OBEYED);
  },
);
