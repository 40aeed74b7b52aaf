// A model that does what a script says: one HTTP server on this machine that answers in the
// wire form in which it is asked, so that real clients run whole workflows without a model.
// Everything that a client sent is kept for the test to look at.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { responsesForm } from './responses.ts';
import { sampleOf } from './schema-sample.ts';
import type { Call, Conversation, Move, Script, Text } from './script.ts';
import { chooseCall, plainName } from './tool-choice.ts';
import type { Answer, Entry, Json, ModelRequest, WireForm } from './wire.ts';

const FORMS: readonly WireForm[] = [anthropic, responsesForm, gemini, chat];

export interface RecordedRequest {
  readonly form: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
  /** Tools that were named and not loaded. */
  readonly deferred: readonly string[];
  readonly conversation: Conversation;
  /** What was answered. */
  readonly answer: Answer;
}

export interface ScriptedModel {
  /** Without a path. */
  readonly url: string;
  /** What the script answered, and the loading of tools before that. */
  readonly requests: readonly RecordedRequest[];
  /** Titles, summaries and the like: answered without the script. */
  readonly sideRequests: readonly RecordedRequest[];
  /** What the script could not answer, and what no wire form knows. */
  readonly failures: readonly string[];
  close(): Promise<void>;
}

export async function startModel(script: Script): Promise<ScriptedModel> {
  const requests: RecordedRequest[] = [];
  const sideRequests: RecordedRequest[] = [];
  const failures: string[] = [];
  /** By the id of a call: the plain name of what was called, and a move that waits for it. */
  const named = new Map<string, string>();
  const waiting = new Map<string, Move>();

  function next(request: ModelRequest, conversation: Conversation): Answer {
    const last = request.entries.findLast((entry) => entry.type === 'result');
    const kept = last === undefined ? undefined : waiting.get(last.id);
    if (last !== undefined) waiting.delete(last.id);
    const move = kept ?? script(conversation);
    if ('say' in move) return move;
    const chosen = chooseCall(move, request);
    if (chosen.loads && kept !== undefined) {
      throw new Error(
        `The client did not load the tool for ${JSON.stringify(move)}: ${last?.text}`,
      );
    }
    const id = `call_${named.size + 1}`;
    named.set(id, chosen.name);
    if (chosen.loads) waiting.set(id, move);
    return { call: chosen.tool, id, args: chosen.args };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://model').pathname);
    const text = await bodyOf(request);
    const beside = FORMS.map((known) => known.beside(path)).find((found) => found !== null);
    if (beside !== undefined) return sendJson(response, 200, beside);
    const form = FORMS.find((known) => known.asks(path));
    if (form === undefined || request.method !== 'POST') {
      failures.push(`No wire form knows ${request.method} ${path}`);
      return sendJson(response, 404, { error: { message: 'Not found' } });
    }
    const body = JSON.parse(text) as Json;
    const read = form.read(path, body);
    const conversation = converse(read, named);
    const side = isSide(read);
    // A client may try again in another way; the test has failed all the same.
    const [failed] = failures;
    if (failed !== undefined) return sendJson(response, 400, form.error(failed));
    let answered: Answer;
    try {
      answered = side ? { say: harmless(read) } : next(read, conversation);
    } catch (error) {
      failures.push((error as Error).message);
      return sendJson(response, 400, form.error((error as Error).message));
    }
    (side ? sideRequests : requests).push({
      form: form.name,
      path,
      headers: request.headers,
      body,
      deferred: read.deferred,
      conversation,
      answer: answered,
    });
    const model = String(body.model ?? 'scripted');
    if (!read.stream) return sendJson(response, 200, form.whole(answered, model));
    sendEvents(response, form.events(answered, model));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      failures.push(`${request.url}: ${error.message}`);
      sendJson(response, 500, { error: { message: error.message } });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    sideRequests,
    failures,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Without tools there is no work to do; a summary of the conversation comes with them. */
function isSide(request: ModelRequest): boolean {
  return request.tools.length === 0 || asksForSummary(request);
}

function asksForSummary({ entries }: ModelRequest): boolean {
  // Claude Code adds what its hooks said as a system message, at the very end.
  const last = entries.findLast((entry) => entry.type !== 'text' || entry.role !== 'system');
  return last?.type === 'text' && SUMMARY.test(last.text);
}

/** How Claude Code and Codex open their request for a summary, when they compact. */
const SUMMARY =
  /^(?:CRITICAL: Respond with TEXT ONLY|Your task is to create a detailed summary|You are performing a CONTEXT CHECKPOINT COMPACTION)/;

function harmless(request: ModelRequest): string {
  if (request.answerSchema !== null) return JSON.stringify(sampleOf(request.answerSchema));
  return asksForSummary(request) ? '<summary>Nothing to add.</summary>' : 'Nothing to add.';
}

function converse({ entries, tools }: ModelRequest, named: ReadonlyMap<string, string>) {
  const results = new Map(
    entries.filter((entry) => entry.type === 'result').map(({ id, text }) => [id, text]),
  );
  const calls = entries.filter((entry): entry is Entry & { type: 'call' } => entry.type === 'call');
  return {
    tools: tools.map(({ name, description, namespace }) => ({
      name: namespace === undefined ? name : `${namespace}.${name}`,
      description,
    })),
    calls: calls.map(
      ({ id, name, args }): Call => ({
        name: named.get(id) ?? plainName(name),
        args,
        result: results.get(id) ?? null,
      }),
    ),
    texts: entries
      .filter((entry) => entry.type === 'text')
      .map(({ role, text }): Text => ({ role, text })),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, events: readonly (Json | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (typeof event === 'string') response.write(`data: ${event}\n\n`);
    else {
      const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
  }
  response.end();
}
