// How far a run is: a segment for each entry, or one bar if there are too many to count by eye.

import type { Run } from '../../../board/run.ts';

const MAX_SEGMENTS = 14;

export function Progress({ run }: { readonly run: Run }) {
  const { index, of } = run.position;
  const done = run.status === 'completed' ? of : index - 1;
  const kind = (place: number) => {
    if (place < done) return 'done';
    return place === done && run.status === 'active' ? 'now' : 'open';
  };
  return (
    <span class="progress" role="img" aria-label={`Step ${index} of ${of}`}>
      {of <= MAX_SEGMENTS ? (
        Array.from({ length: of }, (_, place) => <i key={place} class={kind(place)} />)
      ) : (
        <i class="bar">
          <i class="done" style={{ width: `${(100 * done) / Math.max(1, of)}%` }} />
        </i>
      )}
    </span>
  );
}
