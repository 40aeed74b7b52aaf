// Values in instructions and in the environment of commands.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { START, writeJobWithInputs } from './support.ts';

test('instructions are filled once, and what has no value stays', async () => {
  verifies('LANG-2');
  const project = newProject();
  writeJobWithInputs(
    project,
    {
      issue: { description: 'The issue' },
      trick: { description: 'A trick' },
      none: { description: 'Not given', required: false },
    },
    { a: {}, b: {} },
  );
  project.write(
    '.deepwork/jobs/demo/steps/a.md',
    'Fix {{ inputs.issue }}, {{inputs.trick}}, {{ inputs.none }}, {{ inputs.ghost }}, {{ x }}, {{{ inputs.issue }}}, {{ item }}.\n',
  );
  const agent = await connect(project.root);
  const inputs = { issue: '#1', trick: '{{ inputs.issue }}' };
  const { begin_step } = await agent.ok('start_workflow', { ...START, inputs });
  expect(begin_step.step_instructions).toBe(
    'Fix #1, {{ inputs.issue }}, {{ inputs.none }}, {{ inputs.ghost }}, {{ x }}, {#1}, {{ item }}.\n',
  );
  const { begin_step: next } = await agent.ok('finished_step', { outputs: {} });
  expect(next.step_instructions).toBe('Do b now.\n');
});

test('a command is never filled, and finds inputs in its environment', async () => {
  verifies('LANG-2');
  const project = newProject();
  const run = [
    `printf '%s|' "$DEEPWORK_INPUT_TITLE" "$DEEPWORK_INPUT_COUNT" "$DEEPWORK_INPUT_STRICT" > said.txt`,
    `printf '%s' '{{ inputs.title }}' "\${DEEPWORK_INPUT_NONE-unset}" "\${DEEPWORK_ITEM-unset}" >> said.txt`,
  ].join(' && ');
  writeJobWithInputs(
    project,
    {
      title: { description: 'A title' },
      count: { description: 'A number', type: 'number', default: 2 },
      strict: { description: 'A flag', type: 'boolean', default: false },
      none: { description: 'Not given', required: false },
    },
    { a: { checks: [{ name: 'says', run: `${run} && cat said.txt && exit 1` }] } },
  );
  const agent = await connect(project.root, { env: { DEEPWORK_TRUST: '1' } });
  const title = '$(touch pwned); `touch pwned`';
  await agent.ok('start_workflow', { ...START, inputs: { title } });
  const answer = await agent.ok('finished_step', { outputs: {} });
  expect(answer.reason).toBe('checks');
  expect(answer.feedback).toContain(`${title}|2|false|{{ inputs.title }}unsetunset`);
});
