// One run in the list: its state, its goal, its step, and what holds it up.

import { useMemo } from 'preact/hooks';
import type { Run } from '../../../board/run.ts';
import { agentOf } from '../parts/agent.ts';
import { Icon } from '../parts/icon.tsx';
import { Progress } from '../parts/progress.tsx';
import { feedbackForPerson, RunState, stateOf } from '../parts/run-state.tsx';
import { When } from '../parts/when.tsx';
import { linkToRun } from '../route.ts';

export interface RunRowProps {
  readonly run: Run;
  readonly depth: number;
  /** The question that it waits for. */
  readonly question: string | null;
}

const MAX_DEPTH = 6;

/** Rendered again only if it has changed. */
export function RunRow({ run, depth, question }: RunRowProps) {
  return useMemo(() => <Row run={run} depth={depth} question={question} />, [run, depth, question]);
}

function Row({ run, depth, question }: RunRowProps) {
  return (
    <li class={`row depth-${Math.min(depth, MAX_DEPTH)} ${stateOf(run).meaning}`}>
      <span class="cell-state">
        <RunState run={run} />
      </span>
      <span class="cell-goal">
        <a href={linkToRun(run.session_id)}>{run.goal || run.workflow}</a>
        <span class="soft">
          {run.workflow}
          {agentOf(run) !== null && <> · {agentOf(run)}</>}
        </span>
        <Reason run={run} question={question} />
      </span>
      <span class="cell-step">
        <Progress run={run} />
        <span class="step-name">
          <span class="soft">
            {run.position.index}/{run.position.of}
          </span>{' '}
          {run.step}
          <Loop run={run} />
        </span>
      </span>
      <span class="cell-counts">
        <Counts run={run} />
      </span>
      <span class="cell-time soft">
        <When at={run.ended_at ?? run.last_activity_at} />
      </span>
    </li>
  );
}

/** What holds it up, and its last feedback; for an aborted run, why it was aborted. */
function Reason({ run, question }: { readonly run: Run; readonly question: string | null }) {
  if (run.state === 'waiting_for_person' && question !== null) {
    return <span class="reason clip">“{question}”</span>;
  }
  const feedback = feedbackForPerson(run);
  return (
    <>
      {(run.state === 'orphaned' || run.state === 'stalled') && (
        <span class="reason">{stateOf(run).why}</span>
      )}
      {feedback !== null && (
        <span class="told soft clip">
          {run.state === null ? 'Reason' : 'Last feedback'}: {feedback}
        </span>
      )}
    </>
  );
}

export interface FoldedRowProps {
  readonly count: number;
  readonly depth: number;
  readonly isOpen: boolean;
  toggle(): void;
}

/** Stands for the ended runs below a run that is still active. */
export function FoldedRow({ count, depth, isOpen, toggle }: FoldedRowProps) {
  return (
    <li class={`row-folded depth-${Math.min(depth, MAX_DEPTH)}`}>
      <button type="button" class="small plain disclose" aria-expanded={isOpen} onClick={toggle}>
        {count} ended
      </button>
    </li>
  );
}

export function Loop({ run }: { readonly run: Run }) {
  return (
    <>
      {run.pass !== undefined && <span class="soft"> · pass {run.pass}</span>}
      {run.item !== undefined && (
        <span class="soft">
          {' '}
          · {run.item.accepted} of {run.item.of} {run.item.of === 1 ? 'item' : 'items'} accepted
        </span>
      )}
    </>
  );
}

function Counts({ run }: { readonly run: Run }) {
  const { refusals, overrides, nudges } = run;
  return (
    <>
      {refusals > 0 && (
        <span class="count-of" title="Submissions turned down by rules, checks or reviews">
          <Icon name="cross" /> {refusals} turned down
        </span>
      )}
      {overrides > 0 && (
        <span class="count-of" title="Times that reviews were skipped for a reason">
          <Icon name="person" /> {overrides} {overrides === 1 ? 'override' : 'overrides'}
        </span>
      )}
      {nudges > 0 && (
        <span class="count-of" title="Times that the agent stopped too early and was sent back">
          <Icon name="back" /> {nudges} {nudges === 1 ? 'reminder' : 'reminders'}
        </span>
      )}
    </>
  );
}
