// Copies a text, and says so.

import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export function CopyButton({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('Copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Not allowed: select it and copy');
    }
    setTimeout(() => setSaid('Copy'), 2000);
  };
  return (
    <button type="button" class="small" onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">{said}</span>
    </button>
  );
}
