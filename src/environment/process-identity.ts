// Who a process is, in a way that outlives it: a process id alone is reused, so the
// token also names the boot, the process namespace and the moment of its start. With
// it, another process can tell whether the owner of a session is still there.

import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import type { Liveness, Processes } from '../core/session/ownership.ts';
import { ps, statFields } from './processes.ts';

/** Processes as the system of this machine knows them. */
export const systemProcesses: Processes = {
  own: ownProcess,
  livenessOf,
  describe: describeProcess,
};

let own: string | undefined;

function ownProcess(): string {
  own ??= `${machine()}/${process.pid}/${startOf(process.pid) ?? 'unknown'}`;
  return own;
}

function livenessOf(token: string): Liveness {
  if (token === ownProcess()) return 'alive';
  const [where, pid, start] = token.split('/');
  const id = Number(pid);
  if (where === undefined || !Number.isSafeInteger(id) || id <= 0) return 'unknown';
  if (!isHere(where)) return isThisBoot(where) ? 'unknown' : elsewhere(where);
  if (!exists(id)) return 'gone';
  const startNow = startOf(id);
  return startNow === null || start === 'unknown' || startNow === start ? 'alive' : 'gone';
}

/** Which process it is and where, in words. */
function describeProcess(token: string): string {
  const [where = '', pid] = token.split('/');
  const liveness = livenessOf(token);
  if (liveness === 'gone') return `process ${pid} (gone)`;
  if (liveness === 'alive') return `process ${pid} (running on this host)`;
  const host = hostOf(where) || 'unknown';
  return isThisBoot(where)
    ? `process ${pid} (in another container of this machine, host '${host}'; it may still run)`
    : `process ${pid} (on host '${host}'; it may still run)`;
}

/** The same host after a restart: nothing of the former boot can be alive. */
function elsewhere(where: string): Liveness {
  return hostOf(where) === hostOf(machine()) ? 'gone' : 'unknown';
}

const NO_BOOT = 'noboot';
let here: string | undefined;

/** host:boot:namespace. Every event carries it twice, so it is kept short. */
function machine(): string {
  here ??= [
    os
      .hostname()
      .replace(/[^A-Za-z0-9.-]/g, '')
      .slice(0, 24),
    readOr('/proc/sys/kernel/random/boot_id', NO_BOOT).trim().slice(0, 8),
    linkOr('/proc/self/ns/pid', 'nons').replace(/[^0-9]/g, ''),
  ].join(':');
  return here;
}

/** One boot and one namespace are one place, whatever the host is called meanwhile. */
function isHere(where: string): boolean {
  return (
    where === machine() || (isThisBoot(where) && namespaceOf(where) === namespaceOf(machine()))
  );
}

function isThisBoot(where: string): boolean {
  return bootOf(where) !== NO_BOOT && bootOf(where) === bootOf(machine());
}

function namespaceOf(where: string): string | undefined {
  return where.split(':')[2];
}

function hostOf(where: string): string | undefined {
  return where.split(':')[0];
}

function bootOf(where: string): string | undefined {
  return where.split(':')[1];
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A zombie answers to signals but will never act again.
  const state = statFields(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/** When a process started, in whatever unit the system has; null if it does not say. */
function startOf(pid: number): string | null {
  const fields = statFields(pid);
  if (fields !== null) return fields[19] ?? null;
  if (process.platform === 'linux') return null;
  const text = ps(['-o', 'lstart=', '-p', String(pid)]) ?? '';
  return text.trim().replace(/[^A-Za-z0-9:]/g, '') || null;
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

function linkOr(file: string, otherwise: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return otherwise;
  }
}
