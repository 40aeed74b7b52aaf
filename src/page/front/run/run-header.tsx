// The head of a run: its goal, its state, its agent, and the runs above and below it.

import type { Board, Run } from '../../../board/run.ts';
import { agentOf } from '../parts/agent.ts';
import { Fold } from '../parts/fold.tsx';
import { Progress } from '../parts/progress.tsx';
import { RunState, stateOf } from '../parts/run-state.tsx';
import { duration, exactTime } from '../parts/time.ts';
import { When } from '../parts/when.tsx';
import { linkToRun } from '../route.ts';
import { Loop } from '../runs/run-row.tsx';
import type { DrawnRun } from '../server/answers.ts';
import { useNow } from '../store/page-state.ts';
import { SteerButtons } from './steer.tsx';

export interface RunHeaderProps {
  readonly detail: DrawnRun;
  /** The run at the moment that is shown. */
  readonly shown: Run;
  readonly board: Board | null;
  /** The time of the moment that is shown; null: now. */
  readonly at: string | null;
}

export function RunHeader({ detail, shown, board, at }: RunHeaderProps) {
  const { why, meaning } = stateOf(shown);
  return (
    <header class="run-header">
      <div class="run-title">
        <h1>{shown.goal || shown.workflow}</h1>
        <SteerButtons detail={detail} />
      </div>
      <p class="run-facts">
        <RunState run={shown} />
        <span>
          <Progress run={shown} /> {shown.position.index} of {shown.position.of} ·{' '}
          <strong>{shown.step}</strong>
          <Loop run={shown} />
        </span>
        <Counts run={shown} />
        <span class="soft">
          {shown.workflow}
          {agentOf(shown) !== null && <> · {agentOf(shown)}</>} · <Began run={shown} at={at} />
        </span>
        <code class="soft">{shown.session_id}</code>
      </p>
      {meaning === 'need' && shown.questions.length === 0 && <p class="note need">{why}</p>}
      <Relatives run={shown} board={board} isNow={at === null} />
    </header>
  );
}

/** When it began, and how long it has taken up to the moment that is shown. */
function Began({ run, at }: { readonly run: Run; readonly at: string | null }) {
  const now = useNow();
  const end = run.ended_at ?? at;
  const lasted = duration((end === null ? now : Date.parse(end)) - Date.parse(run.started_at));
  return (
    <>
      began {at === null ? <When at={run.started_at} /> : exactTime(run.started_at)} · {lasted}
    </>
  );
}

function Counts({ run }: { readonly run: Run }) {
  const words = [
    [run.attempts, 'review of this step', 'reviews of this step'],
    [run.refusals, 'turned down', 'turned down'],
    [run.overrides, 'override', 'overrides'],
    [run.nudges, 'reminder', 'reminders'],
  ] as const;
  const shown = words.filter(([count]) => count > 0);
  if (shown.length === 0) return null;
  return (
    <span>
      {shown.map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(' · ')}
    </span>
  );
}

interface RelativesProps {
  readonly run: Run;
  readonly board: Board | null;
  readonly isNow: boolean;
}

/** The board knows the runs below it only as they are now. */
function Relatives({ run, board, isNow }: RelativesProps) {
  const runs = board?.runs ?? [];
  const parent = run.parent_session_id;
  const isChild = (each: Run) => isNow && each.parent_session_id === run.session_id;
  const children = runs.filter(isChild);
  const active = children.filter(({ status }) => status === 'active');
  const ended = children.filter(({ status }) => status !== 'active');
  if (parent === null && children.length === 0) return null;
  const goal = runs.find(({ session_id }) => session_id === parent)?.goal ?? parent;
  return (
    <div class="relatives">
      {parent !== null && (
        <span>
          Part of <a href={linkToRun(parent)}>{goal}</a>
        </span>
      )}
      {active.map((child) => (
        <Child key={child.session_id} run={child} />
      ))}
      {ended.length > 0 && (
        <Fold
          class="ended-children"
          summary={`${ended.length} ended below it`}
          content={() => (
            <ul class="plain">
              {ended.map((child) => (
                <li key={child.session_id}>
                  <Child run={child} />
                </li>
              ))}
            </ul>
          )}
        />
      )}
    </div>
  );
}

function Child({ run }: { readonly run: Run }) {
  return (
    <span>
      <RunState run={run} /> <a href={linkToRun(run.session_id)}>{run.goal || run.workflow}</a>
    </span>
  );
}
