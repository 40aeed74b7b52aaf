// The steps of a workflow, each with what it demands and its submissions.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunStep, RunWorkflow } from '../../../board/run.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import type { Meaning } from '../parts/run-state.tsx';
import { ScrollText } from '../parts/scroll-text.tsx';
import { Submissions } from './submissions.tsx';

const STATES: Readonly<
  Record<RunStep['progress']['state'], { word: string; icon: IconName; meaning: Meaning }>
> = {
  to_do: { word: 'to do', icon: 'circle', meaning: 'quiet' },
  current: { word: 'now', icon: 'play', meaning: 'move' },
  accepted: { word: 'accepted', icon: 'check', meaning: 'good' },
  failed: { word: 'turned down', icon: 'cross', meaning: 'bad' },
  skipped: { word: 'skipped', icon: 'skip', meaning: 'quiet' },
};

export function Steps(props: { readonly runId: string; readonly workflow: RunWorkflow }) {
  const { runId, workflow } = props;
  return (
    <ol class="steps">
      {workflow.steps.map((step) => (
        <li key={step.id}>
          <Step runId={runId} step={step} />
        </li>
      ))}
    </ol>
  );
}

function Step({ runId, step }: { readonly runId: string; readonly step: RunStep }) {
  const { state, attempts, submissions } = step.progress;
  const { word, icon, meaning } = STATES[state];
  const isNow = state === 'current' || state === 'failed';
  const [open, setOpen] = useState(isNow);
  // A step opens when it becomes current; none closes by itself while someone reads it.
  useEffect(() => {
    if (isNow) setOpen(true);
  }, [isNow]);
  // Submissions are rendered once the step is opened, because each of their files makes a request.
  const wasOpen = useRef(open);
  wasOpen.current ||= open;
  return (
    <details
      id={`step-${step.id}`}
      class="step"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class={`state ${meaning}`}>
          <Icon name={icon} />
          {word}
        </span>
        <span class="step-title">{step.name}</span>
        <span class="soft">
          {submissions.length > 1 && `${submissions.length} submissions`}
          {submissions.length <= 1 && attempts > 1 && `${attempts} attempts`}
        </span>
      </summary>
      <div class="step-body">
        {step.description !== '' && step.description !== step.name && <p>{step.description}</p>}
        {step.when !== null && (
          <p class="soft">
            Only if <code>{step.when}</code>
          </p>
        )}
        <Demands step={step} />
        <details class="instructions">
          <summary>Instructions</summary>
          {step.instructions === null ? (
            <p class="soft">They cannot be read now.</p>
          ) : (
            <ScrollText class="prose" text={step.instructions} />
          )}
        </details>
        {wasOpen.current && <Submissions runId={runId} submissions={submissions} />}
      </div>
    </details>
  );
}

/** The outputs of the step, and its gate. */
function Demands({ step }: { readonly step: RunStep }) {
  const { outputs, rules, checks, reviews } = step;
  return (
    <dl class="demands">
      {outputs.length > 0 && <dt>Outputs</dt>}
      {outputs.map(({ name, type, required, description }) => (
        <dd key={name}>
          <code>{name}</code>{' '}
          <span class="soft">{type === 'files' ? 'several files' : 'a file'}</span>
          {!required && <span class="soft">, optional</span>}
          {description !== '' && <span class="description">{description}</span>}
        </dd>
      ))}
      {rules.length > 0 && <dt>Rules</dt>}
      {rules.map((rule) => (
        <dd key={rule}>{rule}</dd>
      ))}
      {checks.length > 0 && <dt>Checks</dt>}
      {checks.map(({ name, run }) => (
        <dd key={name}>
          {name} <code class="soft">{run}</code>
        </dd>
      ))}
      {reviews.length > 0 && <dt>Reviews</dt>}
      {reviews.map(({ run_each, criteria }, index) => (
        <dd key={index}>
          <span class="soft">
            {run_each === 'step' ? 'of all outputs together' : `of each file of ${run_each}`}
          </span>
          <ul>
            {criteria.map((criterion) => (
              <li key={criterion}>{criterion}</li>
            ))}
          </ul>
        </dd>
      ))}
    </dl>
  );
}
