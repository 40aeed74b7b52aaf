// That what accepted work rests on is on the disk before it is used can only be seen from outside: in
// the system calls of the built binary.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { newProject, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';

const traces = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

test.skipIf(!traces)('keys, ids, events and their names are synced before they are used', () => {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const home = tempFolder();
  const trace = project.path('trace.txt');
  const start = (env: Record<string, string>) => {
    const given = JSON.stringify({ job_name: 'demo', workflow_name: 'main', goal: 'g' });
    const call = [BINARY, 'call', 'start_workflow', '--path', project.root, '--json', given];
    const calls = 'trace=write,fsync,fdatasync,link,linkat';
    const options = { encoding: 'utf8', env: { ...cleanEnv(home), ...env } } as const;
    const args = ['-A', '-f', '-y', '-e', calls, '-o', trace, process.execPath, ...call];
    return spawnSync('strace', args, options).stdout;
  };
  const { session_id } = JSON.parse(start({})).begin_step;
  // A workspace gets its id when it is shared.
  start({ DEEPWORK_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' });

  const lines = readFileSync(trace, 'utf8').split('\n');
  const first = (call: string, of: string) =>
    lines.findIndex((line) => line.includes(` ${call}(`) && line.includes(`<${of}`));
  const last = (call: string, of: string) =>
    lines.findLastIndex((line) => line.includes(` ${call}(`) && line.includes(`<${of}`));
  const key = `${home}/.deepwork/signing.key`;
  const id = project.path('.deepwork/workspace.id');
  const journal = project.path('.deepwork/journal');
  const stream = `${journal}/session/${session_id}.jsonl>`;
  const answered = lines.findIndex((line) => / write\(1<.*begin_step/.test(line));
  const inOrder = [
    // The key gets its name only when it is complete; a line is added to the id's file in place.
    [
      first('fsync', `${key}.`),
      lines.findIndex((line) => / link(?:at)?\(/.test(line) && line.includes(`"${key}"`)),
      last('fsync', `${path.dirname(key)}>`),
    ],
    [first('fsync', `${id}>`), last('fsync', `${path.dirname(id)}>`)],
    [first('write', stream), first('fdatasync', stream), answered],
    ...[`${journal}/session`, journal, project.path('.deepwork')].map((folder) => [
      first('fsync', `${folder}>`),
      answered,
    ]),
  ];
  for (const places of inOrder) {
    expect(places[0]).toBeGreaterThan(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }
});
