// The only place that runs git. A repository is hostile until a person trusts it: its config,
// hooks and remotes can name programs. So git itself is found outside the project, gets a
// short environment, and everything that could start another program is off. Commands that
// still read the repository's config are limited to those that run nothing from it (see
// `git-repository.ts`), except a checkout, which needs trust.

import { execFile } from 'node:child_process';
import os from 'node:os';
import { findProgram, withoutProjectPath } from '../process/program.ts';

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** Why it failed, in one line. */
  readonly why: string;
}

export interface GitRequest {
  /** The project: no program is taken from here. */
  readonly root: string;
  readonly args: readonly string[];
  /** Where git runs; default: the project. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** `latin1`: one character for each byte, for content that may not be text. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Output beyond this many bytes is a failure. */
  readonly outputLimit?: number;
  readonly timeoutMs?: number;
}

/** Overrides every config file. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Anyone may have committed a folder that looks like a bare repository.
  'safe.bareRepository': 'explicit',
  'core.hooksPath': os.devNull,
  // Empty means off in every version; before 2.36 "false" was the name of a program.
  'core.fsmonitor': '',
  // A missing object would be fetched by a program that the remote's config names.
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
  'core.sshCommand': os.devNull,
  'core.gitProxy': os.devNull,
  'core.askPass': '',
  'core.pager': 'cat',
  'core.editor': os.devNull,
  'credential.helper': '',
  'core.alternateRefsCommand': os.devNull,
  'diff.external': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

const OWN_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
};

/**
 * What git needs from the user's environment: a home for the config, and system paths. It is always
 * that of this process, also for a command that has an environment of its own.
 */
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  // Can only make git find less.
  'GIT_CEILING_DIRECTORIES',
  // Windows:
  'Path',
  'PATHEXT',
  'SystemRoot',
  'SystemDrive',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'TEMP',
  'TMP',
];

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

export function runGit({
  root,
  args,
  cwd = root,
  env = {},
  input,
  encoding = 'utf8',
  outputLimit = MAX_OUTPUT_BYTES,
  timeoutMs = TIMEOUT_MS,
}: GitRequest): Promise<GitResult> {
  const program = findProgram('git', root, process.env);
  if (program === null) return Promise.resolve(failed('git is not installed'));
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ['--no-pager', ...settings, ...args],
      {
        cwd,
        encoding,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: outputLimit,
        env: { ...inheritedEnvironment(root), ...OWN_ENVIRONMENT, ...env },
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ ok: true, stdout, why: '' });
        const message = stderr.trim().split('\n')[0]?.slice(0, 200);
        const how = error.killed
          ? `git timed out after ${timeoutMs / 1000} s`
          : `git failed (${error.code ?? error.signal})`;
        resolve({ ok: false, stdout, why: message || how });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

function failed(why: string): GitResult {
  return { ok: false, stdout: '', why };
}

function inheritedEnvironment(root: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.includes(name));
  return withoutProjectPath(Object.fromEntries(inherited), root);
}
