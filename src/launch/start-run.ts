// Starts `deepwork run` for a person at the page, as a process of its own that outlives the
// server. The server's pass proves that a person asked for it. Its output goes to a file, whose
// first line says whether it has started.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readSmallText } from '../files/read-contained.ts';

declare const __dirname: string;

/** Holds the pass of the server that started the run; no agent of the run gets it. */
export const PASS_VARIABLE = 'DEEPWORK_RUN_PASS';

const START_MS = 20_000;
const POLL_MS = 25;
const MAX_LOG_BYTES = 1024 * 1024;

export interface RunStart {
  readonly projectRoot: string;
  readonly pass: string;
  readonly env: NodeJS.ProcessEnv;
  /** The arguments of `deepwork run`. */
  readonly args: readonly string[];
}

/** The id of the run, or why it did not start. */
export async function startRun(start: RunStart): Promise<{ id: string } | { why: string }> {
  const { projectRoot, pass, args } = start;
  const { SGAI_AGENT_IDENTITY: _identity, DEEPWORK_AGENT_TOKEN: _token, ...env } = start.env;
  const folder = path.join(projectRoot, '.deepwork', 'tmp');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `run-${randomBytes(4).toString('hex')}.log`);
  const log = openSync(file, 'wx', 0o600);
  const child = spawn(
    process.execPath,
    [path.join(__dirname, 'main.cjs'), 'run', ...args, '--json', '--path', projectRoot],
    {
      cwd: projectRoot,
      env: { ...env, [PASS_VARIABLE]: pass },
      detached: true,
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await pause(POLL_MS)) {
    const text = readSmallText(file, MAX_LOG_BYTES) ?? '';
    const id = idIn(text);
    if (id !== null) return { id };
    if (child.exitCode !== null || child.pid === undefined) {
      return { why: text.trim().replace(/^deepwork: /, '') || 'deepwork run could not be started' };
    }
  }
  return { why: `deepwork run did not start within ${START_MS / 1000} s (its log: ${file})` };
}

function idIn(text: string): string | null {
  const line = text.split('\n').find((each) => each.startsWith('{"event":"run_started"'));
  try {
    const { id } = JSON.parse(line ?? '{}') as { readonly id?: unknown };
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}
