// One run: its state, its submissions with what was said about them, its timeline, and the ways to
// step in.

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Board, Run, ShownEvent } from '../../../board/run.ts';
import { Drawing } from '../parts/drawing.tsx';
import { Absent, AgeNote } from '../parts/notes.tsx';
import { feedbackForPerson } from '../parts/run-state.tsx';
import { ScrollText } from '../parts/scroll-text.tsx';
import { QuestionList } from '../questions/questions-view.tsx';
import { hashOf } from '../route.ts';
import { type DrawnRun, PATHS, type ShownQuestion } from '../server/answers.ts';
import { useAnswer } from '../store/page-state.ts';
import type { Answer } from '../store/resources.ts';
import { RunHeader } from './run-header.tsx';
import { Steps } from './steps.tsx';
import { useCacheTexts } from './text-cache.ts';
import { TimeSlider } from './time-slider.tsx';
import { Timeline } from './timeline.tsx';
import { UnattendedPart } from './unattended.tsx';

export interface RunViewProps {
  readonly id: string;
  /** As it was after this event; null: now. */
  readonly at: number | null;
  readonly board: Board | null;
}

export function RunView({ id, at, board }: RunViewProps) {
  const now = useAnswer<DrawnRun>(PATHS.run(id));
  const [moment, setMoment] = useMoment(id, at);
  const past = useAnswer<DrawnRun>(moment === null ? null : PATHS.runAt(id, moment));
  useCacheTexts(now.value);
  if (now.value === null) return <NoRun answer={now} />;
  // What was shown stays until the past has loaded.
  const isPast = moment !== null && past.value !== null;
  const shown = isPast ? past.value : now.value;
  const shownAt = isPast ? now.value.events.findLast(({ seq }) => seq <= moment)?.at : undefined;
  return (
    <div class={moment === null ? 'run' : 'run in-past'}>
      <AgeNote answer={moment === null ? now : past} />
      <RunHeader detail={now.value} shown={shown.run} board={board} at={shownAt ?? null} />
      <div class="run-top">
        {moment === null && <RunQuestions questions={now.value.run.questions} />}
        <LastFeedback run={shown.run} />
      </div>
      {moment === null && (
        <UnattendedPart
          run={now.value.run}
          turns={now.value.turns ?? []}
          resume={now.value.resume}
        />
      )}
      <TimeSlider events={now.value.events} moment={moment} move={setMoment} />
      {!isOfTeam(now.value) && (
        <div class="run-parts">
          <section class="part-drawing" aria-label="Drawing">
            <h2>Workflow</h2>
            <Drawing
              svg={shown.drawing_svg}
              label={`Drawing of ${shown.run.workflow}`}
              onStep={showStep}
            />
          </section>
          <section class="part-steps" aria-label="Steps">
            <h2>Steps</h2>
            <Steps runId={id} workflow={shown.workflow} />
          </section>
          <section class="part-timeline" aria-label="Timeline">
            <h2>What happened</h2>
            <Timeline
              events={now.value.events}
              beside={now.value.beside}
              moment={moment}
              move={setMoment}
            />
          </section>
        </div>
      )}
    </div>
  );
}

/** A team that runs unattended has turns, and neither steps nor events. */
function isOfTeam({ events, workflow }: DrawnRun): boolean {
  return events.length === 0 && workflow.entries.length === 0;
}

/** The questions of this run, answered here as well as in their own view. */
function RunQuestions({ questions }: Pick<Run, 'questions'>) {
  const { value } = useAnswer<readonly ShownQuestion[]>(
    questions.length > 0 ? PATHS.questions : null,
  );
  const mine = (value ?? []).filter(({ id }) => questions.includes(id));
  return (
    <div>
      <QuestionList questions={mine} goals={new Map()} isAtRun />
    </div>
  );
}

function NoRun({ answer }: { readonly answer: Answer<DrawnRun> }) {
  return (
    <>
      <Absent answer={answer} />
      {answer.problem !== null && (
        <p>
          <a href="#/runs">Back to all runs</a>
        </p>
      )}
    </>
  );
}

/** Why the last submission was turned down, or why the run was aborted. */
function LastFeedback({ run }: { readonly run: Run }) {
  const feedback = feedbackForPerson(run);
  if (feedback === null) return null;
  const title = run.state === null ? 'Why it was aborted' : 'Last feedback';
  return (
    <section class="feedback" aria-label={title}>
      <h2>{title}</h2>
      <ScrollText text={feedback} />
    </section>
  );
}

/** The moment that is shown. It is in the address, without a history entry for each move. */
function useMoment(id: string, at: number | null) {
  const [moment, setMoment] = useState(at);
  useEffect(() => setMoment(at), [at]);
  const move = useCallback(
    (event: ShownEvent | null) => {
      const seq = event?.seq ?? null;
      setMoment(seq);
      history.replaceState(null, '', hashOf({ view: 'run', id, at: seq }));
    },
    [id],
  );
  return [moment, move] as const;
}

function showStep(id: string): void {
  const step = document.getElementById(`step-${id}`);
  if (!(step instanceof HTMLDetailsElement)) return;
  step.open = true;
  step.scrollIntoView({ block: 'nearest' });
  step.querySelector('summary')?.focus({ preventScroll: true });
}
