// A shell script as the agent of an unattended run, as docs/run.md shows it.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { verifies } from '../verifies.ts';
import { begin, finish, journalOf, newLanguageScene, newScene } from './support.ts';

test('deepwork call hands in for the turn that it runs in, whoever else has work here', async () => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const deepwork = `'${process.execPath}' '${BINARY}'`;
  scene.project.write(
    'agent.sh',
    [
      'cat > prompt.txt',
      `step=$(${deepwork} call get_active_workflow | sed 's/.*"begin_step"//' | grep -o '"step_id":"[^"]*"' | head -1 | cut -d '"' -f 4)`,
      'echo Done > "$step.md"',
      `${deepwork} call finished_step --outputs "$step.md=$step.md"`,
      `${deepwork} call finished_step --outputs nothing=there >> refused.txt`,
      'echo "exit code $?" >> refused.txt',
    ].join('\n'),
  );
  const args = ['demo/main', '--goal', 'Try it', '--command', 'sh agent.sh', '--json'];
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
  const turns = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(turns).toHaveLength(2);
  expect(readFileSync(scene.project.path('refused.txt'), 'utf8')).toMatch(
    /Unknown output names: nothing.*\nexit code 1/,
  );
});

test('inputs on the command line of a turn are read by their declared types', async () => {
  verifies('RUN-1', 'LANG-1');
  const inputs = { count: { description: 'How often', type: 'number', required: false } };
  const scene = newLanguageScene({
    entries: ['a'],
    steps: { a: 'Do {{ inputs.count }}.' },
    inputs,
  });
  const deepwork = `'${process.execPath}' '${BINARY}'`;
  scene.project.write(
    'agent.sh',
    [
      `${deepwork} call start_workflow --goal Nested --job_name demo --workflow_name main --inputs count=3`,
      'echo Done > a.md',
      // The nested session is finished first, then the one of the run.
      `for each in 1 2; do ${deepwork} call finished_step --outputs a=a.md; done`,
    ].join('\n'),
  );
  const args = ['demo/main', '--goal', 'Try it', '--command', 'sh agent.sh', '--json'];
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
  const started = journalOf(scene, 'session').filter(({ type }) => type === 'started');
  expect(started.map(({ data }) => data.inputs)).toContainEqual({ count: 3 });
});
