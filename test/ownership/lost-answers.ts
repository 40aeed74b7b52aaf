// What tests of lost answers share: calls whose client is gone before the answer, over HTTP,
// and how often something stands in the journal.

import { existsSync, readdirSync } from 'node:fs';
import net from 'node:net';
import type { Answer } from '../support/calls.ts';
import { connectOverHttp, type HttpServer, INITIALIZE, post } from '../support/http.ts';
import { keptState } from '../support/kept-state.ts';
import type { Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import { newDemo } from './demo.ts';

export type Args = Record<string, unknown>;
export type Call = (tool: string, args?: Args) => Promise<Answer>;

/** A call that changes something. */
export interface ChangingCall {
  readonly tool: string;
  /** What it leaves in the journal. */
  readonly event: string;
  readonly args: Args;
  /** The calls before it, with answers that arrive. */
  readonly before?: readonly (readonly [tool: string, args: Args])[];
}

export function newTeamDemo(): Project {
  const project = newDemo();
  project.write(
    '.deepwork/config.yml',
    'git:\n  branch: off\nteam:\n  question_wait_seconds: 1\n  agents:\n    - name: a\n',
  );
  return project;
}

export function sessions(project: Project): string[] {
  const folder = project.path('.deepwork/journal/session');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
}

/** Lines of this type in all streams. */
export function events(project: Project, type: string): number {
  const text = Object.entries(keptState(project))
    .filter(([file]) => file.startsWith('journal'))
    .map(([, content]) => content)
    .join('');
  return text.split(`"type":"${type}"`).length - 1;
}

/** Waits for the event of a call that no one waits for. */
export async function isKept(project: Project, type: string, before: number): Promise<void> {
  await until(() => events(project, type) > before);
}

export async function caller(
  { url }: Pick<HttpServer, 'url'>,
  name = 'coordinator',
): Promise<Call> {
  const client = await connectOverHttp(url, { headers: { 'x-sgai-agent-identity': name } });
  return async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const [block] = result.content as { text: string }[];
    return {
      isError: result.isError === true,
      text: block?.text ?? '',
      data: result.structuredContent,
    };
  };
}

/** Makes the call, and is gone before it could be answered. */
export async function callAndLeave(
  { url, port, child }: HttpServer,
  tool: string,
  args: Args,
  name = 'coordinator',
): Promise<void> {
  const session = (await post(`${url}/mcp`, INITIALIZE)).headers.get('mcp-session-id');
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `X-SGAI-Agent-Identity: ${name}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Mcp-Session-Id: ${session}`,
  ];
  // The server sleeps until the client is gone, so that it cannot answer in time.
  child.kill('SIGSTOP');
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
  child.kill('SIGCONT');
}
