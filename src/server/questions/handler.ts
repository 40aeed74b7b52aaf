// The questions over HTTP: a page for people that works without scripts, and answers as JSON. Requests
// have passed the request guard (host, origin, token, size) and come with their caller. Returns null
// for requests that are not about questions.

import { Refused } from '../../core/refusal.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import { isSaidAgain } from '../../core/team/questions.ts';
import type { Question } from '../../core/team/state.ts';
import {
  approvalFiles,
  type ShownFile,
  voidWarnings,
} from '../../engine/entries/approval-files.ts';
import { dismissEnded } from '../../engine/person/ended-questions.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import {
  answerIn,
  hasDraft,
  isTooLarge,
  type PageForm,
  readForm,
  readJsonBody,
  type SentAnswer,
} from './body.ts';
import { blankForm, withName } from './own-name.ts';
import { type Notice, PAGE_HEADERS, renderPage } from './page.ts';
import { isOfType, type QuestionRoute, questionRoute } from './routes.ts';

interface AnsweringCaller {
  /** The calling agent; null for a person, or a program on a person's behalf. */
  readonly agent: string | null;
}

export type QuestionHandler = (
  request: Request,
  answering: AnsweringCaller,
) => Promise<Response | null>;

const ROUTE = 'dashboard';
const MAX_RECENT = 20;

export function openQuestionHandler(workspace: Workspace): QuestionHandler {
  const { team, paths } = workspace;
  const ledger = team.questions;

  async function listing() {
    await dismissEnded(workspace);
    const [open, recent] = [await ledger.open(), await ledger.recent(MAX_RECENT)];
    const files = new Map<string, readonly ShownFile[]>();
    for (const { id, about } of open) {
      if (about?.grants === 'approval') files.set(id, await approvalFiles(workspace, about));
    }
    return { project: paths.root, open, files, recent, version: versionOf(open) };
  }

  async function page(status: number, notice: Notice | null, form: PageForm): Promise<Response> {
    const shown = { ...(await listing()), user: systemUser(), form };
    return new Response(renderPage(shown, notice), { status, headers: PAGE_HEADERS });
  }

  async function act({ id, kind }: Act, text: string, form: PageForm | null): Promise<Outcome> {
    const question = await ledger.find(id);
    const sent: SentAnswer | string =
      form === null || question === null
        ? readJsonBody(form ? '' : text)
        : answerIn(form, question);
    if (typeof sent === 'string') {
      const message = `Question ${id}: ${sent}`;
      return { status: 400, code: 'answer_invalid', message };
    }
    const by = nameOf(sent.by) ?? systemUser();
    try {
      const closed =
        kind === 'dismiss'
          ? await ledger.dismiss(id, by, ROUTE)
          : await ledger.answer(id, sent, by, ROUTE);
      return { status: 200, question: closed };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, message, next } = error.refusal;
      const status = STATUS[code] ?? 503;
      const before = status === 409 ? await ledger.find(id) : null;
      const repeated = kind === 'dismiss' ? 'dismiss' : sent;
      if (before !== null && isSaidAgain(before.outcome, repeated, { by, route: ROUTE })) {
        return { status: 200, question: before };
      }
      return { status, code, message, next, ...(before && { question: before }) };
    }
  }

  async function actOn(route: Act, text: string): Promise<Outcome> {
    return isTooLarge(text, 'json') ? TOO_LARGE : act(route, text, null);
  }

  async function answerJson(route: Act, request: Request, agent: string | null): Promise<Response> {
    const fault = faultOfSender(request, 'json', agent);
    const outcome = fault ?? (await actOn(route, await request.text()));
    if ('message' in outcome) return json(outcome.status, failureOf(outcome));
    const warnings = await voidWarnings(workspace, outcome.question);
    return json(200, { ...inJson(outcome.question), ...(warnings.length > 0 && { warnings }) });
  }

  /** Takes an answer from the page, or only refreshes it; what was typed is kept. */
  async function answerForm(
    route: Act | null,
    request: Request,
    agent: string | null,
  ): Promise<Response> {
    const problem = ({ status, message }: Failure, form: PageForm) =>
      page(status, { kind: 'problem', id: route?.id ?? null, text: message }, form);
    const fault = faultOfSender(request, 'form', agent);
    if (fault !== null) return problem(fault, blankForm(request));
    const text = await request.text();
    if (isTooLarge(text, 'form')) return problem(TOO_LARGE, blankForm(request));
    const form = readForm(text);
    if (route === null) return withName(await page(200, null, form), form);
    const outcome = await act(route, text, form);
    if ('message' in outcome) return withName(await problem(outcome, form), form);
    const { kind } = outcome.question.outcome;
    const warnings = await voidWarnings(workspace, outcome.question);
    const open = await ledger.open();
    if (warnings.length > 0 || open.some(({ id }) => hasDraft(form.draft(id)))) {
      return withName(await page(200, doneNotice(kind, route.id, warnings), form), form);
    }
    const location = `/questions?${kind}=${route.id}`;
    return withName(new Response(null, { status: 303, headers: { location } }), form);
  }

  return async (request, { agent }) => {
    const { pathname, searchParams } = new URL(request.url);
    const route = questionRoute(pathname);
    if (route === null) return null;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const allowed = methodsOf(route);
    if (!allowed.includes(request.method)) {
      const body = failureOf({ status: 405, code: 'wrong_method', message: `Use ${allowed[0]}.` });
      return json(405, body, { allow: allowed.join(', ') });
    }
    try {
      if (route.kind === 'page') {
        if (!isRead) return await answerForm(null, request, agent);
        return await page(200, doneBefore(searchParams), blankForm(request));
      }
      if (route.body === 'json') return await answerJson(route, request, agent);
      // The form's address may be in the address bar and be opened again.
      if (isRead) return new Response(null, { status: 303, headers: { location: '/questions' } });
      return await answerForm(route, request, agent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, message, next } = error.refusal;
      return json(503, failureOf({ status: 503, code, message, next }));
    }
  };
}

