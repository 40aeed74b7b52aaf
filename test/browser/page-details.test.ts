// What the page says of runs, and leaves out: counts, reasons, moments of the past, long texts.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { type Fixture, serveFixture } from './support/fixture-server.ts';
import { sampleDetail, sampleProject, sampleQuestion, sampleRun } from './support/sample-data.ts';

await needChromium();

async function openPage(data: Fixture, hash: string): Promise<Page> {
  const { url } = await serveFixture(data);
  const page = await (await openBrowser()).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/${hash}`);
  return page;
}

/** A run that needs a person, with children: eight that ended and one at work. */
function withChildren(): Fixture {
  const data = sampleProject();
  const parent = sampleRun('f0000000', { goal: 'The parent', state: 'stalled' });
  const child = { parent_session_id: 'f0000000', status: 'completed' } as const;
  const ended = Array.from({ length: 8 }, (_, index) =>
    sampleRun(`f000000${index + 1}`, { ...child, goal: `Ended child ${index + 1}` }),
  );
  const working = sampleRun('f0000009', { ...child, status: 'active', goal: 'Working child' });
  const runs = [parent, ...ended, working];
  return {
    ...data,
    board: { ...data.board, runs, questions: [] },
    runs: Object.fromEntries(runs.map((run) => [run.session_id, sampleDetail(run)])),
    questions: [],
  };
}

describe('the list of runs', () => {
  test('counts runs that need a person, and folds ended children away', async () => {
    const page = await openPage(withChildren(), '#/runs');
    await page.getByRole('heading', { name: 'Needs you 1', exact: true }).waitFor();
    const goals = () => page.locator('.cell-goal a').allInnerTexts();
    expect(await goals()).toEqual(['The parent', 'Working child']);
    const fold = page.getByRole('button', { name: '8 ended' });
    await fold.click();
    expect(await fold.getAttribute('aria-expanded')).toBe('true');
    expect(await goals()).toHaveLength(10);
    await fold.click();
    expect(await goals()).toHaveLength(2);
    await until(async () => (await page.title()).startsWith('(1) '));
  });

  test('says the last feedback of a run whose agent is gone, and why a run was aborted', async () => {
    const page = await openPage(sampleProject(), '#/runs');
    const gone = page.locator('.row', { hasText: 'Agent gone' });
    await gone.getByText('must name the seed').waitFor();
    await gone.getByText("The agent's process is gone").waitFor();
    const aborted = page.locator('.row', { hasText: 'Aborted' });
    await aborted.getByText('Reason: Not needed any more').waitFor();
    await aborted.getByRole('link').click();
    await page.getByRole('region', { name: 'Why it was aborted' }).waitFor();
  });

  test('is where a page without questions leads, if runs need the person', async () => {
    const page = await openPage(withChildren(), '#/questions');
    await page.getByRole('heading', { name: 'No open questions' }).waitFor();
    await page.getByRole('link', { name: '1 run needs you' }).click();
    await page.getByRole('heading', { name: 'Needs you 1', exact: true }).waitFor();
  });

  test('and questions of no listed run are counted in the title, none of them twice', async () => {
    const data = sampleProject();
    // One is of a run that waits; another run needs the person for another reason.
    const questions = [sampleQuestion('q-7'), sampleQuestion('q-20', { session_id: null })];
    const page = await openPage({ ...data, board: { ...data.board, questions } }, '#/runs');
    await until(async () => (await page.title()).startsWith('(3) '));
  });
});

describe('the page of a run', () => {
  test('folds ended children away in its header, and active ones are seen', async () => {
    const page = await openPage(withChildren(), '#/runs/f0000000');
    const relatives = page.locator('.relatives');
    await relatives.getByRole('link', { name: 'Working child' }).waitFor();
    expect(await relatives.getByRole('link').count()).toBe(1);
    await relatives.getByText('8 ended').click();
    await relatives.getByRole('link', { name: 'Ended child 8' }).waitFor();
  });

  test('shows in the past nothing of the present', async () => {
    const page = await openPage(sampleProject(), '#/runs/c0ffee01');
    await page.locator('.relatives').getByText('Write the migration guide').waitFor();
    await page.locator('.run-facts').getByText('began 50 min ago').waitFor();
    await page.locator('.event', { hasText: 'turned down by a review' }).click();
    await page.getByText('event 5 of 9').waitFor();
    // It began 50 minutes ago, and this event was 22 minutes ago.
    await page.locator('.run-facts').getByText('28 min').waitFor();
    expect(await page.locator('.run-facts').innerText()).not.toContain('ago');
    expect(await page.locator('.relatives').count()).toBe(0);
  });

  test('offers a change only if both texts are there', async () => {
    const data = sampleProject();
    const { 'sha-before': _, ...files } = data.files;
    const page = await openPage({ ...data, files }, '#/runs/a1f3c2d4');
    const latest = page.locator('#step-choose_storage .submission').first();
    await latest.getByText('change not kept').waitFor();
    expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(0);
    await latest.getByRole('button', { name: 'Text' }).click();
    await latest.getByText('owned by Finance Ops').waitFor();
  });

  test('keeps the lines of a text in an event, folds a long one, and names the step', async () => {
    const data = sampleProject();
    const run = data.runs.a1f3c2d4;
    if (run === undefined) throw new Error('no such run');
    const feedback = '1. Read it.\n2. Compare it.\n3. Judge it.\n4. Report.';
    const events = run.events.map((event) => {
      if (event.seq !== 5) return event;
      const text = `'facts' handed in\n${feedback.replaceAll('\n', ' ')}`;
      return { ...event, by: '', text, data: { failed: [{ feedback }] } };
    });
    data.runs.a1f3c2d4 = { ...run, events };
    const page = await openPage(data, '#/runs/a1f3c2d4');
    const event = page.locator('.timeline li', { hasText: 'handed in' });
    const shown = () => event.locator('.event-text').innerText();
    await event.scrollIntoViewIfNeeded();
    // What is outside of the screen has no text yet.
    await until(async () => (await shown()) !== '');
    expect(await shown()).toBe(
      "'facts' handed in\n1. Read it.\n2. Compare it. …\nstep choose_storage",
    );
    await event.getByRole('button', { name: 'more' }).click();
    expect(await shown()).toBe(`'facts' handed in\n${feedback}\nstep choose_storage`);
    await event.getByRole('button', { name: 'less' }).click();
    expect(await shown()).not.toContain('4. Report.');
  });

  test.each([1440, 780, 390])(
    'has each step on one line with its caret, and states of one width, at %i px',
    async (width) => {
      const page = await openPage(sampleProject(), '#/runs/a1f3c2d4');
      await page.setViewportSize({ width, height: 900 });
      const summaries = page.locator('.step > summary');
      await summaries.first().waitFor();
      const boxes = (await page.evaluate(`
        [...document.querySelectorAll('.step > summary')].map((summary) => ({
          title: summary.querySelector('.step-title').getBoundingClientRect().height,
          isShort: !summary.textContent.includes('submissions'),
          height: summary.getBoundingClientRect().height,
          caret: getComputedStyle(summary, '::after').gridRowStart,
          state: Math.round(summary.querySelector('.state').getBoundingClientRect().width),
        }))
      `)) as {
        title: number;
        isShort: boolean;
        height: number;
        caret: string;
        state: number;
      }[];
      expect(boxes.length).toBe(6);
      expect(new Set(boxes.map(({ state }) => state)).size).toBe(1);
      for (const { title, isShort, height, caret } of boxes) {
        // One line, its padding and its border.
        if (isShort) expect(height).toBeLessThan(Math.max(title, 24) + 20);
        expect(caret).toBe('1');
      }
      await page.goto(page.url().replace(/#.*/, '#/runs'));
      await page.locator('.row .state').first().waitFor();
      const widths = (await page.evaluate(
        "[...document.querySelectorAll('.row .state')].map((each) => each.getBoundingClientRect().width)",
      )) as number[];
      expect(widths.map(Math.round)).toEqual(widths.map(() => Math.round(widths[0] ?? 0)));
    },
  );
});

test('a team that is not there is not promised', async () => {
  const data = sampleProject();
  const page = await openPage({ ...data, board: { ...data.board, team: null } }, '#/team');
  await page.getByText('No team here yet').waitFor();
});
