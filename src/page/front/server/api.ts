// Requests to the server. A failure has the server's own words: what is wrong, and what to do next.

export interface Problem {
  /** 0: the server was not reached. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly next: string | null;
}

export class RequestFailed extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RequestFailed) return error.problem;
  return { status: 0, code: 'unreachable', message: 'The server does not answer.', next: null };
}

export async function fetchText(path: string, signal?: AbortSignal): Promise<string> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, signal });
  const text = await answer.text();
  if (!answer.ok) throw new RequestFailed(readProblem(answer.status, text));
  return text;
}

/** Sends what a person decided. Failures are not retried: the person sees them. */
export async function post(path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new RequestFailed(readProblem(answer.status, text));
  return text === '' ? null : JSON.parse(text);
}

export interface FileText {
  readonly text: string;
  /** The file has other content now, which is `text`. */
  readonly changed: boolean;
}

export async function fetchFile(runId: string, sha256: string): Promise<FileText> {
  const answer = await fetch(fileAddress(runId, sha256));
  const text = await answer.text();
  if (answer.status === 410) return { text, changed: true };
  if (!answer.ok) throw new RequestFailed(readProblem(answer.status, text));
  return { text, changed: false };
}

/** Whether the server still has the file with this content. */
export async function hasFile(runId: string, sha256: string): Promise<boolean> {
  return (await fetch(fileAddress(runId, sha256), { method: 'HEAD' })).ok;
}

export function fileAddress(runId: string, sha256: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(sha256)}`;
}

export function readProblem(status: number, text: string): Problem {
  const fallback = {
    status,
    code: `http_${status}`,
    message: `The server answered with ${status}.`,
    next: null,
  };
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const error = (isRecord(body.error) ? body.error : body) as Record<string, unknown>;
    return {
      status,
      code: textOr(error.code, fallback.code),
      message: textOr(error.message, fallback.message),
      next: typeof error.next === 'string' ? error.next : null,
    };
  } catch {
    return fallback;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
