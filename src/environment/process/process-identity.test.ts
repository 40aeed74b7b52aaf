// Whether the process that a token names is still running.

import { type ChildProcess, spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { systemProcesses } from './process-identity.ts';
import { statFields } from './processes.ts';

const { livenessOf } = systemProcesses;
const [machine = '', ownPid = '', ownStart = ''] = systemProcesses.own().split('/');
const [host, boot, namespace] = machine.split(':');

function running(command: string, ...args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const startOf = (pid: number) => statFields(pid)?.[19];

test('a process is alive as long as it runs', async () => {
  const child = running('sleep', '60');
  const token = `${machine}/${child.pid}/${startOf(child.pid as number)}`;
  expect(livenessOf(token)).toBe('alive');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(livenessOf(token)).toBe('gone');
});

test('a process that reuses an id is not the earlier process', () => {
  const child = running('sleep', '60');
  expect(livenessOf(`${machine}/${child.pid}/1`)).toBe('gone');
});

test('a zombie process is gone', async () => {
  // After exec, the shell is `sleep`, which never reaps the child.
  const parent = running('sh', '-c', 'sleep 0.01 & echo $!; exec sleep 60');
  const pid = await new Promise<number>((resolve) => {
    parent.stdout?.once('data', (text) => resolve(Number(String(text))));
  });
  const token = `${machine}/${pid}/${startOf(pid)}`;
  await until(() => statFields(pid)?.[0] === 'Z');
  expect(livenessOf(token)).toBe('gone');
});

test.each([
  ['this process', machine, 'alive'],
  ['this host before its last start', `${host}:0badcafe:${namespace}`, 'gone'],
  ['another host', `other:0badcafe:${namespace}`, 'unknown'],
  ['another container of this host', `other:${boot}:4026539999`, 'unknown'],
  ['this host under another name', `other:${boot}:${namespace}`, 'alive'],
])('a process of %s', (_where, place, liveness) => {
  expect(livenessOf(`${place}/${ownPid}/${ownStart}`)).toBe(liveness);
});

test.each(['', 'x', `${machine}/x/1`, `${machine}/-1/1`, `${machine}/0/1`])(
  'an invalid token is unknown: %s',
  (token) => {
    expect(livenessOf(token)).toBe('unknown');
  },
);
