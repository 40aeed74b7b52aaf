// The change between two texts, with signs besides the colours.

import { useMemo } from 'preact/hooks';
import { type DiffGap, type DiffLine, diffLines, withGaps } from './line-diff.ts';

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const MAX_LINES = 2000;

export function DiffText({ before, now }: { readonly before: string; readonly now: string }) {
  const parts = useMemo(() => withGaps(diffLines(before, now)), [before, now]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
    <div class="diff" tabIndex={0}>
      {parts.slice(0, MAX_LINES).map((part, index) => (
        <Line key={index} part={part} />
      ))}
      {parts.length > MAX_LINES && <div class="gap">{parts.length - MAX_LINES} more lines</div>}
    </div>
  );
}

function Line({ part }: { readonly part: DiffLine | DiffGap }) {
  if (part.kind === 'gap') return <div class="gap">{part.lines} unchanged lines</div>;
  return (
    <div class={`line ${part.kind}`}>
      <span class="number">{part.line}</span>
      <span class="sign">{SIGNS[part.kind]}</span>
      <span class="content">{part.text === '' ? ' ' : part.text}</span>
    </div>
  );
}
