// Every view, light, dark and on a phone: what axe finds, that nothing is wider than the screen,
// and, if asked for, a picture of it to look at.

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { verifies } from '../verifies.ts';
import { serveFixture } from './support/fixture-server.ts';
import { sampleProject } from './support/sample-data.ts';
import { LOOKS, takePicture, VIEWS } from './support/views.ts';

await needChromium();

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Of a theme only contrast depends; all other rules have judged the same elements in the other one. */
const DARK_RULES = ['color-contrast'];

async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's own policy would refuse the script as an element. Views share a document.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as {
    readonly violations: readonly Finding[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
}

/** What is closed at first is looked at, too. */
async function openParts(page: Page, name: string): Promise<void> {
  if (name === 'workflows') await page.locator('.workflow summary').first().click();
  if (name !== 'run') return;
  await page.locator('#step-choose_storage').getByRole('button', { name: 'Change' }).click();
  await page.locator('.diff').waitFor();
}

describe.each(LOOKS)('$look', ({ look, scheme, width, height }) => {
  test('axe has no serious findings, and nothing is wider than the screen', async () => {
    verifies('BOARD-3');
    const rules = scheme === 'dark' ? DARK_RULES : undefined;
    const { url } = await serveFixture(sampleProject());
    const page = await (await openBrowser()).newPage();
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    for (const [name, { hash, ready }] of Object.entries(VIEWS)) {
      await page.goto(`${url}/${hash}`);
      await page.locator(ready).first().waitFor();
      await openParts(page, name);
      expect(await seriousFindings(page, rules), name).toEqual([]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, name).toBeLessThanOrEqual(0);
      await takePicture(page, `${name}-${look}`);
    }
    await page.goto(`${url}/#/runs/a1f3c2d4?at=5`);
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('dialog').getByLabel('Reason').waitFor();
    expect(await seriousFindings(page, rules), 'dialog').toEqual([]);
    await takePicture(page, `dialog-${look}`);
    await page.keyboard.press('Escape');
    await page.getByText('event 5 of 9').waitFor();
    await page.locator('.part-steps').scrollIntoViewIfNeeded();
    expect(await seriousFindings(page, rules), 'past').toEqual([]);
    await takePicture(page, `past-${look}`);
  }, 90_000);
});

test('an empty project says what to do next in each view', async () => {
  const data = sampleProject();
  const { url } = await serveFixture({
    ...data,
    board: { ...data.board, runs: [], questions: [], team: null },
    questions: [],
    messages: [],
    definitions: { jobs: [], guides: [], can_start: false },
  });
  const page = await (await openBrowser()).newPage();
  for (const name of ['runs', 'questions', 'team', 'workflows']) {
    await page.goto(`${url}/#/${name}`);
    await page.locator('.empty p').first().waitFor();
    expect(await seriousFindings(page), name).toEqual([]);
    await takePicture(page, `${name}-empty`);
  }
});
