// A real browser for tests of pages: the machine's own Chromium. If there is none and Debian's
// packages are available, it is installed once, with a message.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { installPackage } from './install-package.ts';

/** A separate context, closed after the test. It can reach only this machine. */
export async function openBrowser(options: { javaScript?: boolean } = {}): Promise<BrowserContext> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'deepwork-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await findChromium(),
    javaScriptEnabled: options.javaScript ?? true,
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
  onTestFinished(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  return context;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

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
    await installPackage('chromium', 'the tests of pages');
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
