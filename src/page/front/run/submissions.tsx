// The submissions of a step, newest first: the files, and what rules, checks and reviews said.

import type { StepSubmission } from '../../../board/run.ts';
import { Icon } from '../parts/icon.tsx';
import { ScrollText } from '../parts/scroll-text.tsx';
import { clockTime, exactTime } from '../parts/time.ts';
import { OutputFile } from './output-file.tsx';

export interface SubmissionsProps {
  readonly runId: string;
  readonly submissions: readonly StepSubmission[];
}

export function Submissions({ runId, submissions }: SubmissionsProps) {
  return (
    <>
      {submissions
        .map((submission, index) => (
          <article key={submission.seq} class="submission">
            <h4>
              <Outcome {...submission} />
              Submission {index + 1}
              <time class="soft" dateTime={submission.at} title={exactTime(submission.at)}>
                {clockTime(submission.at)}
              </time>
            </h4>
            <Said said={submission.said} />
            <Files runId={runId} submission={submission} before={submissions.slice(0, index)} />
          </article>
        ))
        .reverse()}
    </>
  );
}

function Outcome({ accepted, waits }: Pick<StepSubmission, 'accepted' | 'waits'>) {
  const [meaning, icon, words] = accepted
    ? (['good', 'check', 'accepted'] as const)
    : waits
      ? (['quiet', 'circle', 'handed in, not judged yet'] as const)
      : (['bad', 'cross', 'turned down'] as const);
  return (
    <span class={`state ${meaning}`}>
      <Icon name={icon} />
      {words}
    </span>
  );
}

const KINDS = { rules: 'Rules', check: 'Check', review: 'Review', override: 'Override' } as const;

function Said({ said }: Pick<StepSubmission, 'said'>) {
  return (
    <ul class="said">
      {said.map(({ kind, name, passed, waits, text }, index) => (
        <li key={index}>
          {waits ? (
            <span class="verdict quiet">
              <Icon name="circle" label="still to come" />
              {KINDS[kind]}
            </span>
          ) : (
            <span class={passed ? 'verdict good' : 'verdict bad'}>
              <Icon name={passed ? 'check' : 'cross'} label={passed ? 'passed' : 'failed'} />
              {KINDS[kind]}
            </span>
          )}
          <span class="said-text">
            {name !== '' && name !== kind && !waits && <strong>{name}</strong>}
            {text !== '' && (
              <SaidText
                text={text}
                isFailure={!passed && !waits}
                summary={waits ? 'What the agent was asked to do' : 'What it said'}
              />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

const MAX_INLINE = 160;

interface SaidTextProps {
  readonly text: string;
  readonly isFailure: boolean;
  readonly summary: string;
}

function SaidText({ text, isFailure, summary }: SaidTextProps) {
  if (text.length <= MAX_INLINE && !text.includes('\n')) return <span>{text}</span>;
  if (isFailure) return <ScrollText text={text} />;
  return (
    <details>
      <summary>{summary}</summary>
      <ScrollText text={text} />
    </details>
  );
}

interface FilesProps {
  readonly runId: string;
  readonly submission: StepSubmission;
  readonly before: readonly StepSubmission[];
}

function Files({ runId, submission, before }: FilesProps) {
  return (
    <ul class="files">
      {Object.entries(submission.outputs).flatMap(([output, paths]) =>
        paths.map((path) => {
          const last = before.findLast(({ files }) => files[path] !== undefined);
          return (
            <li key={`${output} ${path}`}>
              <OutputFile
                runId={runId}
                output={output}
                path={path}
                sha256={submission.files[path] ?? null}
                before={last?.files[path] ?? null}
              />
            </li>
          );
        }),
      )}
    </ul>
  );
}
