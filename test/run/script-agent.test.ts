// A shell script as the agent of an unattended run, as docs/run.md shows it.

import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { deepwork as deepworkCommand } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { begin, finish, journalOf, newLanguageScene, newScene } from './support.ts';

test('deepwork call hands in for the turn that it runs in, whoever else has work here', async () => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const deepwork = `'${process.execPath}' '${BINARY}'`;
  scene.project.write(
    'agent.sh',
    [
      'cat > /dev/null',
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

test('the script of docs/run.md hands in its report, and leaves no other file in the project', async () => {
  verifies('RUN-1');
  const document = readFileSync(new URL('../../docs/run.md', import.meta.url), 'utf8');
  const [, script = ''] = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(document) ?? [];
  const scene = newLanguageScene({ entries: ['report'], steps: { report: 'Do it.' } });
  const before = readdirSync(scene.project.root);
  const bin = tempFolder();
  const agent = path.join(bin, 'agent.sh');
  writeFileSync(agent, script, { mode: 0o755 });
  writeFileSync(path.join(bin, 'your-tool'), '#!/bin/sh\nexec cat\n', { mode: 0o755 });
  symlinkSync(BINARY, path.join(bin, 'deepwork'));
  const args = ['demo/main', '--goal', 'Spelling', '--command', agent, '--json'];
  const env = { PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin` };
  const ran = await finish(begin(scene, args, { env }));
  expect(ran.code, ran.err).toBe(0);
  expect(readFileSync(scene.project.path('report.md'), 'utf8')).toContain('Spelling');
  expect(readdirSync(scene.project.root)).toEqual([...before, 'report.md'].sort());
});

test('inputs and reports on the command line of a turn are read by their declared types', async () => {
  verifies('RUN-1', 'LANG-1');
  const inputs = { count: { description: 'How often', type: 'number', required: false } };
  const scene = newLanguageScene({
    entries: ['a'],
    steps: { a: 'Do {{ inputs.count }}.' },
    inputs,
    more: { a: { reports: { version: { description: 'Which one' } } } },
  });
  const deepwork = `'${process.execPath}' '${BINARY}'`;
  scene.project.write(
    'agent.sh',
    [
      `${deepwork} call start_workflow --goal Nested --job_name demo --workflow_name main --inputs count=3`,
      'echo Done > a.md',
      // The nested session is finished first, then the one of the run.
      `for each in 1 2; do ${deepwork} call finished_step --outputs a=a.md --context version=2.0; done`,
    ].join('\n'),
  );
  const args = ['demo/main', '--goal', 'Try it', '--command', 'sh agent.sh', '--json'];
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
  const started = journalOf(scene, 'session').filter(({ type }) => type === 'started');
  expect(started.map(({ data }) => data.inputs)).toContainEqual({ count: 3 });
});

test('a turn after a person gave one pass more hands in for that pass, although the turn before never got its answer', async () => {
  verifies('RUN-1', 'LANG-3');
  const check = { name: 'third', run: 'grep -q "Text 3" draft.md' };
  const scene = newLanguageScene({
    entries: [
      {
        loop: {
          name: 'polish',
          steps: ['draft'],
          max: 2,
          until: { check },
        },
      },
    ],
    steps: { draft: 'Draft it.' },
  });
  const settings = 'git:\n  branch: off\nteam:\n  question_wait_seconds: 60\n';
  scene.project.write('.deepwork/config.yml', settings);
  const deepwork = `'${process.execPath}' '${BINARY}'`;
  // The call of the second turn would wait for the person, but its agent leaves.
  scene.project.write(
    'agent.sh',
    [
      'echo turn >> turns.txt',
      'turn=$(wc -l < turns.txt)',
      'echo "Text $turn" > draft.md',
      `${deepwork} call finished_step --outputs draft=draft.md &`,
      'call=$!',
      'test "$turn" = 2 || { wait $call; exit; }',
      'until ls .deepwork/journal/team/log.jsonl; do sleep 0.1; done',
      'kill -9 $call',
    ].join('\n'),
  );
  const args = ['demo/main', '--goal', 'Try it', '--command', 'sh agent.sh', '--json'];
  const answering = { cwd: scene.project.root, env: { HOME: scene.home } };
  await deepworkCommand(['trust', '--yes'], answering);
  const running = begin(scene, args);
  await until(() => running.out().includes('"waiting_for_person"'));
  const answered = await deepworkCommand(['answer', 'q-1', '--choose', 'One pass more'], answering);
  expect(answered.code, answered.stderr).toBe(0);
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  const turns = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(turns.map(({ advanced }) => advanced)).toEqual([true, true, true]);
});
