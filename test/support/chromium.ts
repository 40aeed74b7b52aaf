// A real browser for tests of pages: the machine's own Chromium. Where there is none and
// Debian's packages can be had, it is installed once, and that is said.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** A context of its own, closed after the test. It reaches this machine and nothing else. */
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

const run = promisify(execFile);

/** Null where there is a browser, or could be installed; else the reason why there is none. */
export async function whyNoChromium(): Promise<string | null> {
  return findChromium().then(
    () => null,
    (error: Error) => error.message,
  );
}

async function findChromium(): Promise<string> {
  const found = process.env.DEEPWORK_CHROMIUM ?? onPath();
  if (found !== undefined) return found;
  process.stderr.write('Installing Chromium with apt-get, for the tests of pages …\n');
  try {
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
      maxBuffer: 64 * 1024 * 1024,
    });
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
