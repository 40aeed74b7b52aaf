// The routes by which a guide can be requested. Each takes the same names and parameters and must
// give the same result or failure, so the tests use all of them at once and compare. HTTP is
// tested where the wire itself matters.

import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import * as z from 'zod';
import { type Calls, callsOf, ERAS, type Era } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { connectOverHttp, HTTP_ERAS, post, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import type { Project } from '../support/project.ts';
import { type Lines, openWire, openWireInProcess, request } from '../support/wire.ts';

export type Params = Readonly<Record<string, unknown>>;

interface Failure {
  readonly code: number;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: failures are looked into freely by tests
  readonly data?: any;
}

export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: results are looked into freely by tests
  readonly result?: any;
  readonly error?: Failure;
}

type Ask = (method: string, params: Params) => Promise<Outcome>;

type Where = readonly [project: Project, env: Readonly<Record<string, string>>];

export interface Way {
  readonly name: string;
  open(...where: Where): Promise<Ask>;
}

const CLIENTS: readonly Way[] = [
  { name: 'client, handshake', open: openClient('handshake') },
  { name: 'client, stateless', open: openClient('stateless') },
];

const WAYS: readonly Way[] = [
  { name: 'raw lines, without a handshake', open: openDirectly },
  ...CLIENTS,
];

/** With processes of their own and over HTTP, for tests of the wire. */
export const EVERY_WAY: readonly Way[] = [
  { name: 'raw lines to a process, without a handshake', open: openProcessDirectly },
  ...CLIENTS,
  { name: 'HTTP, without a handshake', open: openOverHttp },
  ...ERAS.map((era) => ({
    name: `client of a process, ${era}`,
    open: async (...[{ root }, env]: Where) =>
      askTwice((await connectToProcess(root, { era, env })).client),
  })),
  ...HTTP_ERAS.map((era) => ({
    name: `client over HTTP, ${era}`,
    open: async (...where: Where) =>
      askTwice(await connectOverHttp(await urlOf(...where), { era })),
  })),
];

export interface Guides {
  /** Asks over every route; all must agree. */
  ask: Ask;
  /** Asks and expects a result. */
  // biome-ignore lint/suspicious/noExplicitAny: results are looked into freely by tests
  ok(method: string, params?: Params): Promise<any>;
  /** Asks and expects a failure. */
  fails(method: string, params?: Params): Promise<Failure>;
}

export async function openGuides(
  project: Project,
  env: Readonly<Record<string, string>> = {},
  ways: readonly Way[] = WAYS,
): Promise<Guides> {
  const surroundings = { ...(hasOwnGuides() && { HOME: project.path('home') }), ...env };
  const asks = await Promise.all(ways.map((way) => way.open(project, surroundings)));

  const ask: Ask = async (method, params) => {
    const outcomes = await Promise.all(asks.map((each) => each(method, params)));
    const [first, ...others] = outcomes as [Outcome, ...Outcome[]];
    for (const [index, other] of others.entries()) {
      expect(other, `${ways[index + 1]?.name}: ${method}`).toEqual(first);
    }
    return first;
  };
  return {
    ask,
    async ok(method, params = {}) {
      const { result, error } = await ask(method, params);
      expect(error, `${method} ${JSON.stringify(params).slice(0, 500)}`).toBeUndefined();
      return result;
    },
    async fails(method, params = {}) {
      const { result, error } = await ask(method, params);
      expect(result, `${method} ${JSON.stringify(params).slice(0, 500)}`).toBeUndefined();
      return error as Failure;
    },
  };
}

/** The person who runs the tests may have guides at home, which no test counts on. */
function hasOwnGuides(): boolean {
  return existsSync(path.join(os.homedir(), '.deepwork', 'workflows'));
}

async function openDirectly(project: Project, env: Readonly<Record<string, string>>): Promise<Ask> {
  if (Object.keys(env).length > 0) {
    return openProcessDirectly(project, env);
  }
  return askOn(await openWireInProcess(project.root));
}

async function openProcessDirectly(
  project: Project,
  env: Readonly<Record<string, string>>,
): Promise<Ask> {
  return askOn(openWire(project.root, undefined, env));
}

function askOn(wire: Lines): Ask {
  let last = 0;
  return async (method, params) => {
    last += 1;
    wire.send(request(last, method, params));
    const [reply] = await wire.next(1);
    const { jsonrpc, id, ...outcome } = reply as { jsonrpc: string; id: number } & Outcome;
    expect([jsonrpc, id]).toEqual(['2.0', last]);
    return outcome;
  };
}

async function urlOf(...[project, { HOME, ...env }]: Where): Promise<string> {
  const isOwn = HOME !== undefined || Object.keys(env).length > 0;
  const { url } = isOwn
    ? await serveOverHttp(project.root, { env, ...(HOME && { home: HOME }) })
    : await serveHttpInProcess(project.root);
  return url;
}

async function openOverHttp(...where: Where): Promise<Ask> {
  const url = await urlOf(...where);
  return async (method, params) => {
    const { body } = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method, params });
    const { jsonrpc, id, ...outcome } = body as { jsonrpc: string; id: number } & Outcome;
    expect([jsonrpc, id]).toEqual(['2.0', 1]);
    return outcome;
  };
}

function openClient(era: Era): Way['open'] {
  return async (project, env) => {
    const own = Object.keys(env).length > 0 ? { env } : {};
    return askWithTools((await connect(project.root, { era, ...own })).call);
  };
}

function askWithTools(call: Calls['call']): Ask {
  return async (method, params) => {
    const { isError, text, data } = await call(method, params);
    if (!isError) {
      expect(text).toBe(JSON.stringify(data));
      return { result: data };
    }
    expect(Object.keys(data)).toEqual(['error']);
    expect(text.split('\n')[0]).toBe(data.error.message);
    return { error: data.error };
  };
}

/**
 * As a direct method and as a tool, which must agree. The client follows progress, for which it puts a
 * token into each request.
 */
function askTwice(client: Client): Ask {
  const onprogress = () => {};
  const askTool = askWithTools(callsOf(client).call);
  return async (method, params) => {
    const outcome = await client
      .request({ method, params }, z.looseObject({}), { onprogress })
      .then((result) => ({ result }), failureOf);
    expect(await askTool(method, params), `${method} as a tool`).toEqual(outcome);
    return outcome;
  };
}

function failureOf(error: unknown): Outcome {
  if (!(error instanceof ProtocolError)) throw error;
  const { code, message, data } = error;
  return { error: { code, message, data } };
}
