// Sessions whose journal was set aside because it is damaged or was not written here by this
// user. Such a journal is not trusted, so the session is no longer listed; a caller who looks
// for it gets a notice. Its view, which anyone may have written, tells only whether the notice is
// needed; nothing of it is quoted.

import type { Processes } from '../core/session/ownership.ts';
import type { Owner } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { Journal, SetAsideStream } from '../journal/journal.ts';
import { keptPlace } from '../journal/stream-name.ts';
import type { Views } from './views.ts';

const SESSION_STREAM = /^session\/[0-9a-f]{8}$/;
/** More would hide the other warnings. */
const MAX_NAMED = 5;
/** The newest ones; for each, its view has to be read. */
const MAX_READ = 50;

interface Sources {
  readonly journal: Journal;
  readonly views: Views;
  readonly processes: Processes;
}

/** The notices for this caller, one for each session. */
export async function setAsideNotices(
  sources: Sources,
  caller: Pick<Owner, 'identity'>,
): Promise<string[]> {
  const texts = new Map<string, string>();
  const sessions = (await sources.journal.setAside(SESSION_STREAMS)).filter(({ stream }) =>
    SESSION_STREAM.test(stream),
  );
  for (const each of sessions.slice(-MAX_READ)) {
    const text = await noticeOf(sources, caller, each);
    if (text !== null) texts.set(each.stream, text);
  }
  const all = [...texts.values()];
  const more = all.length - MAX_NAMED;
  return more > 0 ? [...all.slice(0, MAX_NAMED), `${more} more were set aside.`] : all;
}

async function noticeOf(
  { journal, views, processes }: Sources,
  caller: Pick<Owner, 'identity'>,
  { stream, why, kept }: SetAsideStream,
): Promise<string | null> {
  // A person has taken it over since, or it was started over.
  if ((await journal.version(stream)) !== null) return null;
  const id = stream.slice(SESSION_STREAMS.length);
  const view = views.read(id);
  if (view !== null && !concerns(view, caller, processes)) return null;
  return why === 'damaged'
    ? `Session '${id}' cannot be read: its journal is damaged and is kept as ${keptPlace(kept)}. Ask your user to run \`deepwork repair\`; to continue, start its workflow again.`
    : `Session '${id}' is not trusted: this user did not write its journal here. It is kept as ${keptPlace(kept)}. If it is your user's own, ask them to run \`deepwork repair --journal\`.`;
}

/** Excludes ended sessions, and those that another living process was working on. */
function concerns(
  view: Record<string, unknown>,
  caller: Pick<Owner, 'identity'>,
  { livenessOf }: Processes,
): boolean {
  if (view.status !== 'active') return false;
  const { owner, process } = (view.agent ?? {}) as Record<string, unknown>;
  if (owner === caller.identity || typeof process !== 'string') return true;
  return livenessOf(process) !== 'alive';
}
