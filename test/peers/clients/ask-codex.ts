// Codex's app server, which says what the command line does not, and which has several threads in
// one process, as its editor extensions and its desktop app do.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { until } from '../../support/until.ts';
import type { Stage } from './stage.ts';

interface Message {
  readonly id?: string;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly result?: any;
  readonly error?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly params?: any;
}

export interface CodexServer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  request(method: string, params?: object): Promise<any>;
  /** Resolves with the first notification of this kind that fits. */
  heard(method: string, fits: (params: Message['params']) => boolean): Promise<Message['params']>;
}

type Place = Pick<Stage, 'peers' | 'env'> & { readonly project: { readonly root: string } };

/** The app server, after its own handshake; it ends with the test. */
export async function openCodex({ peers, env, project }: Place, codex: string) {
  const child = spawn(peers.node, [codex, 'app-server'], {
    cwd: project.root,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => end(child));
  const messages: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)));
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const wait = async (fits: (message: Message) => boolean) => {
    await until(() => {
      if (child.exitCode !== null) throw new Error('Codex ended without an answer');
      return messages.some(fits);
    }, WAIT_MS);
    return messages.find(fits) as Message;
  };
  let requests = 0;
  const server: CodexServer = {
    async request(method, params = {}) {
      requests += 1;
      const id = `request-${requests}`;
      send({ id, method, params });
      const { result, error } = await wait((message) => message.id === id);
      if (error !== undefined) throw new Error(`Codex refused: ${JSON.stringify(error)}`);
      return result;
    },
    async heard(method, fits) {
      return (await wait((message) => message.method === method && fits(message.params))).params;
    },
  };
  const clientInfo = { name: 'deepwork-tests', title: null, version: '1' };
  await server.request('initialize', { clientInfo });
  send({ method: 'initialized' });
  return server;
}

const WAIT_MS = 90_000;

/** With its servers, which end when their input does. */
function end(child: ChildProcess): void {
  child.stdin?.end();
  child.kill('SIGKILL');
}

/** What Codex's app server answers to one request. */
export async function askCodex(stage: Place, codex: string, method: string, params: object = {}) {
  return (await openCodex(stage, codex)).request(method, params);
}
