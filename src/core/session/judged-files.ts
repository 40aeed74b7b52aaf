// The approvals and rejections of a session: of which bytes, and how often work was sent back.
// They stay valid in later passes and after going back, so the same bytes are judged only once.

import type { Approved, Rejected } from './events.ts';
import type { Approvals, Session } from './state.ts';

/** sha256 by path, of all files that an `approve` shows. */
export type ShownFiles = Readonly<Record<string, string>>;

export const NOTHING_SAID: Approvals = { approved: [], rejected: [], back: 0 };

/** Equal if and only if the same paths have the same content. Null if no files are shown. */
export function digestOf(files: ShownFiles): string | null {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? null : JSON.stringify(entries);
}

export function approvalsOf({ approvals }: Pick<Session, 'approvals'>, name: string): Approvals {
  return (Object.hasOwn(approvals, name) ? approvals[name] : undefined) ?? NOTHING_SAID;
}

export function approvalsAfter(
  session: Session,
  { type, data }: Approved | Rejected,
): Session['approvals'] {
  const { name, files } = data;
  const before = approvalsOf(session, name);
  const digest = digestOf(files);
  const isNew = digest !== null && data.answer !== undefined;
  const after: Approvals =
    type === 'approved'
      ? {
          ...before,
          approved: isNew ? [...before.approved, digest] : before.approved,
          back: 0,
        }
      : {
          ...before,
          rejected: isNew ? [...before.rejected, { digest, words: data.words }] : before.rejected,
          back: before.back + (data.position === null ? 0 : 1),
        };
  return { ...session.approvals, [name]: after };
}
