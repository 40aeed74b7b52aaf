// How a person's browser is admitted where tokens are required: a browser cannot send a token, so
// `deepwork dashboard` gets a code that is valid once and for a short time, and the browser exchanges
// it for a cookie. The cookie identifies a person, on the page's own paths only, until it expires or
// this server ends. Both are kept as hashes, compared in constant time, and never logged.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const SIGN_IN = '/sign-in';

const CODE_MS = 5 * 60 * 1000;
const COOKIE_MS = 12 * 60 * 60 * 1000;
/** How many of each are kept; the oldest are dropped. */
const MAX_KEPT = 64;

interface Kept {
  readonly hash: Buffer;
  /** On the clock of this process. */
  readonly until: number;
}

export interface SignIn {
  /** A new code for the address that a person opens. */
  issueCode(): string;
  /** The header that sets the cookie; null if the code is unknown, used or too old. */
  exchange(code: string): string | null;
  /** For how many milliseconds the cookie in these headers is still valid; null: there is none. */
  timeLeft(cookies: readonly string[]): number | null;
}

export interface SignInOptions {
  /** Cookies are shared by all ports of a host, so each server has a name of its own. */
  port(): number;
  now(): number;
}

export function openSignIn({ port, now }: SignInOptions): SignIn {
  let codes: Kept[] = [];
  let cookies: Kept[] = [];
  const nameOf = () => `deepwork_person_${port()}`;

  function issue(kept: readonly Kept[], ms: number): { secret: string; kept: Kept[] } {
    const secret = randomBytes(32).toString('base64url');
    const good = kept.filter(({ until }) => until > now()).slice(1 - MAX_KEPT);
    return { secret, kept: [...good, { hash: hashOf(secret), until: now() + ms }] };
  }

  return {
    issueCode() {
      const { secret, kept } = issue(codes, CODE_MS);
      codes = kept;
      return secret;
    },
    exchange(code) {
      const found = find(codes, code);
      if (found === null) return null;
      codes = codes.filter((each) => each !== found);
      if (found.until <= now()) return null;
      const { secret, kept } = issue(cookies, COOKIE_MS);
      cookies = kept;
      return `${nameOf()}=${secret}; Path=/; Max-Age=${COOKIE_MS / 1000}; HttpOnly; SameSite=Strict`;
    },
    timeLeft(headers) {
      const name = nameOf();
      for (const part of headers.flatMap((header) => header.split(';'))) {
        const [given, value = ''] = part.trim().split('=', 2);
        if (given !== name) continue;
        const left = (find(cookies, value)?.until ?? 0) - now();
        if (left > 0) return left;
      }
      return null;
    },
  };
}

/** All are compared, so that the time reveals nothing. */
function find(kept: readonly Kept[], secret: string): Kept | null {
  const hash = hashOf(secret);
  let found: Kept | null = null;
  for (const each of kept) if (timingSafeEqual(each.hash, hash)) found = each;
  return found;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
