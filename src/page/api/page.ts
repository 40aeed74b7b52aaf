// The web page and its API: what is at which address, who may request it, and how it is answered.
// Every request has passed the server's guard. Reading needs the same rights as MCP; changing needs a
// person.

import type { ServerResponse } from 'node:http';
import { coalesce } from '../../async/coalesce.ts';
import type { ProjectBoard } from '../../board/board.ts';
import { drawSvg } from '../../board/drawing/draw-svg.ts';
import { layOut } from '../../board/drawing/layout.ts';
import { SCREEN } from '../../board/drawing/medium.ts';
import type { RunDetail } from '../../board/run.ts';
import { resumeCommand } from '../../board/run-words.ts';
import { questionItems } from '../../board/timeline.ts';
import { Refused } from '../../core/refusal.ts';
import type { Workspace } from '../../engine/workspace.ts';
import type { DrawnRun } from '../front/server/answers.ts';
import {
  type ApiProblem,
  json,
  jsonText,
  plainTextAnswer,
  problemAnswer,
  refusalProblem,
} from './answers.ts';
import { openEventHints } from './event-hints.ts';
import { listDefinitions } from './list-definitions.ts';
import { listQuestions } from './list-questions.ts';
import { servePageFile } from './page-files.ts';
import { methodsOf, type PageRoute, pageRoute } from './routes.ts';
import { canStart, type StartRun, startFromPage, stopFromPage } from './start-run.ts';
import { steerRun } from './steer-run.ts';

export interface PageOptions {
  readonly workspace: Workspace;
  readonly board: ProjectBoard;
  /** The folder of the built page. */
  readonly folder: string;
  /** Starts `deepwork run`; left out if that is not possible. */
  readonly startRun?: StartRun;
}

interface PageRequest {
  readonly request: Request;
  readonly outgoing: ServerResponse;
  /** The agent that calls; null for a person. */
  readonly agent: string | null;
}

type KnownRoute = Exclude<PageRoute, { readonly kind: 'unknown' }>;

const MAX_MESSAGES = 200;

export function openPage({ workspace, board, folder, startRun }: PageOptions) {
  const starter = startRun ?? null;
  const hints = openEventHints({ watch: board.watch });
  // Many pages request the board after a hint; the journal is read once for all of them.
  const boardNow = coalesce(() => board.board());
  const wholeBoard = coalesce(() => board.board({ all: true }));

  async function answer(
    route: KnownRoute,
    { request, outgoing, agent }: PageRequest,
    url: URL,
  ): Promise<Response | 'sent'> {
    switch (route.kind) {
      case 'file':
        return servePageFile(folder, route.name, request);
      case 'board':
        return json(await (url.searchParams.get('all') === '1' ? wholeBoard() : boardNow()));
      case 'run':
        return json(drawnRun(await board.run(route.id)));
      case 'run-at':
        return json(drawnRun(await board.runAt(route.id, route.seq)));
      case 'run-file':
        return submittedFile(board, route.id, route.sha256);
      case 'definitions':
        return jsonText(await listDefinitions(workspace, await canStart(workspace, starter)));
      case 'team': {
        const { team } = await boardNow();
        return json({ team, messages: await board.messages(messagePage(url.searchParams)) });
      }
      case 'questions':
        return json(await listQuestions(workspace, board));
      case 'events':
        if (request.method === 'HEAD') return json({});
        return hints.open(request.headers.get('last-event-id'), outgoing, agent !== null) ?? 'sent';
      case 'abort':
      case 'go-to':
        return steerRun(workspace, route.kind, route.id, await request.text());
      case 'stop':
        return stopFromPage(workspace, route.id, await request.text());
      case 'start':
        return startFromPage(workspace, starter, await request.text());
    }
  }

  return {
    async handle(received: PageRequest): Promise<Response | 'sent' | null> {
      const { request, agent } = received;
      const url = new URL(request.url);
      const route = pageRoute(url.pathname);
      if (route === null) return null;
      if (route.kind === 'unknown') return problemAnswer(NOT_FOUND);
      const methods = methodsOf(route);
      const allow = { allow: [...methods, 'OPTIONS'].join(', ') };
      if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: allow });
      if (!methods.includes(request.method)) {
        const message = `Use ${methods[0]} here.`;
        return problemAnswer({ status: 405, code: 'wrong_method', message, headers: allow });
      }
      if (request.method === 'POST' && agent !== null) return problemAnswer(agentsCannot(agent));
      try {
        return await answer(route, received, url);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return refusalProblem(error.refusal);
      }
    },
    close: hints.close,
  };
}

function drawnRun(detail: RunDetail): DrawnRun {
  const { run, workflow, events, questions } = detail;
  const more = {
    beside: questionItems(events, questions),
    resume: resumeCommand(run, run.unattended?.stopped ?? null),
  };
  // A team has no workflow to draw.
  if (workflow.entries.length === 0) return { ...detail, ...more, drawing_svg: '' };
  const drawing = layOut(run.workflow, workflow, SCREEN, run);
  return { ...detail, ...more, drawing_svg: drawSvg(drawing, { styled: false }) };
}

async function submittedFile(board: ProjectBoard, id: string, sha256: string): Promise<Response> {
  const found = await board.submittedFile(id, sha256);
  switch (found.kind) {
    case 'same':
      return plainTextAnswer(found.text);
    case 'changed':
      return plainTextAnswer(found.text ?? '', 410);
    case 'not_text':
      return problemAnswer(NOT_TEXT);
    case 'unknown':
      return problemAnswer({
        ...NOT_FOUND,
        message: 'This run has not submitted a file with this content.',
      });
  }
}

function messagePage(query: URLSearchParams) {
  const [before, limit] = [query.get('before'), query.get('limit')].map((text) =>
    /^\d{1,15}$/.test(text ?? '') ? Number(text) : null,
  );
  return { before: before ?? null, limit: Math.min(limit ?? MAX_MESSAGES, MAX_MESSAGES) };
}

function agentsCannot(agent: string): ApiProblem {
  return {
    status: 403,
    code: 'agents_cannot_steer',
    message: `Agents cannot start, stop, abort or send back runs here ('${agent.slice(0, 100)}' is one).`,
    next: 'use abort_workflow or go_to_step for your own work, or ask your user.',
  };
}

const NOT_TEXT: ApiProblem = {
  status: 415,
  code: 'not_text',
  message: 'This file is larger than 1 MiB or not text.',
  next: 'open it in the project.',
};

const NOT_FOUND: ApiProblem = { status: 404, code: 'not_found', message: 'There is nothing here.' };
