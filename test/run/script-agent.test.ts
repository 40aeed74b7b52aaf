// A shell script as the agent of an unattended run, as docs/run.md shows it.

import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { begin, finish, newLanguageScene, newScene } from './support.ts';

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
  expect(readFileSync(scene.project.path('refused.txt'), 'utf8')).toMatch(/nothing.*\nexit code 1/);
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
