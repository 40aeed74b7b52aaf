// The routes of the questions. A page without scripts can only post forms, so its routes are
// the one exception to "a POST is JSON"; the request guard asks here which they are, and the
// handler refuses forms from other sites.

import { isJson } from '../http/body.ts';

export type QuestionRoute =
  | { readonly kind: 'page' }
  | {
      readonly kind: 'answer' | 'dismiss';
      readonly id: string;
      /** The format of the body. */
      readonly body: 'json' | 'form';
    };

const ACT = /^\/(api\/)?questions\/(q-[1-9]\d{0,14})\/(answer|dismiss)$/;

export function questionRoute(path: string): QuestionRoute | null {
  if (path === '/questions') return { kind: 'page' };
  const [, api, id, act] = ACT.exec(path) ?? [];
  if (id === undefined) return null;
  return { kind: act as 'answer' | 'dismiss', id, body: api === undefined ? 'form' : 'json' };
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export function isOfType(body: 'json' | 'form', contentType: string | null): boolean {
  return body === 'json' ? isJson(contentType ?? undefined) : FORM_TYPE.test(contentType ?? '');
}

/** Whether a POST to this path is a form of ours: the one exception in the request guard. */
export function isQuestionForm(path: string, contentType: string | null): boolean {
  const route = questionRoute(path);
  const isOurs =
    route !== null && (route.kind === 'page' || ('body' in route && route.body === 'form'));
  return isOurs && isOfType('form', contentType);
}
