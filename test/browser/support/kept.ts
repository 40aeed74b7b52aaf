// What the browser keeps of the page. Asked again and again from outside: the page's policy forbids
// to evaluate texts inside it, as waiting functions of the browser's driver do.

import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';

/** Until the page itself is kept for reloads without a server. */
export function untilPageKept(page: Page): Promise<void> {
  return until(() => page.evaluate<boolean>('navigator.serviceWorker.controller !== null'));
}

/** Until this is true of the paths of all answers that are kept. */
export async function untilKept(
  page: Page,
  isTrue: (paths: readonly string[]) => boolean,
): Promise<void> {
  const paths = `caches.open('deepwork-seen')
    .then((seen) => seen.keys())
    .then((kept) => kept.map(({ url }) => url.slice(location.origin.length)))`;
  await until(async () => isTrue(await page.evaluate<string[]>(paths)));
}
