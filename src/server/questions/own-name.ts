// The name that a person gave, remembered in a cookie, so that it is typed once and used for
// every answer. A cookie works without scripts, too; it is only sent to this page.

import { nameOf } from '../../core/team/question-limits.ts';
import { type PageForm, readForm } from './body.ts';

const COOKIE = 'deepwork_name';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The page's form, empty except for the name. */
export function blankForm(request: Request): PageForm {
  return { ...readForm(''), by: rememberedName(request) };
}

/** Makes the browser remember the name that was sent. */
export function withName(response: Response, { by }: PageForm): Response {
  const age = by === null ? 0 : YEAR_SECONDS;
  // A name that was truncated inside a character could not be encoded.
  const name = Buffer.from(by ?? '').toString();
  response.headers.set(
    'set-cookie',
    `${COOKIE}=${encodeURIComponent(name)}; Path=/questions; Max-Age=${age}; HttpOnly; SameSite=Strict`,
  );
  return response;
}

function rememberedName(request: Request): string | null {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    if (name !== COOKIE) continue;
    try {
      return nameOf(decodeURIComponent(value));
    } catch {
      return null;
    }
  }
  return null;
}
