// The choices of a question, of which one or several can be chosen.

import { useId } from 'preact/hooks';
import type { ShownQuestion } from '../server/answers.ts';
import type { Draft } from '../store/drafts.ts';

export interface ChoicesProps {
  readonly question: ShownQuestion;
  readonly draft: Draft;
  readonly disabled: boolean;
  readonly titleId: string;
  change(draft: Draft): void;
}

export function Choices({ question, draft, disabled, titleId, change }: ChoicesProps) {
  const name = useId();
  if (question.choices.length === 0) return null;
  const several = question.multi_select === true;
  const chosen = (choice: string, on: boolean) => {
    const others = several ? draft.choices.filter((each) => each !== choice) : [];
    const set = new Set(on ? [...others, choice] : others);
    // In the order of the question, whatever the order of the clicks.
    change({ ...draft, choices: question.choices.filter((each) => set.has(each)) });
  };
  return (
    <fieldset class="choices" role={several ? undefined : 'radiogroup'} aria-labelledby={titleId}>
      {question.choices.map((choice) => (
        <label key={choice} class="choice">
          <input
            type={several ? 'checkbox' : 'radio'}
            name={name}
            checked={draft.choices.includes(choice)}
            disabled={disabled}
            onChange={(event) => chosen(choice, event.currentTarget.checked)}
          />
          <span>{choice}</span>
        </label>
      ))}
    </fieldset>
  );
}
