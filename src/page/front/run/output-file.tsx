// A submitted file: its text as submitted, and its change since the last submission.

import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { ScrollText } from '../parts/scroll-text.tsx';
import { type Problem, problemOf } from '../server/api.ts';
import { usePage } from '../store/page-state.ts';
import { DiffText } from './diff-text.tsx';
import { type SubmittedText, submittedText, useCanCompare } from './text-cache.ts';

export interface OutputFileProps {
  readonly runId: string;
  readonly output: string;
  readonly path: string;
  /** Null: its content is not known. */
  readonly sha256: string | null;
  /** The hash of its content in the last submission that had it. */
  readonly before: string | null;
}

type Shown =
  | { readonly kind: 'nothing' | 'loading' }
  | { readonly kind: 'text'; readonly now: SubmittedText }
  | { readonly kind: 'change'; readonly before: SubmittedText; readonly now: SubmittedText }
  | { readonly kind: 'problem'; readonly problem: Problem };

export function OutputFile({ runId, output, path, sha256, before }: OutputFileProps) {
  const { cache } = usePage();
  const [shown, setShown] = useState<Shown>({ kind: 'nothing' });
  const isSame = before === sha256;
  const canCompare = useCanCompare(runId, before, sha256);
  const toggle = async (kind: 'text' | 'change') => {
    if (sha256 === null) return;
    if (shown.kind === kind) {
      setShown({ kind: 'nothing' });
      return;
    }
    setShown({ kind: 'loading' });
    try {
      const now = await submittedText(cache, runId, sha256);
      if (kind === 'text' || before === null) setShown({ kind: 'text', now });
      else setShown({ kind, before: await submittedText(cache, runId, before), now });
    } catch (error) {
      setShown({ kind: 'problem', problem: problemOf(error) });
    }
  };
  return (
    <div class="file">
      <div class="file-line">
        <Icon name="file" />
        <code>{path}</code>
        <span class="soft">{output}</span>
        {sha256 !== null && (
          <span class="file-actions">
            <Toggle word="Text" on={shown.kind === 'text'} toggle={() => void toggle('text')} />
            {canCompare === true && (
              <Toggle
                word="Change"
                on={shown.kind === 'change'}
                toggle={() => void toggle('change')}
              />
            )}
            {canCompare === false && (
              <span class="soft" title={WHY_GONE}>
                change not kept
              </span>
            )}
            {before !== null && isSame && <span class="soft">unchanged</span>}
          </span>
        )}
      </div>
      <FileContent shown={shown} />
    </div>
  );
}

const WHY_GONE =
  'Only hashes are on record. The texts are kept if this page is open when they are submitted.';

function Toggle(props: { readonly word: string; readonly on: boolean; toggle(): void }) {
  return (
    <button type="button" class="small" aria-pressed={props.on} onClick={props.toggle}>
      {props.word}
    </button>
  );
}

function FileContent({ shown }: { readonly shown: Shown }) {
  switch (shown.kind) {
    case 'nothing':
      return null;
    case 'loading':
      return <p class="soft">Loading …</p>;
    case 'problem':
      return <p class="note bad">{shown.problem.message}</p>;
    case 'text':
      return (
        <>
          {shown.now.isChanged && (
            <p class="note quiet">
              The file has changed since it was submitted. This is its current text.
            </p>
          )}
          <ScrollText class="text" text={shown.now.text} />
        </>
      );
    case 'change':
      if (shown.before.isChanged) {
        return <p class="note quiet">The earlier text is gone.</p>;
      }
      return <DiffText before={shown.before.text} now={shown.now.text} />;
  }
}
