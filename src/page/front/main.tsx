// Starts the page: opens what its parts share, connects to the server's events, and renders.

import { render } from 'preact';
import { App } from './app.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { openAnswerCache } from './server/answer-cache.ts';
import type { Connection } from './server/follow-events.ts';
import { openLive } from './server/live.ts';
import { concerns, mayBeOld } from './store/affected-answers.ts';
import { openDrafts } from './store/drafts.ts';
import { openSource, PageContext } from './store/page-state.ts';
import { openResources } from './store/resources.ts';

const CLOCK_MS = 20_000;
/** Some states change with time, without an event. */
const REFRESH_MS = 30_000;

const cache = openAnswerCache();
const resources = openResources(cache);
const connection = openSource<Connection>({ state: 'connecting' });
const clock = openSource(Date.now());
const workspace = openSource<string | null>(null);

const live = openLive({
  connection(now) {
    connection.set(now);
    // Anything may have changed while there was no connection.
    if (now.state === 'live') resources.refresh(mayBeOld);
  },
  hint: ({ stream }) => resources.refresh((path) => concerns(path, stream)),
});

setInterval(() => clock.set(Date.now()), CLOCK_MS);
setInterval(() => {
  if (document.visibilityState === 'visible') resources.refresh(mayBeOld);
}, REFRESH_MS);
document.addEventListener('visibilitychange', () => {
  clock.set(Date.now());
  if (document.visibilityState === 'visible') resources.refresh(mayBeOld);
});

const place = document.getElementById('page');
if (place !== null) {
  const drafts = openDrafts(localStorage);
  const { isLeader } = live;
  render(
    <PageContext.Provider
      value={{ resources, cache, drafts, connection, clock, workspace, isLeader }}
    >
      <ErrorBoundary>
        <App />
      </ErrorBoundary>
    </PageContext.Provider>,
    place,
  );
}

// Only offline reloads need it, so a failure is ignored.
navigator.serviceWorker?.register('/service-worker.js').catch(() => {});
