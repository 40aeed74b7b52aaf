// Keeps the readable views in step with the journal, so that a view never goes back: a
// process that read a session a while ago must not put what it read in the place of what
// another one has committed since.
//
// A rename cannot be made to depend on what it replaces. So the revision that is there is
// looked at before the journal is asked whether anything is newer, and once more when
// nothing but the rename is left to do. If another process comes in between all the same,
// its event is in the journal by then: asked once more after the rename, it shows, and the
// newer view is put back at once.

import type { Session } from '../core/session/state.ts';
import type { Views } from './views.ts';

/** Each round needs another writer that was quicker; more rounds are theirs to finish. */
const MAX_ROUNDS = 20;

export interface ShownViews {
  /** Shows what was just committed. Throws if it cannot be written. */
  show(session: Session): Promise<void>;
  /** Makes the view right if it is missing, damaged, or of another revision. */
  refresh(session: Session): Promise<void>;
}

/** `load` gives a session as it is in the journal at this moment. */
export function openShownViews(
  views: Views,
  load: (id: string) => Promise<Session | null>,
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
      const latest = await load(id);
      if (latest === null || (isShown && latest.seq === seq)) return;
      await refresh(latest);
    },
    refresh,
  };
}
