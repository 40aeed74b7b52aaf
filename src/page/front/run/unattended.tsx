// An unattended run: what it has spent, what its agent is doing, how it stopped, each of its turns,
// and a button to stop it.

import { useState } from 'preact/hooks';
import type { Budget, Run, ShownEvent } from '../../../board/run.ts';
import { ProblemNote } from '../parts/notes.tsx';
import { clockTime, exactTime, withLocalTimes } from '../parts/time.ts';
import { PATHS } from '../server/answers.ts';
import { type Problem, post, problemOf } from '../server/api.ts';
import { usePage } from '../store/page-state.ts';
import { byPerson } from '../store/person.ts';

const MAX_TURNS = 40;

interface UnattendedProps {
  readonly run: Run;
  readonly turns: readonly ShownEvent[];
  /** The command that continues it. */
  readonly resume: string;
}

export function UnattendedPart({ run, turns, resume }: UnattendedProps) {
  const { unattended, budgets, worktree } = run;
  if (unattended === undefined || budgets === undefined) return null;
  const { stopped, limit_until: until } = unattended;
  return (
    <section class="unattended" aria-label="Unattended">
      <h2>Unattended</h2>
      <p class="run-facts">
        <Spent budget={budgets.turns} noun="turn" />
        <Spent budget={budgets.minutes} noun="minute" />
        <Spent budget={budgets.usd} noun="dollar" />
        {unattended.agent !== null && <span class="soft">{unattended.agent}</span>}
        {stopped === null && <StopButton run={run} />}
      </p>
      {until !== null && <p class="note">Its agent is out of quota until {exactTime(until)}.</p>}
      {worktree != null && (
        <p class="soft">
          In <code>{worktree.path}</code> on <code>{worktree.branch}</code>
        </p>
      )}
      {stopped !== null && (
        <p class={stopped.reason === 'complete' ? 'note' : 'note need'}>
          Stopped: {withLocalTimes(stopped.detail)}.{' '}
          {run.status === 'active' && (
            <>
              To continue: <code>{resume}</code>
            </>
          )}
        </p>
      )}
      {stopped?.kept !== undefined && <p class="note">The worktree is kept: {stopped.kept}.</p>}
      {stopped?.branch !== undefined && (
        <p class="note">
          The work is on branch <code>{stopped.branch}</code>:{' '}
          <code>git merge {stopped.branch}</code>
        </p>
      )}
      {(stopped?.warnings ?? []).map((warning) => (
        <p key={warning} class="note need">
          {warning}
        </p>
      ))}
      <ol class="turns">
        {turns
          .slice(-MAX_TURNS)
          .toReversed()
          .map(({ seq, at, text }) => (
            <li key={seq}>
              <span class="soft">{clockTime(at)}</span> {withLocalTimes(text.split('\n', 1).join())}
            </li>
          ))}
      </ol>
    </section>
  );
}

function Spent({ budget, noun }: { readonly budget: Budget; readonly noun: string }) {
  const { spent, max } = budget;
  // A budget can be lowered.
  const isOver = max !== null && spent !== null && spent > max;
  const counted = isOver ? spent : (max ?? spent);
  return (
    <span>
      <strong>{spent ?? 'unknown'}</strong>
      {max !== null && !isOver && <> of {max}</>}{' '}
      <span class="soft">{counted === 1 ? noun : `${noun}s`}</span>
      {isOver && <> (budget {max})</>}
    </span>
  );
}

function StopButton({ run }: { readonly run: Run }) {
  const { resources } = usePage();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsked, setAsked] = useState(false);
  const stop = async () => {
    setProblem(null);
    setAsked(true);
    try {
      await post(`${PATHS.run(run.session_id)}/stop`, {
        reason: 'Stopped on the page',
        ...byPerson(),
      });
      resources.refresh(() => true);
    } catch (error) {
      setProblem(problemOf(error));
      setAsked(false);
    }
  };
  return (
    <>
      <button type="button" class="small" disabled={isAsked} onClick={stop}>
        {isAsked ? 'Stopping …' : 'Stop; can be resumed'}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}
