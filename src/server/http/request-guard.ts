// The checks that every request passes before anything else sees it, on every path and in this
// order: Host and Origin, token, identity, content type, size. A request that fails one has no
// effect.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { nonceOfLaunch } from '../../environment/process/launch-proof.ts';
import { isQuestionForm } from '../questions/routes.ts';
import { readMessage, requestIdOf } from '../rpc-message.ts';
import { type BodyBudget, isJson, readBody, TOO_MUCH_AT_ONCE, tooLarge } from './body.ts';
import {
  addressOfHost,
  addressOfOrigin,
  isAllowed,
  isLocal,
  type WebAddress,
} from './host-origin.ts';
import { type HttpCaller, httpCallerOf, IDENTITY_HEADER } from './identity.ts';
import { isOfPage } from './page.ts';
import type { RequestRefusal } from './reply.ts';
import { SIGN_IN, type SignIn } from './sign-in.ts';
import type { Bearer, Tokens } from './tokens.ts';

export interface RequestGuardOptions {
  port(): number;
  /** `team.allowed_hosts`, called only if a request is not for this machine. */
  allowedHosts(): Promise<readonly string[]>;
  readonly tokens: Tokens;
  readonly signIn: SignIn;
  /** The secret that launches have to prove. */
  readonly pass: string;
  readonly bodyBytes: number;
  /** Shared by all requests. */
  readonly bodies: BodyBudget;
}

export interface Admitted {
  readonly httpCaller: HttpCaller;
  /** Of a POST; otherwise empty. */
  readonly body: Buffer;
}

/** Paths are compared as received: nothing is decoded or normalized. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~.-]*)+$/;
export const LAUNCHES = '/launches';
const DOTS = /\/\.{1,2}(?:\/|$)/;

export async function admit(
  req: IncomingMessage,
  res: ServerResponse,
  options: RequestGuardOptions,
): Promise<Admitted | RequestRefusal> {
  const bearer = (await refuseForeign(req, options)) ?? recognize(req, options);
  if ('status' in bearer) return bearer;
  const httpCaller = httpCallerOf(bearer, valuesOf(req, IDENTITY_HEADER));
  if ('status' in httpCaller) return { ...httpCaller, id: await idOf(req, res, options) };
  const path = requestPath(req);
  if (!PLAIN_PATH.test(path) || DOTS.test(path)) return { status: 404, message: 'Not found.' };
  if (req.method !== 'POST') {
    return hasBody(req)
      ? { status: 400, message: `A ${req.method} request must not have a body here.` }
      : { httpCaller, body: Buffer.alloc(0) };
  }
  const type = req.headers['content-type'];
  if (!isJson(type) && !isQuestionForm(path, type ?? null)) {
    return {
      status: 415,
      message: 'A POST must be application/json. Set the header Content-Type: application/json.',
    };
  }
  const read = await readBody(req, res, options.bodyBytes, options.bodies);
  if (read.kind === 'too-large') return tooLarge(options.bodyBytes);
  return read.kind === 'over-budget' ? TOO_MUCH_AT_ONCE : { httpCaller, body: read.bytes };
}

/** Null if Host, and Origin if sent, name this server. */
async function refuseForeign(
  req: IncomingMessage,
  options: RequestGuardOptions,
): Promise<RequestRefusal | null> {
  const hosts = valuesOf(req, 'host');
  const origins = valuesOf(req, 'origin');
  if (hosts.length !== 1) return notThisServer('Host', hosts.join(', '));
  for (const host of hosts) {
    if (!(await isOurs(addressOfHost(host), options))) return notThisServer('Host', host);
  }
  for (const origin of origins) {
    if (!(await isOurs(addressOfOrigin(origin), options))) return notThisServer('Origin', origin);
  }
  return null;
}

async function isOurs(address: WebAddress | null, options: RequestGuardOptions): Promise<boolean> {
  if (address === null) return false;
  return isLocal(address, options.port()) || isAllowed(address, await options.allowedHosts());
}

function recognize(req: IncomingMessage, options: RequestGuardOptions): Bearer | RequestRefusal {
  const authorizations = valuesOf(req, 'authorization');
  const bearer =
    bearerOf(
      authorizations.length === 1 ? authorizations[0] : undefined,
      requestPath(req),
      options,
    ) ?? (authorizations.length === 0 ? personOf(req, options) : null);
  return bearer ?? NO_TOKEN;
}

/** The id of a request that is refused, so that its client knows which one it was. */
async function idOf(
  req: IncomingMessage,
  res: ServerResponse,
  { bodyBytes, bodies }: RequestGuardOptions,
): Promise<RequestRefusal['id']> {
  if (req.method !== 'POST' || !isJson(req.headers['content-type'])) return null;
  const read = await readBody(req, res, bodyBytes, bodies);
  return read.kind === 'body' ? requestIdOf(readMessage(read.bytes.toString('utf8'))) : null;
}

/** A browser that has signed in, or is about to. */
function personOf(req: IncomingMessage, { signIn }: RequestGuardOptions): Bearer | null {
  const path = requestPath(req);
  if (path === SIGN_IN) return { kind: 'person', timeLeft: 0 };
  const timeLeft = isOfPage(path) ? signIn.timeLeft(valuesOf(req, 'cookie')) : null;
  return timeLeft === null ? null : { kind: 'person', timeLeft };
}

const NO_TOKEN: RequestRefusal = {
  status: 401,
  message:
    'A valid token is needed. Send Authorization: Bearer with DEEPWORK_AGENT_TOKEN, or with the token of the owner. In a browser: run `deepwork dashboard` and open the address that it prints.',
  headers: { 'www-authenticate': 'Bearer' },
};

/** A launch is admitted without a token, but only on the path for launches. */
function bearerOf(
  authorization: string | undefined,
  path: string,
  { tokens, pass }: RequestGuardOptions,
): Bearer | null {
  const nonce = path === LAUNCHES ? nonceOfLaunch(pass, authorization) : null;
  return nonce === null ? tokens.bearerOf(authorization) : { kind: 'launch', nonce };
}

function notThisServer(header: string, value: string): RequestRefusal {
  return {
    status: 403,
    message: `${header} '${value.slice(0, 100)}' is not this server. Use http://127.0.0.1 with its port, or add the host to team.allowed_hosts in .deepwork/config.yml.`,
  };
}

export function requestPath(req: IncomingMessage): string {
  return (req.url ?? '').split('?', 1)[0] as string;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Node joins or drops repeated headers; here repetition matters. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] as string);
    }
  }
  return values;
}
