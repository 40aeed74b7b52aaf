// Everything that agents ask a person. An answered question stays in its place as one line until the
// person leaves, so that the others do not move.

import { useRef, useState } from 'preact/hooks';
import type { Board } from '../../../board/run.ts';
import { Icon } from '../parts/icon.tsx';
import { Absent, AgeNote, Empty } from '../parts/notes.tsx';
import { needsPerson } from '../runs/group-runs.ts';
import { PATHS, type ShownQuestion } from '../server/answers.ts';
import { useAnswer, usePage, useSource } from '../store/page-state.ts';
import { personName, rememberPerson } from '../store/person.ts';
import { headlineOf, QuestionCard, type QuestionOutcome } from './question-card.tsx';

export function QuestionsView() {
  const answer = useAnswer<readonly ShownQuestion[]>(PATHS.questions);
  const board = useAnswer<Board>(PATHS.board);
  if (answer.value === null) return <Absent answer={answer} />;
  const goals = new Map(board.value?.runs.map(({ session_id, goal }) => [session_id, goal]));
  return (
    <div class="questions">
      <h1>Questions</h1>
      <AgeNote answer={answer} />
      <QuestionList
        questions={answer.value}
        goals={goals}
        runsInNeed={board.value?.runs.filter(needsPerson).length ?? 0}
      />
    </div>
  );
}

interface QuestionListProps {
  readonly questions: readonly ShownQuestion[];
  readonly goals: ReadonlyMap<string, string>;
  readonly isAtRun?: boolean;
  /** How many runs need the person. */
  readonly runsInNeed?: number;
}

export function QuestionList(props: QuestionListProps) {
  const { questions, goals, isAtRun = false, runsInNeed = 0 } = props;
  /** All that were open since the view was opened, in the order in which they appeared. */
  const shown = useRef(new Map<string, ShownQuestion>());
  const [closed, setClosed] = useState<ReadonlyMap<string, QuestionOutcome>>(new Map());
  for (const question of questions) shown.current.set(keyOf(question), question);
  const open = new Set(questions.map(keyOf));
  // Drafts are kept by project, so nothing can be typed before that is known.
  if (useSource(usePage().workspace) === null) return null;
  if (shown.current.size === 0) return isAtRun ? null : <NothingAsked runsInNeed={runsInNeed} />;
  return (
    <>
      {!isAtRun && <PersonName />}
      {[...shown.current].map(([key, question]) => {
        const outcome = closed.get(key);
        if (outcome !== undefined) {
          return <Closed key={key} question={question} outcome={outcome} />;
        }
        return (
          <QuestionCard
            key={key}
            question={question}
            goal={goals.get(question.session_id ?? '') ?? null}
            isClosed={!open.has(key)}
            isAtRun={isAtRun}
            onClosed={(outcome) => setClosed((before) => new Map(before).set(key, outcome))}
          />
        );
      })}
      {open.size === 0 && !isAtRun && <p class="soft">Nothing else is being asked.</p>}
    </>
  );
}

function keyOf({ id, asked_at }: ShownQuestion): string {
  return `${id} ${asked_at}`;
}

interface ClosedProps {
  readonly question: ShownQuestion;
  readonly outcome: QuestionOutcome;
}

function Closed({ question, outcome: { said, warnings } }: ClosedProps) {
  const hasEffect = warnings.length === 0;
  return (
    <p class={`note ${hasEffect ? 'good' : 'need'}`} role="status">
      <Icon name={hasEffect ? 'check' : 'warning'} />
      <span>
        <span class="soft">{headlineOf(question)}</span>
        <br />
        {[said, ...warnings].join('. ')}
      </span>
    </p>
  );
}

function PersonName() {
  const [name, setName] = useState(personName);
  const change = (next: string) => {
    setName(next);
    rememberPerson(next);
  };
  return (
    <label class="person">
      <span>Your name, recorded with answers</span>
      <input
        value={name}
        autocomplete="name"
        placeholder="the user of the server"
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

function NothingAsked({ runsInNeed }: { readonly runsInNeed: number }) {
  return (
    <Empty title="No open questions">
      {runsInNeed > 0 && (
        <p>
          <a href="#/runs">
            {runsInNeed === 1 ? '1 run needs you' : `${runsInNeed} runs need you`}
          </a>
        </p>
      )}
      <p>
        Questions and approvals appear here at once. Leave this page open: its tab counts what waits
        for you.
      </p>
    </Empty>
  );
}
