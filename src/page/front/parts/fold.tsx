// A part that is closed at first and rendered only once it is opened.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface FoldProps {
  readonly class: string;
  readonly summary: ComponentChildren;
  content(): ComponentChildren;
}

export function Fold({ class: name, summary, content }: FoldProps) {
  const [opened, setOpened] = useState(false);
  return (
    <details class={name} onToggle={() => setOpened(true)}>
      <summary>{summary}</summary>
      {opened && content()}
    </details>
  );
}
