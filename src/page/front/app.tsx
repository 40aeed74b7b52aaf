// The frame of every view: the name of the project, the navigation, the state of the connection.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Board } from '../../board/run.ts';
import { baseName, countWaiting, markTitle, openNotifier } from './attention.ts';
import { ConnectionState } from './parts/connection-state.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { NotifyButton } from './parts/notify-button.tsx';
import { QuestionsView } from './questions/questions-view.tsx';
import { type Route, routeOf } from './route.ts';
import { RunView } from './run/run-view.tsx';
import { RunsView } from './runs/runs-view.tsx';
import { PATHS } from './server/answers.ts';
import { useAnswer, usePage } from './store/page-state.ts';
import type { Answer } from './store/resources.ts';
import { TeamView } from './team/team-view.tsx';
import { WorkflowsView } from './workflows/workflows-view.tsx';

const WORKSPACE_KEY = 'deepwork:workspace';

export function App() {
  const route = useRoute();
  const [whole, setWhole] = useState(false);
  const board = useAnswer<Board>(whole ? PATHS.wholeBoard : PATHS.board);
  const known = useLast(board);
  useWorkspace(known.value);
  useAttention(known.value);
  const main = useScrollByRoute(route);
  const questions = known.value?.questions.length ?? 0;
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <div class="name">
          <strong>deepwork</strong>
          {known.value !== null && (
            <span title={known.value.workspace}>{baseName(known.value.workspace)}</span>
          )}
        </div>
        <nav aria-label="Views">
          <NavLink to="runs" word="Runs" route={route} />
          <NavLink to="questions" word="Questions" route={route} count={questions} />
          <NavLink to="team" word="Team" route={route} />
          <NavLink to="workflows" word="Workflows" route={route} />
        </nav>
        <div class="aside">
          <NotifyButton />
          <ConnectionState />
        </div>
      </header>
      <p class="unseen" role="status">
        {questions > 0 &&
          `${questions} ${questions === 1 ? 'question waits' : 'questions wait'} for you`}
      </p>
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={placeOf(route)}>
          <View route={route} board={known} whole={whole} showWhole={() => setWhole(true)} />
        </ErrorBoundary>
      </main>
    </>
  );
}

interface ViewProps {
  readonly route: Route;
  readonly board: Answer<Board>;
  readonly whole: boolean;
  showWhole(): void;
}

function View({ route, board, whole, showWhole }: ViewProps) {
  switch (route.view) {
    case 'runs':
      return <RunsView board={board} whole={whole} showWhole={showWhole} />;
    case 'run':
      return <RunView id={route.id} at={route.at} board={board.value} />;
    case 'questions':
      return <QuestionsView />;
    case 'team':
      return <TeamView />;
    case 'workflows':
      return <WorkflowsView />;
  }
}

interface NavLinkProps {
  readonly to: 'runs' | 'questions' | 'team' | 'workflows';
  readonly word: string;
  readonly route: Route;
  readonly count?: number;
}

function NavLink({ to, word, route, count = 0 }: NavLinkProps) {
  const here = route.view === to || (to === 'runs' && route.view === 'run');
  return (
    <a href={`#/${to}`} aria-current={here ? 'page' : undefined}>
      {word}
      {count > 0 && (
        <span class="count">
          {count}
          <span class="unseen"> open</span>
        </span>
      )}
    </a>
  );
}

/** What stays the same while one view is looked at. */
function placeOf(route: Route): string {
  return route.view === 'run' ? `run ${route.id}` : route.view;
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    window.addEventListener('hashchange', changed);
    // It may have changed since it was rendered.
    changed();
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return useMemo(() => routeOf(hash), [hash]);
}

/** The short board stays while the whole one is loading. */
function useLast(answer: Answer<Board>): Answer<Board> {
  const last = useRef(answer);
  if (answer.value !== null || answer.problem !== null) last.current = answer;
  return last.current;
}

/** Clears the cache when another project answers on the same port. */
function useWorkspace(board: Board | null): void {
  const { workspace, cache } = usePage();
  const name = board?.workspace ?? null;
  useEffect(() => {
    if (name === null) return;
    workspace.set(name);
    const before = localStorage.getItem(WORKSPACE_KEY);
    localStorage.setItem(WORKSPACE_KEY, name);
    if (before !== null && before !== name) cache.clear().catch(() => {});
  }, [name, workspace, cache]);
}

function useAttention(board: Board | null): void {
  const { isLeader } = usePage();
  const notify = useMemo(openNotifier, []);
  useEffect(() => {
    markTitle(board?.workspace ?? null, board === null ? 0 : countWaiting(board));
    if (board !== null) notify(board.questions, isLeader());
  }, [board, notify, isLeader]);
}

/** Restores the scroll position of each view, once it is long enough; a new view begins at its top. */
function useScrollByRoute(route: Route) {
  const main = useRef<HTMLElement>(null);
  const places = useMemo(() => new Map<string, number>(), []);
  const key = placeOf(route);
  const first = useRef(true);
  useLayoutEffect(() => {
    const content = main.current;
    if (content === null) return;
    const wanted = places.get(key) ?? 0;
    const restore = () => {
      window.scrollTo(0, wanted);
      if (Math.abs(window.scrollY - wanted) < 1) growing.disconnect();
    };
    const growing = new ResizeObserver(restore);
    if (!first.current) {
      growing.observe(content);
      restore();
      content.focus({ preventScroll: true });
    }
    first.current = false;
    const moved = () => growing.disconnect();
    const note = () => places.set(key, window.scrollY);
    for (const type of MOVES) window.addEventListener(type, moved, { passive: true });
    window.addEventListener('scroll', note, { passive: true });
    return () => {
      growing.disconnect();
      for (const type of MOVES) window.removeEventListener(type, moved);
      window.removeEventListener('scroll', note);
    };
  }, [key, places]);
  return main;
}

/** Once the person scrolls or types, nothing is restored any more. */
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
