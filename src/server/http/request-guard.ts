// The checks that every request passes before anything of ours looks at it, on every
// path and in this order: Host and Origin, token, identity, content type, size. Whoever
// fails one has made nothing happen.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { nonceOfLaunch } from '../../environment/launch-proof.ts';
import { isQuestionForm } from '../questions/routes.ts';
import { type BodyRoom, isJson, readBody, TOO_MUCH_AT_ONCE, tooLarge } from './body.ts';
import { isAllowed, isLocal, type Place, placeOfHost, placeOfOrigin } from './host-origin.ts';
import { IDENTITY_HEADER, type Visitor, visitorOf } from './identity.ts';
import type { TurnedAway } from './reply.ts';
import type { Bearer, Tokens } from './tokens.ts';

export interface RequestGuardOptions {
  port(): number;
  /** `team.allowed_hosts`, asked for only when a request is not for this machine. */
  allowedHosts(): Promise<readonly string[]>;
  readonly tokens: Tokens;
  /** What launches show that they know. */
  readonly pass: string;
  readonly bodyBytes: number;
  /** Of all requests together. */
  readonly bodies: BodyRoom;
}

export interface Admitted {
  readonly visitor: Visitor;
  /** Of a POST; empty for everything else. */
  readonly body: Buffer;
}

/** Paths are compared as they came: nothing is decoded or folded on the way. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~.-]*)+$/;
export const LAUNCHES = '/launches';
const DOTS = /\/\.{1,2}(?:\/|$)/;

export async function admit(
  req: IncomingMessage,
  res: ServerResponse,
  options: RequestGuardOptions,
): Promise<Admitted | TurnedAway> {
  const visitor = (await meantForOthers(req, options)) ?? recognize(req, options);
  if ('status' in visitor) return visitor;
  if (req.method !== 'POST') {
    return hasBody(req)
      ? { status: 400, message: `A ${req.method} request has no body here. Leave it out.` }
      : { visitor, body: Buffer.alloc(0) };
  }
  const type = req.headers['content-type'];
  if (!isJson(type) && !isQuestionForm(pathOf(req), type ?? null)) {
    return {
      status: 415,
      message: 'A POST must be application/json. Set the header Content-Type: application/json.',
    };
  }
  const read = await readBody(req, res, options.bodyBytes, options.bodies);
  if (read.kind === 'too-large') return tooLarge(options.bodyBytes);
  return read.kind === 'no-room' ? TOO_MUCH_AT_ONCE : { visitor, body: read.bytes };
}

/** Null: Host, and Origin if there is one, name this server. */
async function meantForOthers(
  req: IncomingMessage,
  options: RequestGuardOptions,
): Promise<TurnedAway | null> {
  const hosts = valuesOf(req, 'host');
  const origins = valuesOf(req, 'origin');
  if (hosts.length !== 1) return notMeantForUs('Host', hosts.join(', '));
  for (const host of hosts) {
    if (!(await isOurs(placeOfHost(host), options))) return notMeantForUs('Host', host);
  }
  for (const origin of origins) {
    if (!(await isOurs(placeOfOrigin(origin), options))) return notMeantForUs('Origin', origin);
  }
  return null;
}

async function isOurs(place: Place | null, options: RequestGuardOptions): Promise<boolean> {
  if (place === null) return false;
  return isLocal(place, options.port()) || isAllowed(place, await options.allowedHosts());
}

function recognize(req: IncomingMessage, options: RequestGuardOptions): Visitor | TurnedAway {
  const authorizations = valuesOf(req, 'authorization');
  const bearer = bearerOf(
    authorizations.length === 1 ? authorizations[0] : undefined,
    pathOf(req),
    options,
  );
  if (bearer === null) {
    return {
      status: 401,
      message:
        'A valid token is needed. Send Authorization: Bearer with DEEPWORK_AGENT_TOKEN, or with the token of the owner.',
      headers: { 'www-authenticate': 'Bearer' },
    };
  }
  const visitor = visitorOf(bearer, valuesOf(req, IDENTITY_HEADER));
  if ('status' in visitor) return visitor;
  const path = pathOf(req);
  if (!PLAIN_PATH.test(path) || DOTS.test(path)) return { status: 404, message: 'Not found.' };
  return visitor;
}

/** A launch is let in without a token, but nowhere else than where launches begin. */
function bearerOf(
  authorization: string | undefined,
  path: string,
  { tokens, pass }: RequestGuardOptions,
): Bearer | null {
  const nonce = path === LAUNCHES ? nonceOfLaunch(pass, authorization) : null;
  return nonce === null ? tokens.bearerOf(authorization) : { kind: 'launch', nonce };
}

function notMeantForUs(header: string, value: string): TurnedAway {
  return {
    status: 403,
    message: `${header} '${value.slice(0, 100)}' is not this server. Use http://127.0.0.1 with its port, or add the host to team.allowed_hosts in .deepwork/config.yml.`,
  };
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? '').split('?', 1)[0] as string;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Node joins or drops what was sent twice; here that makes a difference. */
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
