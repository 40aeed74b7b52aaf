// What a project's one session looks like on disk: its view, and the events of its journal.

import { readdirSync, readFileSync } from 'node:fs';
import type { Project } from '../../../support/project.ts';

export interface SessionOnDisk {
  readonly view: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

export function onlySession(project: Project): SessionOnDisk {
  const files = readdirSync(project.path(STREAMS));
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error(`Sessions: ${files.join(', ')}`);
  const id = file.replace('.jsonl', '');
  const lines = readFileSync(project.path(`${STREAMS}/${file}`), 'utf8')
    .trim()
    .split('\n');
  return {
    view: JSON.parse(readFileSync(project.path(`.deepwork/tmp/session_${id}.json`), 'utf8')),
    events: lines.map((line) => JSON.parse(line)),
  };
}

/** What happened in it, by the names of its history. */
export function historyOf(project: Project): string[] {
  const { history } = onlySession(project).view as { history: { event: string }[] };
  return history.map(({ event }) => event);
}

const STREAMS = '.deepwork/journal/session';
