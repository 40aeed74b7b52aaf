// Codex's app server, which says what the command line does not.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Stage } from './stage.ts';

/** What Codex's app server answers to one request, after its own handshake. */
export async function askCodex(
  stage: Stage,
  codex: string,
  method: string,
  params: object = {},
): Promise<unknown> {
  const child = spawn(stage.peers.node, [codex, 'app-server'], {
    cwd: stage.project.root,
    env: stage.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const clientInfo = { name: 'deepwork-tests', title: null, version: '1' };
  send({ id: 'hello', method: 'initialize', params: { clientInfo } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`Codex refused: ${line}`);
    if (id === 'hello') {
      send({ method: 'initialized' });
      send({ id: 'question', method, params });
    }
    if (id === 'question') {
      child.stdin.end();
      return result;
    }
  }
  throw new Error('Codex ended without an answer');
}
