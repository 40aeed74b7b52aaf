// The responses of the API: JSON, or `{code, message, next}` for a failure. Browsers must not cache
// them, nor take them for anything but data.

import type { Refusal } from '../../core/refusal.ts';

const DATA_ONLY = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return jsonText(JSON.stringify(value), status, headers);
}

/** For JSON that was serialised in slices, because there may be much of it. */
export function jsonText(
  text: string,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(text, {
    status,
    headers: { ...DATA_ONLY, 'content-type': 'application/json', ...headers },
  });
}

/** Text of an agent or of the project: a browser must not take it for a page. */
export function plainTextAnswer(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: {
      ...DATA_ONLY,
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

export interface ApiProblem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly next?: string | null;
  readonly headers?: Record<string, string>;
}

export function problemAnswer({
  status,
  code,
  message,
  next = null,
  headers,
}: ApiProblem): Response {
  return json({ code, message, next }, status, headers);
}

/** By refusal; any other refusal is a conflict (409). */
const STATUS: Readonly<Record<string, number>> = {
  run_unknown: 404,
  run_ambiguous: 404,
  event_unknown: 404,
  step_not_found: 400,
  step_ahead: 409,
  cannot_save: 503,
};

export function refusalProblem({ code, message, next }: Refusal): Response {
  return problemAnswer({ status: STATUS[code] ?? 409, code, message, next });
}
