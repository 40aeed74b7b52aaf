// deepwork call inside `deepwork run`: the agent's calls go to the run's own server, with the token
// of the turn. This way a script can be an agent.

import type { IncomingHttpHeaders } from 'node:http';
import { refusedWith } from '../../core/refusal.ts';
import type { BeginStep } from '../../engine/answer-types.ts';
import type { TypeOfOutput } from '../../engine/step/declared-outputs.ts';
import type { ToolResult } from '../../operations/tool-result.ts';
import { RUN_MARK } from '../../run/left-processes.ts';

export interface TurnServer {
  readonly url: string;
  readonly token: string;
}

/** Null outside a turn of a run. */
export function serverOfTurn(env: NodeJS.ProcessEnv): TurnServer | null {
  const { [RUN_MARK]: mark, SGAI_MCP_URL: url, DEEPWORK_AGENT_TOKEN: token } = env;
  return mark && url && token ? { url, token } : null;
}

export async function callInRun(
  server: TurnServer,
  tool: string,
  given: unknown,
): Promise<ToolResult> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'deepwork call', version: '1' },
  };
  const opened = await post(server, { id: 1, method: 'initialize', params });
  const session = String(opened.headers['mcp-session-id'] ?? '');
  const call = { id: 2, method: 'tools/call', params: { name: tool, arguments: given } };
  const answer = await post(server, call, { 'mcp-session-id': session });
  const { result, error } = readMessage(answer.text);
  if (result !== undefined) return result;
  throw refusedWith('call_failed', error?.message ?? 'The run did not answer', null);
}

/** The open step of the turn; null if there is none. */
export async function openStepInRun(
  server: TurnServer,
  sessionId: string | null,
): Promise<BeginStep | null> {
  const about = sessionId === null ? {} : { session_id: sessionId };
  const { structuredContent } = await callInRun(server, 'get_active_workflow', about);
  const { begin_step } = (structuredContent ?? {}) as { readonly begin_step?: BeginStep | null };
  return begin_step ?? null;
}

/** The types of the outputs that this step declares. */
export function outputsOf(open: BeginStep | null): TypeOfOutput {
  const steps = open === null ? [] : [open, ...open.concurrent_steps];
  const outputs = steps.flatMap(({ step_expected_outputs }) => step_expected_outputs);
  return (name) => outputs.find((output) => output.name === name)?.type ?? null;
}

interface Posted {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function post(
  server: TurnServer,
  message: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const posted = await send(server, message, headers).catch(() => null);
  if (posted !== null && posted.status >= 200 && posted.status < 300) return posted;
  const why =
    posted === null ? 'its server does not answer' : `its server answered ${posted.status}`;
  throw refusedWith(
    'turn_over',
    `The run no longer accepts calls of this turn: ${why}`,
    'end this turn.',
  );
}

/**
 * Not with `fetch`: its first use compiles a WebAssembly parser, which takes twice the processor time
 * of the rest of this command, and it gives up on an answer after five minutes.
 */
async function send(
  { url, token }: TurnServer,
  message: object,
  headers: Readonly<Record<string, string>>,
): Promise<Posted> {
  const { request } = await import('node:http');
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.end(body);
  });
}

interface Message {
  readonly result?: ToolResult;
  readonly error?: { readonly message?: string };
}

/** With progress before it, the answer is the last event of a stream. */
function readMessage(text: string): Message {
  const event = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(event === undefined ? text : event.slice('data: '.length)) as Message;
}
