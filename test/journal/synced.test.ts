// That an event is on the disk before it is answered can only be seen from outside: in the system
// calls of the built binary.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';

const traces = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

test.skipIf(!traces)('an event and its names are synced before the answer is written', () => {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const trace = project.path('trace.txt');
  const call = ['call', 'start_workflow', '--path', project.root, '--json'];
  const start = JSON.stringify({ job_name: 'demo', workflow_name: 'main', goal: 'g' });
  const ran = spawnSync(
    'strace',
    [
      ...['-f', '-y', '-e', 'trace=write,fsync,fdatasync', '-o', trace],
      ...[process.execPath, BINARY, ...call, start],
    ],
    { encoding: 'utf8' },
  );
  expect(ran.stderr).toBe('');
  const { session_id } = JSON.parse(ran.stdout).begin_step;
  const lines = readFileSync(trace, 'utf8').split('\n');
  const journal = project.path('.deepwork/journal');
  const file = `${journal}/session/${session_id}.jsonl`;
  const placeOf = (call: string, path: string) =>
    lines.findIndex((line) => line.includes(` ${call}(`) && line.includes(`<${path}>`));
  const written = placeOf('write', file);
  const answered = lines.findIndex((line) => / write\(1<.*begin_step/.test(line));
  const places = [
    placeOf('fsync', `${journal}/session`),
    placeOf('fsync', journal),
    placeOf('fsync', project.path('.deepwork')),
  ];
  for (const place of places) {
    expect(place).toBeGreaterThan(-1);
    expect(place).toBeLessThan(answered);
  }
  const synced = placeOf('fdatasync', file);
  expect(written).toBeGreaterThan(-1);
  expect(synced).toBeGreaterThan(written);
  expect(answered).toBeGreaterThan(synced);
});
