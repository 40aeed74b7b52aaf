// How the page gets the attention of a person: a count in the tab's title, another icon, and, if the
// person allowed it, one notification for each question.

import type { Board, OpenQuestion } from '../../board/run.ts';
import { needsPerson } from './runs/group-runs.ts';

/** What waits for the person: runs, and questions that belong to none of those listed. */
export function countWaiting({ runs, questions }: Pick<Board, 'runs' | 'questions'>): number {
  const listed = new Set(runs.map(({ session_id }) => session_id));
  const held = new Set(runs.flatMap((run) => run.questions));
  const others = questions.filter(
    ({ id, session_id }) => !held.has(id) && !listed.has(session_id ?? ''),
  );
  return runs.filter(needsPerson).length + others.length;
}

export function markTitle(workspace: string | null, waiting: number): void {
  const name = workspace === null ? 'deepwork' : `${baseName(workspace)} · deepwork`;
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const href = iconAddress(waiting > 0);
  if (icon !== null && icon.href !== href) icon.href = href;
}

export function baseName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

function iconAddress(waiting: boolean): string {
  const mark = waiting ? '<circle cx="24" cy="8" r="8" fill="#e8710a"/>' : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f5fbf"/><path d="M9 9h7a7 7 0 0 1 0 14H9z" fill="none" stroke="#fff" stroke-width="3"/>${mark}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export type Permission = 'unsupported' | 'default' | 'granted' | 'denied';

export function notificationPermission(): Permission {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}

const MAX_BODY = 200;

/** Notifies of new questions; those of the first call are on the page already. */
export function openNotifier(): (questions: readonly OpenQuestion[], isLeader: boolean) => void {
  let known: ReadonlySet<string> | null = null;
  return (questions, isLeader) => {
    const before = known;
    known = new Set(questions.map(({ id, asked_at }) => `${id} ${asked_at}`));
    if (before === null || !isLeader || notificationPermission() !== 'granted') return;
    if (document.visibilityState === 'visible' && document.hasFocus()) return;
    for (const { id, asked_at, asked_by, text } of questions) {
      if (before.has(`${id} ${asked_at}`)) continue;
      const notification = new Notification(`${asked_by ?? 'The agent'} needs you`, {
        body: text.slice(0, MAX_BODY),
        tag: id,
      });
      notification.onclick = () => {
        window.focus();
        location.hash = '#/questions';
        notification.close();
      };
    }
  };
}
