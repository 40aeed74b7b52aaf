// The scene of a record: a project, a home and programs, in a folder whose path always has the same
// length, so that lines wrap at the same words on every machine.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import {
  BINARY,
  type Connection,
  type ConnectOptions,
  connect,
  connectToProcess,
} from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { type Project, projectAt } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const CLOCK = fileURLToPath(new URL('./fixed-clock.cjs', import.meta.url));

/** What stands for the folder of a stage; as long as its path. */
export const SHOWN = '/home/ann/deepwork-words';

export interface Stage extends Project {
  readonly home: string;
  /** Of a person with a home of their own. */
  readonly env: Readonly<Record<string, string>>;
  /** Connects an agent that has this home. */
  agent(options?: ConnectOptions): Promise<Connection>;
  /** Starts a workflow, and others nested in it, from a process that is gone afterwards: for a minute. */
  leave(start: Record<string, unknown>, args?: readonly string[], times?: number): Promise<void>;
}

export function emptyStage(): Stage {
  const folder = folderOfLength(SHOWN.length);
  mkdirSync(path.join(folder, 'project'));
  const { home, bin } = homeOfTest(folder);
  const PATH = `${bin}:/usr/bin:/bin`;
  const language = { TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  return {
    ...projectAt(path.join(folder, 'project')),
    home,
    env: { ...cleanEnv(home), ...language, PATH, NO_COLOR: '', CI: '', TERM: 'xterm-256color' },
    agent(options = {}) {
      const project = path.join(folder, 'project');
      return connect(project, { ...options, env: { HOME: home, PATH, ...options.env } });
    },
    async leave(start, args = [], times = 1) {
      const project = path.join(folder, 'project');
      const clock = { NODE_OPTIONS: `--require ${CLOCK}`, DEEPWORK_TEST_NOW: String(Date.now()) };
      const env = { HOME: home, PATH, TZ: 'UTC', ...clock };
      const gone = await connectToProcess(project, { args, env, closeAfterTest: false });
      for (let nth = 1; nth <= times; nth++) await gone.ok('start_workflow', start);
      process.kill(gone.pid, 'SIGKILL');
      await gone.close();
      await until(() => !isAlive(gone.pid));
      vi.setSystemTime(Date.now() + 60_000);
    },
  };
}

/** A project without git. */
export function newStage(
  config: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): Stage {
  const stage = emptyStage();
  stage.write('.deepwork/config.yml', JSON.stringify({ git: { branch: 'off' }, ...config }));
  for (const [file, text] of Object.entries(files)) stage.write(file, text);
  return stage;
}

let shared: { readonly home: string; readonly bin: string } | null = null;

/** One for all stages of a test: the servers in one process look up the same home. */
function homeOfTest(folder: string) {
  if (shared !== null) return shared;
  const [home, bin] = [path.join(folder, 'home'), path.join(folder, 'bin')];
  mkdirSync(home);
  mkdirSync(bin);
  symlinkSync(BINARY, path.join(bin, 'deepwork'));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  shared = { home, bin };
  onTestFinished(() => {
    shared = null;
  });
  return shared;
}

/** Of macOS, too, whose own temporary folders have longer paths. */
function folderOfLength(length: number): string {
  const parent = realpathSync('/tmp');
  const name = 'd'.repeat(length - parent.length - 1 - 6);
  const folder = mkdtempSync(path.join(parent, name));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
