// Identifies a process by a token that stays unique after it has ended. Process ids are reused, so the
// token also contains the boot, the process namespace and the start time. With it, another process can
// tell whether the owner of a session is still running.

import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import type { Liveness, Processes } from '../../core/session/ownership.ts';
import { errorCode } from '../../files/system-errors.ts';
import { ps, statFields } from './processes.ts';

/** The processes of this machine. */
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

/** The process id of a process that runs here now; null if it is gone, or elsewhere. */
export function processIdHere(token: string): number | null {
  const [where = '', pid] = token.split('/');
  return isHere(where) && livenessOf(token) === 'alive' ? Number(pid) : null;
}

function describeProcess(token: string): string {
  const [where = '', pid] = token.split('/');
  const liveness = livenessOf(token);
  if (liveness === 'gone') return `process ${pid} (gone)`;
  if (liveness === 'alive') return `process ${pid} (running on this host)`;
  const host = partsOf(where).host || 'unknown';
  return isThisBoot(where)
    ? `process ${pid} (in another container of this machine, host '${host}'; it may still run)`
    : `process ${pid} (on host '${host}'; it may still run)`;
}

/** The same host after a restart: no process of the previous boot is alive. */
function elsewhere(where: string): Liveness {
  return partsOf(where).host === partsOf(machine()).host ? 'gone' : 'unknown';
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
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), NO_BOOT)
      .trim()
      .slice(0, 8),
    attempt(() => readlinkSync('/proc/self/ns/pid'), 'nons').replace(/[^0-9]/g, ''),
  ].join(':');
  return here;
}

/** The same boot and namespace are the same place, even if the host was renamed. */
function isHere(where: string): boolean {
  const isSameNamespace = partsOf(where).namespace === partsOf(machine()).namespace;
  return where === machine() || (isThisBoot(where) && isSameNamespace);
}

function isThisBoot(where: string): boolean {
  const { boot } = partsOf(where);
  return boot !== NO_BOOT && boot === partsOf(machine()).boot;
}

function partsOf(where: string) {
  const [host, boot, namespace] = where.split(':');
  return { host, boot, namespace };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  // A zombie accepts signals but will never run again.
  const state = statFields(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/** When a process started, in the system's own unit; null if unknown. */
function startOf(pid: number): string | null {
  const fields = statFields(pid);
  if (fields !== null) return fields[19] ?? null;
  if (process.platform === 'linux') return null;
  const text = ps(['-o', 'lstart=', '-p', String(pid)]) ?? '';
  return text.trim().replace(/[^A-Za-z0-9:]/g, '') || null;
}

/** `read` fails where there is no /proc. */
function attempt(read: () => string, otherwise: string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
