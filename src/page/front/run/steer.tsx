// A person aborts the run or sends it back to an earlier step, with a reason that the agent gets with
// its next call.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { RunStep } from '../../../board/run.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { type DrawnRun, PATHS } from '../server/answers.ts';
import { type Problem, post, problemOf } from '../server/api.ts';
import { NO_DRAFT } from '../store/drafts.ts';
import { usePage, useSource } from '../store/page-state.ts';
import { byPerson } from '../store/person.ts';

type Act = 'abort' | 'go-to';

export function SteerButtons({ detail }: { readonly detail: DrawnRun }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [act, setAct] = useState<Act | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const open = (next: Act) => {
    setAct(next);
    setDone(null);
    dialog.current?.showModal();
  };
  const close = (said: string | null) => {
    dialog.current?.close();
    setDone(said);
  };
  const reached = detail.workflow.steps.filter(({ progress }) => progress.state !== 'to_do');
  const isAgain = isOnlyCurrent(detail, reached);
  // Drafts are kept by project, so that has to be known first.
  const project = useSource(usePage().workspace);
  // A team that runs unattended has no steps.
  const hasSteps = detail.workflow.steps.length > 0;
  const { status } = detail.run;
  // What is completed can only be sent back, which opens it again.
  const isSteerable =
    (status === 'active' || (status === 'completed' && hasSteps)) && project !== null;
  return (
    <div class="steer">
      {done !== null && (
        <span class="soft" role="status">
          {done}
        </span>
      )}
      {isSteerable && (
        <>
          {hasSteps && (
            <button type="button" onClick={() => open('go-to')} disabled={reached.length === 0}>
              <Icon name="back" /> {isAgain ? 'Do this step again …' : 'Go back …'}
            </button>
          )}
          {status === 'active' && (
            <button type="button" class="danger" onClick={() => open('abort')}>
              <Icon name="stop" /> Abort …
            </button>
          )}
        </>
      )}
      <dialog ref={dialog} onClose={() => setAct(null)} aria-label="Step in">
        {act !== null && <SteerForm act={act} detail={detail} steps={reached} close={close} />}
      </dialog>
    </div>
  );
}

/** There is no earlier step: the current one can only be done again. */
function isOnlyCurrent({ run }: DrawnRun, steps: readonly RunStep[]): boolean {
  return steps.length === 1 && steps[0]?.id === run.step;
}

const WORDS = {
  abort: {
    title: 'Abort this run',
    what: 'The run ends here and cannot be resumed. Its files stay as they are.',
    send: 'Abort the run',
  },
  'go-to': {
    title: 'Go back to an earlier step',
    what: 'That step and all after it are done again. Files stay as they are.',
    send: 'Go back',
  },
  again: {
    title: 'Do this step again',
    what: 'The step begins anew, with your reason. Files stay as they are.',
    send: 'Do it again',
  },
} as const;

interface SteerFormProps {
  readonly act: Act;
  readonly detail: DrawnRun;
  readonly steps: readonly RunStep[];
  close(said: string | null): void;
}

function SteerForm({ act, detail, steps, close }: SteerFormProps) {
  const { run } = detail;
  const { drafts, workspace, resources } = usePage();
  const key = `${workspace.get() ?? ''}:${act}:${run.session_id}`;
  const [reason, setReason] = useState(() => drafts.read(key).text);
  const earlier = run.status === 'completed' ? steps.at(-1) : (steps.at(-2) ?? steps[0]);
  const [step, setStep] = useState(earlier?.id ?? '');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [reasonId, stepId] = [useId(), useId()];
  const reasonField = useRef<HTMLTextAreaElement>(null);
  // The dialog opens before this form is in it, so it cannot focus it.
  useEffect(() => reasonField.current?.focus(), []);
  const type = (text: string) => {
    setReason(text);
    drafts.write(key, { choices: [], text });
  };
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const body = { reason, ...byPerson(), ...(act === 'go-to' && { step_id: step }) };
      await post(`${PATHS.run(run.session_id)}/${act}`, body);
      drafts.write(key, NO_DRAFT);
      resources.refresh(() => true);
      close(steps.length > 0 ? 'Done. The agent is informed at its next call.' : 'Done.');
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    reasonField.current?.form?.requestSubmit();
  };
  const isAgain = act === 'go-to' && isOnlyCurrent(detail, steps);
  const words = WORDS[isAgain ? 'again' : act];
  return (
    <form onSubmit={send}>
      <h2>{words.title}</h2>
      <p class="soft">{words.what}</p>
      {act === 'go-to' && !isAgain && (
        <>
          <label class="field" for={stepId}>
            Step
          </label>
          <select id={stepId} value={step} onChange={(event) => setStep(event.currentTarget.value)}>
            {steps.map(({ id, name }) => (
              <option key={id} value={id}>
                {id === run.step ? `${name} (again)` : name}
              </option>
            ))}
          </select>
        </>
      )}
      <label class="field" for={reasonId}>
        Reason (the agent will read it)
      </label>
      <textarea
        id={reasonId}
        ref={reasonField}
        rows={3}
        required
        value={reason}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={sendByKey}
      />
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="actions">
        <button
          type="submit"
          class={act === 'abort' ? 'primary danger' : 'primary'}
          disabled={busy}
        >
          {words.send}
        </button>
        <button type="button" onClick={() => close(null)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
