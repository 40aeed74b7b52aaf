// A time: how long ago, with the exact one on hover.

import { useNow } from '../store/page-state.ts';
import { ago, exactTime } from './time.ts';

export function When({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {ago(Date.parse(at), now)}
    </time>
  );
}
