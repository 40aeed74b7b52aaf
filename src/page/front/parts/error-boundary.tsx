// Shows a view, or says that it cannot: an answer that the page does not understand ends one view,
// never the whole page.

import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Icon } from './icon.tsx';

export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return children;
  return (
    <div class="note bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>This view cannot be shown: {error instanceof Error ? error.message : String(error)}</p>
        <p>
          This is a fault of the page; the runs go on. If the server was updated, reload the page.
          In the terminal, <code>deepwork status</code> shows the same.
        </p>
        <p class="actions">
          <button type="button" onClick={() => location.reload()}>
            Reload the page
          </button>
          <a href="#/runs">Back to all runs</a>
        </p>
      </div>
    </div>
  );
}
