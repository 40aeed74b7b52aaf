// Starts a workflow unattended, with a goal and its inputs.

import { useId, useState } from 'preact/hooks';
import type { ListedVariable } from '../../../board/run.ts';
import { ProblemNote } from '../parts/notes.tsx';
import { linkToRun } from '../route.ts';
import { type Problem, post, problemOf } from '../server/api.ts';
import { type Entered, InputFields, inputsToSend } from './input-fields.tsx';

export interface StartRunProps {
  /** `job/workflow`. */
  readonly workflow: string;
  readonly inputs: readonly ListedVariable[];
}

export function StartRun({ workflow, inputs }: StartRunProps) {
  const id = useId();
  const [goal, setGoal] = useState('');
  const [entered, setEntered] = useState<Entered>({});
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const body = { workflow, goal, inputs: inputsToSend(inputs, entered) };
      const begun = (await post('/api/runs', body)) as { readonly run_id: string };
      location.hash = linkToRun(begun.run_id);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form class="start" onSubmit={start}>
      <label class="field" for={id}>
        Run it unattended, with this goal
      </label>
      <textarea
        id={id}
        rows={2}
        required
        value={goal}
        onInput={(event) => setGoal(event.currentTarget.value)}
      />
      <InputFields
        inputs={inputs}
        entered={entered}
        onEnter={(name, value) => setEntered((before) => ({ ...before, [name]: value }))}
      />
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Starting …' : 'Start the run'}
        </button>
      </div>
    </form>
  );
}
