// Where a foreign client meets deepwork: a project, the built server on HTTP and ready to
// be started on stdio, and a home of the client's own, from which it reaches nothing but
// this machine.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestContext } from 'vitest';
import { BINARY } from '../../support/connect.ts';
import { cleanEnv, newHome, serveOverHttp } from '../../support/http.ts';
import { newProject, type Project } from '../../support/project.ts';
import { installPeers, type Peers } from '../install.ts';

const CLIENT_MS = 90_000;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** All that it printed, without colours. */
  readonly text: string;
}

export interface Stage {
  readonly peers: Peers;
  readonly project: Project;
  readonly home: string;
  readonly env: Environment;
  /** The server over HTTP, without a path. */
  readonly url: string;
  /** An address at which nobody answers. */
  readonly deadUrl: string;
  /** The command that serves over stdio. */
  readonly stdio: readonly [string, ...string[]];
  /** What deepwork tells its user to run or paste for an agent. */
  hint(agent: string): string;
  run(command: string, args: readonly string[], more?: Environment): Promise<Ran>;
}

type Environment = Readonly<Record<string, string>>;

export async function setStage(): Promise<Stage> {
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const project = newProject();
  const server = await serveOverHttp(project.root);
  const home = newHome();
  const env = {
    ...cleanEnv(home),
    ...NOWHERE,
    // Agents start their helpers, and are started, with the newer Node.
    PATH: `${path.dirname(peers.node)}${path.delimiter}${process.env.PATH}`,
  };
  return {
    ...{ peers, project, home, env },
    url: server.url,
    // Port 9 discards what it gets, where anybody listens there at all.
    deadUrl: 'http://127.0.0.1:9',
    stdio: [process.execPath, BINARY, 'serve', '--path', project.root],
    hint(agent) {
      const line = server
        .out()
        .split('\n')
        .find((text) => text.trimStart().startsWith(agent));
      if (line === undefined) throw new Error(`deepwork has no hint for ${agent}`);
      return line.trim().slice(agent.length).trim();
    },
    run: (command, args, more) => run(command, args, project.root, { ...env, ...more }),
  };
}

/** Whatever leaves this machine goes to a proxy that is not there. */
const NOWHERE = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost,::1',
  no_proxy: '127.0.0.1,localhost,::1',
};

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: CLIENT_MS, killSignal: 'SIGKILL' as const };
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, text: stripVTControlCharacters(`${stdout}${stderr}`) });
    });
    child.stdin?.end();
  });
}

/** The program of an agent, or the test is skipped where there is none for this machine. */
export function programOf(stage: Stage, { skip }: TestContext, file: string): string {
  const program = stage.peers.file(file);
  return existsSync(program) ? program : skip(`${file} is not packaged for this machine`);
}

/** As the packages of native programs are called. */
export const MACHINE = `${process.platform}-${process.arch}`;
