// Keeps the readable views in step with the journal, so that a view never goes back: a process
// that read a session a while ago must not overwrite what another one has committed since.
//
// A rename cannot be made conditional on what it replaces. So the existing revision is read
// before the journal, and again right before the rename. If another process still writes in
// between, its event is already in the journal: a check after the rename finds it, and the newer
// view is written at once. With a remote journal, the answer does not wait for that check.

import { inNewCall } from '../async/call-scope.ts';
import type { Session } from '../core/session/state.ts';
import type { Views } from './views.ts';

/** Each round means that another writer was faster; after this many, they finish the view. */
const MAX_ROUNDS = 20;

export interface ShownViews {
  /** Shows what was just committed. Throws if it cannot be written. */
  show(session: Session): Promise<void>;
  /** Rewrites the view if it is missing, damaged, or of another revision. */
  refresh(session: Session): Promise<void>;
}

/** `load` returns the current session from the journal; `isRemote` tells whether that takes long. */
export function openShownViews(
  views: Views,
  load: (id: string) => Promise<Session | null>,
  isRemote: () => boolean = () => false,
): ShownViews {
  async function refresh(session: Session): Promise<void> {
    const { id } = session;
    let now: Session | null = session;
    for (let round = 0; round < MAX_ROUNDS && now !== null; round++) {
      const { seq }: Session = now;
      if (views.read(id)?.revision === seq) return;
      const seen = views.revision(id);
      const latest = await load(id);
      if (latest?.seq === seq) await views.write(latest, (there) => there === seen);
      now = await load(id);
    }
  }

  return {
    async show(session) {
      const { id, seq } = session;
      const isShown = await views.write(session, (there) => there === null || there <= seq);
      const check = async () => {
        const latest = await load(id);
        if (latest === null || (isShown && latest.seq === seq)) return;
        await refresh(latest);
      };
      const checking = inNewCall(check);
      // If it fails, the view is checked again when the session is next requested.
      if (isRemote()) checking.catch(() => {});
      else await checking;
    },
    refresh,
  };
}
