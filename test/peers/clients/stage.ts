// Where a foreign client meets deepwork: a project, the built server over HTTP and ready to be
// started over stdio, and a separate home for the client, which can reach only this machine.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'vitest';
import { BINARY } from '../../support/connect.ts';
import { cleanEnv, newHome, serveOverHttp } from '../../support/http.ts';
import { newProject, type Project } from '../../support/project.ts';
import { installPeers, type Peers } from '../install.ts';
import { type Environment, type Ran, runClient } from './client-process.ts';

export interface Stage {
  readonly peers: Peers;
  readonly project: Project;
  readonly home: string;
  readonly env: Environment;
  /** The server over HTTP, without a path. */
  readonly url: string;
  /** An address where nothing answers. */
  readonly deadUrl: string;
  /** The command that serves over stdio. */
  readonly stdio: readonly [string, ...string[]];
  /** What deepwork prints for its user to run or paste for an agent. */
  hint(agent: string): string;
  run(command: string, args: readonly string[], more?: Environment): Promise<Ran>;
}

export async function setStage(): Promise<Stage> {
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const project = newProject();
  const server = await serveOverHttp(project.root);
  const home = newHome();
  const env = clientEnv(home, peers);
  return {
    peers,
    project,
    home,
    env,
    url: server.url,
    // Port 9 is the discard service, if anything listens there at all.
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
    run: (command, args, more) =>
      runClient({ command, args, cwd: project.root, env: { ...env, ...more } }),
  };
}

/** With this home, and no way to anything but this machine. */
export function clientEnv(home: string, peers: Peers): Environment {
  return {
    ...cleanEnv(home),
    ...NOWHERE,
    // Agents start their helpers, and are started, with the newer Node.
    PATH: `${path.dirname(peers.node)}${path.delimiter}${process.env.PATH}`,
  };
}

/** Connections to other machines go to a proxy that does not exist. */
const NOWHERE = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost,::1',
  no_proxy: '127.0.0.1,localhost,::1',
};

/** The program of an agent, or the test is skipped where there is none for this machine. */
export function programOf(
  { peers }: { readonly peers: Peers },
  { skip }: TestContext,
  file: string,
): string {
  const program = peers.file(file);
  return existsSync(program) ? program : skip(`${file} is not packaged for this machine`);
}

/** As the packages of native programs are called. */
export const MACHINE = `${process.platform}-${process.arch}`;
