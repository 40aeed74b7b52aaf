// What a server leaves on disk of a session: the view that people read, and the stream it is made
// from.

import { readFileSync } from 'node:fs';
import type { Project } from './project.ts';

export function viewFile(sessionId: string): string {
  return `.deepwork/tmp/session_${sessionId}.json`;
}

export function streamFile(sessionId: string): string {
  return `.deepwork/journal/session/${sessionId}.jsonl`;
}

// biome-ignore lint/suspicious/noExplicitAny: views are looked into freely by tests
export function readView(project: Project, sessionId: string): any {
  return JSON.parse(readFileSync(project.path(viewFile(sessionId)), 'utf8'));
}

/** The event names of a view's history, oldest first. */
export function historyOf(project: Project, sessionId: string): string[] {
  return readView(project, sessionId).history.map((item: { event: string }) => item.event);
}
