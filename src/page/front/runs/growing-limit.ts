// Renders a long list bit by bit, so that the first rows appear at once and no frame takes long.

import { useEffect, useState } from 'preact/hooks';

const STEP = 30;

/** How many of `total` rows to render now; grows until all are. */
export function useGrowingLimit(total: number): number {
  const [limit, setLimit] = useState(STEP);
  useEffect(() => {
    if (limit >= total) return;
    const timer = setTimeout(() => setLimit(limit + STEP), 16);
    return () => clearTimeout(timer);
  }, [limit, total]);
  return limit;
}
