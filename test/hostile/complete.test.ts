// The hostile suite attacks the places on a list, so the list must be complete: a run that uses
// everything opens and changes nothing in its project that is not on it.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { asListed, unlisted } from './listed.ts';
import { PLACES } from './places.ts';
import { startRunner } from './runners.ts';
import { newSample, type Sample } from './sample.ts';

function openSample(): Sample {
  const sample = newSample();
  onTestFinished(sample.remove);
  return sample;
}

test('a run opens and changes nothing in its project that is not on the list', async () => {
  const sample = openSample();
  const runner = await startRunner();
  onTestFinished(runner.end);
  const begun = await runner.begin(sample.root);
  expect(begun.answers.filter(({ isError }) => isError)).toEqual([]);
  sample.write('.sgai/state.json', '{"status":"mine"}');
  const { notes } = await runner.attack();
  const all = [...begun.notes, ...notes];
  expect(
    unlisted(
      sample.root,
      all.map((note) => note.path),
      PLACES,
    ),
  ).toEqual([]);
  // And every place on the list is really used; otherwise the suite would attack unused ones.
  const used = all.map((note) => `${asListed(sample.root, note.path)}/`);
  const never = PLACES.filter((place) => !used.some((way) => way.startsWith(`${place.path}/`)));
  expect(never).toEqual([]);
});

const traces = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

test.runIf(traces)('the system calls confirm the guard: no program, nothing outside', () => {
  const sample = openSample();
  const trace = sample.path('trace.txt');
  const watched =
    'execve,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,rmdir';
  const home = sample.path('home');
  const { status } = spawnSync(
    'strace',
    [
      ...['-f', '-qq', '-s', '4096', '-o', trace, '-e', `trace=${watched}`],
      ...[process.execPath, BINARY, 'call', 'start_workflow', '--path', sample.root],
      ...['--goal', 'g', '--job_name', 'demo', '--workflow_name', 'main'],
    ],
    { env: { ...process.env, HOME: home }, cwd: sample.root },
  );
  expect(status).toBe(0);
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, call, rest] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
      return call === undefined ? [] : [{ call, rest: rest as string }];
    });
  const paths = (rest: string) =>
    [...rest.matchAll(/"([^"]*)"/g)].map(([, file]) => file as string);
  expect(calls.filter(({ call }) => call === 'execve').map(({ rest }) => paths(rest)[0])).toEqual([
    process.execPath,
  ]);
  const changing = calls.filter(
    ({ call, rest }) =>
      call !== 'execve' && (!call.startsWith('open') || /O_WRONLY|O_RDWR|O_CREAT/.test(rest)),
  );
  const changed = changing
    .flatMap(({ rest }) => paths(rest).map((file) => path.resolve(sample.root, file)))
    .filter((file) => !/^\/(dev\/(?!shm\/)|proc\/)/.test(file));
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.filter((file) => !file.startsWith(`${sample.root}/`))).toEqual([]);
  const opened = calls
    .filter(({ call }) => call !== 'execve')
    .flatMap(({ rest }) => paths(rest).map((file) => path.resolve(sample.root, file)))
    .filter((file) => !file.startsWith(home));
  expect(unlisted(sample.root, opened, PLACES)).toEqual([]);
});
