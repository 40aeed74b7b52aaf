// Serves the built page with made-up answers, for what no real project brings forth in seconds:
// hundreds of runs, tens of thousands of messages, hostile text in every field, every state at once.
// Everything else is tested against the real server.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Board } from '../../../src/board/run.ts';
import type {
  Definitions,
  DrawnRun,
  ShownQuestion,
  TeamMessage,
} from '../../../src/page/front/server/answers.ts';

const PAGE = fileURLToPath(new URL('../../../dist/page/', import.meta.url));

/** As the real server sends it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** What it answers; tests change it and call `hint`. */
export interface Fixture {
  board: Board;
  runs: Record<string, DrawnRun>;
  questions: readonly ShownQuestion[];
  messages: readonly TeamMessage[];
  definitions: Definitions;
  files: Record<string, string>;
  /** How long the answer at a path takes, in ms. */
  delays?: Record<string, number>;
}

export interface FixtureServer {
  readonly url: string;
  readonly data: Fixture;
  /** How many listen to news. */
  listeners(): number;
  hint(stream: string): void;
}

export async function serveFixture(data: Fixture): Promise<FixtureServer> {
  const listening = new Set<ServerResponse>();
  let hints = 0;

  function answer(req: IncomingMessage, res: ServerResponse): unknown {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://here');
    const json = (value: unknown, status = 200) => {
      res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      res.end(JSON.stringify(value));
    };
    if (pathname === '/api/events') {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      res.write(': hello\n\n');
      listening.add(res);
      res.on('close', () => listening.delete(res));
      return null;
    }
    if (pathname === '/api/board') {
      return json(searchParams.get('all') === '1' ? data.board : withoutMost(data.board));
    }
    if (pathname === '/api/questions') return json(data.questions);
    if (pathname === '/api/definitions') return json(data.definitions);
    if (pathname === '/api/team') {
      const before = Number(searchParams.get('before') ?? Number.POSITIVE_INFINITY);
      const limit = Number(searchParams.get('limit') ?? 200);
      const page = data.messages.filter(({ id }) => id < before).slice(0, limit);
      return json({ team: data.board.team, messages: page });
    }
    const [, id = '', rest = ''] = /^\/api\/runs\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const run = data.runs[decodeURIComponent(id)];
    if (run !== undefined && (rest === '' || rest.startsWith('/at/'))) return json(run);
    const file = data.files[rest.replace('/files/', '')];
    if (file !== undefined) {
      res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      res.end(file);
      return null;
    }
    if (pathname.startsWith('/api/')) {
      return json({ code: 'not_found', message: `There is no ${pathname}.`, next: null }, 404);
    }
    return sendFile(res, pathname === '/' ? 'index.html' : pathname.slice(1));
  }

  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://here');
    setTimeout(() => answer(req, res), data.delays?.[pathname] ?? 0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    data,
    listeners: () => listening.size,
    hint(stream) {
      hints += 1;
      const text = `id: ${hints}\ndata: ${JSON.stringify({ id: `${hints}`, stream, seq: hints })}\n\n`;
      for (const res of listening) res.write(text);
    },
  };
}

/** As the real server lists runs unless asked for all. */
function withoutMost(board: Board): Board {
  const ended = board.runs.filter(({ status }) => status !== 'active');
  ended.sort((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? 1 : -1));
  const shown = new Set(ended.slice(0, 10));
  const runs = board.runs.filter((run) => run.status === 'active' || shown.has(run));
  return { ...board, runs };
}

function sendFile(res: ServerResponse, name: string): void {
  const type = TYPES[path.extname(name)];
  if (type === undefined || name.includes('..')) {
    res.writeHead(404).end();
    return;
  }
  try {
    const body = readFileSync(path.join(PAGE, name));
    const headers = { 'content-type': type, 'content-security-policy': POLICY };
    res.writeHead(200, { ...headers, 'x-content-type-options': 'nosniff' }).end(body);
  } catch {
    res.writeHead(404).end();
  }
}
