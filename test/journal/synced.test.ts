// That an event is on the disk before it is answered can only be seen from outside: in the system
// calls of the built binary.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { newProject, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';

const traces = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

test.skipIf(!traces)('what accepted work rests on is synced before it is used', () => {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const home = tempFolder();
  const trace = project.path('trace.txt');
  const start = JSON.stringify({ job_name: 'demo', workflow_name: 'main', goal: 'g' });
  const call = ['call', 'start_workflow', '--path', project.root, '--json', start];
  const DEEPWORK_DATABASE_URL = 'postgres://127.0.0.1:1/nowhere';
  for (const env of [{}, { DEEPWORK_DATABASE_URL }]) {
    spawnSync(
      'strace',
      [
        ...['-A', '-f', '-y', '-e', 'trace=fsync,link,linkat', '-o', trace],
        ...[process.execPath, BINARY, ...call],
      ],
      { env: { ...cleanEnv(home), ...env } },
    );
  }
  const lines = readFileSync(trace, 'utf8').split('\n');
  const fsync = (of: string) => (line: string) =>
    line.includes(' fsync(') && line.includes(`<${of}`);
  const key = `${home}/.deepwork/signing.key`;
  const id = project.path('.deepwork/workspace.id');
  const inOrder = [
    // The key gets its name only when it is complete; a line is added to the id's file in place.
    [
      lines.findIndex(fsync(`${key}.`)),
      lines.findIndex((line) => / link(?:at)?\(/.test(line) && line.includes(`"${key}"`)),
      lines.findLastIndex(fsync(`${path.dirname(key)}>`)),
    ],
    [lines.findIndex(fsync(`${id}>`)), lines.findLastIndex(fsync(`${path.dirname(id)}>`))],
  ];
  for (const places of inOrder) {
    expect(places[0]).toBeGreaterThan(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }
});

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
