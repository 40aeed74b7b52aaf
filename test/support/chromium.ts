// A real browser for tests of pages, started once and kept for the next test.

import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findChromium } from './find-chromium.ts';
import { needs } from './needs.ts';

/** Starting it takes longer than most tests, so it is kept for the next one for a while. */
let started: Promise<Browser> | null = null;
const KEPT_MS = 10_000;
let contexts = 0;
let ending: NodeJS.Timeout | undefined;

/**
 * A context of its own, which shares nothing with those of other tests, closed after the test. It
 * can reach only this machine.
 */
export async function openBrowser(options: { javaScript?: boolean } = {}): Promise<BrowserContext> {
  contexts += 1;
  clearTimeout(ending);
  onTestFinished(() => {
    contexts -= 1;
    clearTimeout(ending);
    ending = setTimeout(endIfUnused, KEPT_MS);
  });
  started ??= startBrowser();
  const context = await (await started).newContext({
    javaScriptEnabled: options.javaScript ?? true,
  });
  onTestFinished(() => context.close());
  return context;
}

function endIfUnused(): void {
  if (contexts > 0) return;
  void started?.then((browser) => browser.close());
  started = null;
}

async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** False if there is none, and none can be installed. */
export const needChromium = () => needs(findChromium);
