// One question of an agent, and a person's answer. What is typed is saved as a draft from the first
// key on, and dropped only when the server has accepted the answer.

import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { ScrollText } from '../parts/scroll-text.tsx';
import { When } from '../parts/when.tsx';
import { linkToRun } from '../route.ts';
import type { ShownQuestion } from '../server/answers.ts';
import { type Problem, post, problemOf } from '../server/api.ts';
import { type Draft, NO_DRAFT } from '../store/drafts.ts';
import { usePage } from '../store/page-state.ts';
import { byPerson } from '../store/person.ts';
import { Choices } from './choices.tsx';

export interface QuestionCardProps {
  readonly question: ShownQuestion;
  /** The goal of its run, if that is known. */
  readonly goal: string | null;
  /** It was open and is no longer. */
  readonly isClosed: boolean;
  /** On the page of its run, which needs no link to it. */
  readonly isAtRun?: boolean;
  onClosed(outcome: QuestionOutcome): void;
}

export interface QuestionOutcome {
  readonly said: string;
  /** Why the answer has no effect, if it has none: a file that was shown has changed. */
  readonly warnings: readonly string[];
}

const KINDS: Readonly<Record<ShownQuestion['kind'], string>> = {
  question: 'Question',
  override: 'Override requested',
  approval: 'Approval requested',
  other: 'Asked',
};

type Sending = 'no' | 'sending' | 'dismissing?';

export function QuestionCard(props: QuestionCardProps) {
  const { question, isClosed, onClosed } = props;
  const { id, asked_at } = question;
  const { drafts, workspace } = usePage();
  const key = `${workspace.get() ?? ''}:${id}:${asked_at}`;
  const [draft, setDraft] = useState<Draft>(() => drafts.read(key));
  const [sending, setSending] = useState<Sending>('no');
  const [problem, setProblem] = useState<Problem | null>(null);
  const title = useId();
  const words = useId();

  const change = (next: Draft) => {
    setDraft(next);
    drafts.write(key, next);
  };
  const send = async (act: 'answer' | 'dismiss') => {
    setSending('sending');
    setProblem(null);
    const text = draft.text.trim() === '' ? '' : draft.text;
    const given = { choices: draft.choices, text, ...byPerson() };
    try {
      const answer = await post(
        `/api/questions/${encodeURIComponent(id)}/${act}`,
        act === 'answer' ? given : byPerson(),
      );
      drafts.write(key, NO_DRAFT);
      const said = act === 'answer' ? answerInWords(draft) : 'Dismissed without an answer';
      onClosed({ said, warnings: warningsIn(answer) });
    } catch (error) {
      setProblem(problemOf(error));
    }
    setSending('no');
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send('answer');
  };
  // As in a chat; Enter alone stays a new line.
  const keyed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  const isBusy = sending === 'sending' || isClosed;
  return (
    <article class="card question" aria-labelledby={title}>
      <form onSubmit={submit} onKeyDown={keyed}>
        <header>
          <span class="state need">
            <Icon name="person" />
            {KINDS[question.kind]}
          </span>
          <span class="soft">
            {question.asked_by ?? 'the agent'} · <When at={asked_at} /> · {id}
            {question.session_id !== null && !props.isAtRun && (
              <>
                {' '}
                · <a href={linkToRun(question.session_id)}>{props.goal ?? 'its run'}</a>
              </>
            )}
          </span>
        </header>
        <h2 id={title} class="asked">
          {headlineOf(question)}
        </h2>
        <Shown question={question} />
        <Choices
          question={question}
          draft={draft}
          disabled={isBusy}
          change={change}
          titleId={title}
        />
        <label class="field" for={words}>
          {question.choices.length > 0 ? 'In your own words (optional)' : 'Your answer'}
        </label>
        <textarea
          id={words}
          rows={2}
          value={draft.text}
          disabled={isBusy}
          onInput={(event) => change({ ...draft, text: event.currentTarget.value })}
        />
        {isClosed && (
          <p class="note quiet" role="status">
            This question is no longer open. What you typed is kept here until you leave.
          </p>
        )}
        {problem !== null && <ProblemNote problem={kept(problem)} />}
        {sending === 'dismissing?' ? (
          <div class="actions">
            <span>Close it without an answer?</span>
            <button type="button" class="danger" onClick={() => void send('dismiss')}>
              Dismiss
            </button>
            <button type="button" onClick={() => setSending('no')}>
              Keep it open
            </button>
          </div>
        ) : (
          <div class="actions">
            <button type="submit" class="primary" disabled={isBusy}>
              {sending === 'sending' ? 'Sending …' : 'Answer'}
            </button>
            <button
              type="button"
              class="plain"
              disabled={isBusy}
              onClick={() => setSending('dismissing?')}
            >
              Dismiss …
            </button>
            <span class="soft hint">
              <kbd>Ctrl</kbd> <kbd>Enter</kbd> answers
            </span>
          </div>
        )}
      </form>
    </article>
  );
}

/** The files that an approval is about. */
function Shown({ question }: { readonly question: ShownQuestion }) {
  return (
    <>
      {(question.show ?? []).map(({ path, sha256, text }) => (
        <details key={`${path} ${sha256}`} class="shown" open>
          <summary>
            <Icon name="file" /> {path} <code class="soft">{sha256.slice(0, 12)}</code>
          </summary>
          <ScrollText text={text} />
        </details>
      ))}
    </>
  );
}

/** The files of an approval are shown below it, so its text need not list them. */
export function headlineOf({ kind, text, show = [] }: ShownQuestion): string {
  return kind === 'approval' && show.length > 0 ? (text.split('\n\n')[0] ?? text) : text;
}

function answerInWords({ choices, text }: Draft): string {
  return [...choices, text.trim()].filter((part) => part !== '').join(' · ');
}

function warningsIn(answer: unknown): readonly string[] {
  const { warnings = [] } = (answer ?? {}) as { readonly warnings?: readonly string[] };
  return warnings;
}

function kept(problem: Problem): Problem {
  if (problem.status !== 0) return problem;
  return {
    ...problem,
    message: 'The server does not answer, so nothing was sent. What you typed is kept.',
    next: 'Try again when the page is live.',
  };
}
