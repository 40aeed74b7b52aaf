// Which clients a person uses: those whose program is installed, and those that the project is
// set up for.

import { findProgram } from '../environment/process/program.ts';
import { CLIENTS, type Client } from './clients.ts';
import { pluginOf } from './find-plugins.ts';
import type { ProjectFiles } from './project-files.ts';

export interface FoundClient {
  readonly client: Client;
  /** How it was found, for people. */
  readonly because: string;
  /** The file or folder that has deepwork as its plugin; null if it does not. */
  readonly plugin: string | null;
}

/** Claude Code can also review. */
export function isClaudeInstalled({ root }: ProjectFiles, env: NodeJS.ProcessEnv): boolean {
  return findProgram('claude', root, env) !== null;
}

export function findClients(
  files: ProjectFiles,
  home: string,
  env: NodeJS.ProcessEnv,
): readonly FoundClient[] {
  return CLIENTS.flatMap((client) => {
    const trace = client.traces.find((path) => files.exists(path));
    const plugin = pluginOf(client.id, files.root, home);
    if (trace !== undefined) return [{ client, because: `${trace} is here`, plugin }];
    const program = client.programs.find((name) => findProgram(name, files.root, env) !== null);
    return program === undefined ? [] : [{ client, because: `${program} is installed`, plugin }];
  });
}
