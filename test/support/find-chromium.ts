// The machine's own Chromium, for tests and measurements of pages. If there is none and Debian's
// packages are available, it is installed once, with a message.
//
// Chromium without its user interface (`chromium-headless-shell`) comes first: it renders and runs
// pages with the same code in half of the processor time. DEEPWORK_CHROMIUM names another one.

import { spawnSync } from 'node:child_process';
import { installPackage } from './install-package.ts';

const HEADLESS = 'chromium-headless-shell';
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome'];

export async function findChromium(): Promise<string> {
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
