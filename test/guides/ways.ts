// The routes by which a guide can be requested. Each takes the same names and parameters and must
// give the same result or failure, so the tests use all of them at once and compare. HTTP is
// tested where the wire itself matters.

import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import * as z from 'zod';
import { type Calls, callsOf, ERAS } from '../support/calls.ts';
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
type Env = Readonly<Record<string, string>>;

interface Way {
  readonly name: string;
  open(project: Project, env: Env): Promise<Ask>;
}

const isNone = (env: Env) => Object.keys(env).length === 0;

const CLIENTS: readonly Way[] = ERAS.map((era) => ({
  name: `client, ${era}`,
  open: async ({ root }, env) =>
    askWithTools((await connect(root, { era, ...(isNone(env) ? {} : { env }) })).call),
}));
const PROCESS: Way = {
  name: 'raw lines to a process, without a handshake',
  open: async ({ root }, env) => askOn(openWire(root, undefined, env)),
};
const WAYS: readonly Way[] = [
  {
    name: 'raw lines, without a handshake',
    open: async (project, env) =>
      isNone(env) ? askOn(await openWireInProcess(project.root)) : PROCESS.open(project, env),
  },
  ...CLIENTS,
];

/** With processes of their own and over HTTP, for tests of the wire. */
export const EVERY_WAY: readonly Way[] = [
  PROCESS,
  ...CLIENTS,
  {
    name: 'HTTP, without a handshake',
    open: async (project, env) => {
      const url = await urlOf(project, env);
      return async (method, params) => {
        const message = { jsonrpc: '2.0', id: 1, method, params };
        return outcomeOf((await post(`${url}/mcp`, message)).body, 1);
      };
    },
  },
  ...ERAS.map(
    (era): Way => ({
      name: `client of a process, ${era}`,
      open: async ({ root }, env) => askTwice((await connectToProcess(root, { era, env })).client),
    }),
  ),
  ...HTTP_ERAS.map(
    (era): Way => ({
      name: `client over HTTP, ${era}`,
      open: async (project, env) =>
        askTwice(await connectOverHttp(await urlOf(project, env), { era })),
    }),
  ),
];

interface Guides {
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
  env: Env = {},
  ways: readonly Way[] = WAYS,
): Promise<Guides> {
  // The person who runs the tests may have guides at home, which no test counts on.
  const hasOwn = existsSync(path.join(os.homedir(), '.deepwork', 'workflows'));
  const surroundings = { ...(hasOwn && { HOME: project.path('home') }), ...env };
  const asks = await Promise.all(ways.map((way) => way.open(project, surroundings)));

  const ask: Ask = async (method, params) => {
    const outcomes = await Promise.all(asks.map((each) => each(method, params)));
    const [first, ...others] = outcomes as [Outcome, ...Outcome[]];
    for (const [index, other] of others.entries()) {
      expect(other, `${ways[index + 1]?.name}: ${method}`).toEqual(first);
    }
    return first;
  };
  const told = (method: string, params: Params) =>
    `${method} ${JSON.stringify(params).slice(0, 500)}`;
  return {
    ask,
    async ok(method, params = {}) {
      const { result, error } = await ask(method, params);
      expect(error, told(method, params)).toBeUndefined();
      return result;
    },
    async fails(method, params = {}) {
      const { result, error } = await ask(method, params);
      expect(result, told(method, params)).toBeUndefined();
      return error as Failure;
    },
  };
}

function outcomeOf(reply: unknown, asked: number): Outcome {
  const { jsonrpc, id, ...outcome } = reply as { jsonrpc: string; id: number } & Outcome;
  expect([jsonrpc, id]).toEqual(['2.0', asked]);
  return outcome;
}

function askOn(wire: Lines): Ask {
  let last = 0;
  return async (method, params) => {
    last += 1;
    wire.send(request(last, method, params));
    return outcomeOf((await wire.next(1))[0], last);
  };
}

async function urlOf(project: Project, { HOME: home, ...env }: Env): Promise<string> {
  if (home === undefined && isNone(env)) return (await serveHttpInProcess(project.root)).url;
  return (await serveOverHttp(project.root, { env, ...(home && { home }) })).url;
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
      .then(
        (result) => ({ result }),
        (error: unknown) => {
          if (!(error instanceof ProtocolError)) throw error;
          const { code, message, data } = error;
          return { error: { code, message, data } };
        },
      );
    expect(await askTool(method, params), `${method} as a tool`).toEqual(outcome);
    return outcome;
  };
}
