// The views of the page, and pictures of them.

import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** By name: the address within the page, and what shows that it is there. */
export const VIEWS: Readonly<Record<string, { readonly hash: string; readonly ready: string }>> = {
  runs: { hash: '#/runs', ready: '.rows .row' },
  run: { hash: '#/runs/a1f3c2d4', ready: '.run-header' },
  questions: { hash: '#/questions', ready: 'article.question' },
  team: { hash: '#/team', ready: '.message' },
  workflows: { hash: '#/workflows', ready: '.workflow' },
};

export const LOOKS = [
  { look: 'light', scheme: 'light', width: 1440, height: 900 },
  { look: 'dark', scheme: 'dark', width: 1440, height: 900 },
  { look: 'phone', scheme: 'light', width: 390, height: 844 },
] as const;

const TEMPORARY = path.join(os.tmpdir(), 'deepwork-screenshots');
/** Read at once: what runs in the test's process may change the environment. */
const IS_WANTED = process.env.DEEPWORK_SCREENSHOTS !== undefined;
const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

/** Shown in README.md and docs/page.md; renewed by DEEPWORK_SCREENSHOTS=1. */
const IN_DOCS: readonly string[] = ['runs-light', 'run-dark', 'questions-phone'];

/**
 * With DEEPWORK_SCREENSHOTS=1, in the temporary folder `deepwork-screenshots`. Nothing is verified
 * by a picture, and thirty of them take as long as a small test file.
 */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!IS_WANTED) return;
  mkdirSync(TEMPORARY, { recursive: true });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(TEMPORARY, `${name}.png`) });
  if (IN_DOCS.includes(name)) {
    mkdirSync(IMAGES, { recursive: true });
    await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
  }
}
