// A real browser for tests of pages: the machine's own Chromium. If there is none and Debian's
// packages are available, it is installed once, with a message.
//
// Chromium without its user interface (`chromium-headless-shell`) comes first: it renders and runs
// pages with the same code in half of the processor time. DEEPWORK_CHROMIUM names another one.

import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { installPackage } from './install-package.ts';

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

const HEADLESS = 'chromium-headless-shell';
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome'];

/** Null if there is a browser, or one could be installed; else the reason why not. */
export async function whyNoChromium(): Promise<string | null> {
  return findChromium().then(
    () => null,
    (error: Error) => error.message,
  );
}

async function findChromium(): Promise<string> {
  const found = process.env.DEEPWORK_CHROMIUM ?? onPath();
  if (found !== undefined) return found;
  try {
    await installPackage(HEADLESS, 'the tests of pages');
  } catch (error) {
    throw new Error(
      `There is no Chromium, and it could not be installed (${(error as Error).message}). Install one, or name it in DEEPWORK_CHROMIUM.`,
    );
  }
  const installed = onPath();
  if (installed === undefined) throw new Error('Chromium was installed and cannot be found');
  return installed;
}

function onPath(): string | undefined {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}