function methodsOf(route: QuestionRoute): readonly string[] {
  if (route.kind === 'page') return ['GET', 'HEAD', 'POST'];
  return route.body === 'json' ? ['POST'] : ['POST', 'GET', 'HEAD'];
}

/** Why this request is refused; null if it is accepted. */
function faultOfSender(
  request: Request,
  body: 'json' | 'form',
  agent: string | null,
): Failure | null {
  if (agent !== null) {
    const message = `Agents cannot answer questions ('${agent.slice(0, 100)}' is one).`;
    return { status: 403, code: 'agents_cannot_answer', message };
  }
  if (!isOfType(body, request.headers.get('content-type'))) {
    const type = body === 'json' ? 'application/json' : 'a form of the page';
    return { status: 415, code: 'wrong_type', message: `Send ${type}.` };
  }
  if (body === 'form' && !isFromPage(request)) {
    const message = 'This form did not come from this page. Open the page and answer there.';
    return { status: 403, code: 'foreign_form', message };
  }
  return null;
}

type Act = Extract<QuestionRoute, { readonly id: string }>;

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly next?: string | null;
  /** As it was answered before. */
  readonly question?: Question;
}

const TOO_LARGE: Failure = {
  status: 413,
  code: 'too_large',
  message: 'That was too much at once. Send less.',
};

type Outcome = Failure | { readonly status: 200; readonly question: Question };

const STATUS: Readonly<Record<string, number>> = {
  answer_invalid: 400,
  question_unknown: 404,
  question_answered: 409,
  question_dismissed: 409,
};

/** A browser names the origin of every form it posts; other sites cannot forge it. */
function isFromPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  const host = request.headers.get('host') ?? new URL(request.url).host;
  return origin === `http://${host}` || origin === `https://${host}`;
}

function doneBefore(query: URLSearchParams): Notice | null {
  for (const kind of ['answered', 'dismissed'] as const) {
    const id = query.get(kind);
    if (id !== null && /^q-\d{1,15}$/.test(id)) return doneNotice(kind, id);
  }
  return null;
}

function doneNotice(
  kind: Question['outcome']['kind'],
  id: string,
  warnings: readonly string[] = [],
): Notice {
  const done = kind === 'dismissed' ? `Dismissed: ${id}` : `Answered: ${id}`;
  const text = [done, ...warnings].join('. ');
  return { kind: warnings.length === 0 ? 'done' : 'void', id, text };
}

function inJson({ id, question, choices, multiSelect, askedAt, outcome }: Question) {
  const asked = { id, question, choices, multiSelect, askedAt, status: outcome.kind };
  if (outcome.kind === 'open') return asked;
  const { by, route, at } = outcome;
  if (outcome.kind === 'dismissed') return { ...asked, by, route, at };
  return { ...asked, answer: { choices: outcome.choices, other: outcome.other }, by, route, at };
}

function failureOf({ code, message, next = null, question }: Failure) {
  const outcome = question?.outcome;
  const first = outcome === undefined || outcome.kind === 'open' ? null : outcome;
  return {
    code,
    message,
    next,
    ...(first && { by: first.by, route: first.route, at: first.at }),
  };
}

/** Changes whenever the set of open questions changes. */
function versionOf(open: readonly Question[]): string {
  return open
    .map(({ id }) => id)
    .sort()
    .join(',');
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
