// A real client that works in a project of its own, with deepwork configured as its MCP
// server and a scripted model in place of its own.

import { execFileSync } from 'node:child_process';
import { onTestFinished, type TestContext } from 'vitest';
import { BINARY } from '../../../support/connect.ts';
import { cleanEnv, newHome } from '../../../support/http.ts';
import { newProject, type Project } from '../../../support/project.ts';
import { installPeers, type Peers } from '../../install.ts';
import type { Script } from '../../model/script.ts';
import { type ScriptedModel, startModel } from '../../model/server.ts';
import { type Environment, type Ran, runClient } from '../client-process.ts';
import { clientEnv, programOf } from '../stage.ts';

/** What a client needs in order to be set up. */
export interface Scene {
  readonly project: Project;
  readonly home: string;
  /** The model's address, without a path. */
  readonly modelUrl: string;
  /** The command that serves deepwork over stdio, in the project; null if init has set it up. */
  readonly serve: readonly [string, ...string[]] | null;
}

export interface DrivenClient {
  readonly name: string;
  /** In the folder of installed packages. */
  readonly program: string;
  /** As `deepwork init --clients` and `deepwork hook` call it. */
  readonly id: 'claude' | 'codex' | 'gemini' | 'opencode';
  /** JavaScript, which is run by the Node that is installed beside the clients. */
  readonly needsNode: boolean;
  /** Writes the client's settings. */
  configure(scene: Scene): void;
  /** The arguments that have it work on a prompt, without a person. */
  args(prompt: string): readonly string[];
  env(scene: Scene): Environment;
}

export interface DriveOptions {
  readonly args?: readonly string[];
  readonly env?: Environment;
}

export interface Driven extends Scene {
  readonly model: ScriptedModel;
  /** Runs the client on a prompt until it ends; fails if the script was asked too much. */
  ask(prompt: string, options?: DriveOptions): Promise<Ran>;
}

export interface SceneOptions {
  readonly client: DrivenClient;
  readonly script: Script;
  readonly project?: Project;
  /** Has `deepwork init` set the project up, hooks included; else there is the server alone. */
  readonly byInit?: boolean;
}

export async function drive(
  context: TestContext,
  { client, script, project = newProject(), byInit = false }: SceneOptions,
): Promise<Driven> {
  const peers = await installPeers('clients');
  if (typeof peers === 'string') throw new Error(peers);
  const program = programOf({ peers }, context, client.program);
  const model = await startModel(script);
  onTestFinished(() => model.close());
  const home = newHome();
  const serve = [process.execPath, BINARY, 'serve', '--path', '.'] as const;
  const scene: Scene = { project, home, modelUrl: model.url, serve: byInit ? null : serve };
  client.configure(scene);
  if (byInit) initialise(client, scene);
  const [command, first] = startOf(client, program, peers);
  return {
    ...scene,
    model,
    async ask(prompt, { args = [], env = {} } = {}) {
      const ran = await runClient({
        command,
        args: [...first, ...client.args(prompt), ...args],
        cwd: project.root,
        env: { ...clientEnv(home, peers), ...client.env(scene), ...env },
      });
      if (model.failures.length > 0) {
        throw new Error(`${model.failures.join('\n')}\n\n${client.name} printed:\n${ran.text}`);
      }
      return ran;
    },
  };
}

function initialise({ id }: DrivenClient, { project, home }: Scene): void {
  const args = [BINARY, 'init', '--clients', id, '--template', 'none', '--yes'];
  execFileSync(process.execPath, args, { cwd: project.root, env: cleanEnv(home), stdio: 'pipe' });
}

function startOf({ needsNode }: DrivenClient, program: string, { node }: Peers) {
  return needsNode ? ([node, [program]] as const) : ([program, []] as const);
}
