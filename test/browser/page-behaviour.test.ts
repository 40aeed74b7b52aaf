// How the page behaves while one uses it: hostile text stays text, one connection serves all tabs,
// lists hold still, what was seen or typed is not lost.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { type Fixture, type FixtureServer, serveFixture } from './support/fixture-server.ts';
import { untilKept } from './support/kept.ts';
import {
  sampleDetail,
  sampleMessages,
  sampleProject,
  sampleQuestion,
  sampleRun,
} from './support/sample-data.ts';
import { VIEWS } from './support/views.ts';

await needChromium();

const HOSTILE = `<script>window.hacked = 1</script><img src=x onerror="window.hacked=2"><b>bold</b>"'&amp;`;

/** Replaces every text of a value, except where the page would not know it any more. */
function spoilt<T>(value: T, key = ''): T {
  const KEPT = [
    ...['session_id', 'parent_session_id', 'status', 'state', 'kind', 'type', 'id', 'drawing_svg'],
    ...['at', 'started_at', 'last_activity_at', 'ended_at', 'asked_at', 'sha256', 'questions'],
  ];
  if (KEPT.includes(key)) return value;
  if (typeof value === 'string') return `${HOSTILE} ${value}` as T;
  if (Array.isArray(value)) return value.map((each) => spoilt(each)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      // Paths and names of outputs are keys.
      key === 'files' || key === 'outputs' ? `${HOSTILE}${name}` : name,
      key === 'files' ? each : spoilt(each, name),
    ]),
  ) as T;
}

async function open(server: FixtureServer, hash: string, page?: Page): Promise<Page> {
  const opened = page ?? (await (await openBrowser()).newPage());
  await opened.goto(`${server.url}/${hash}`);
  return opened;
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

describe('the page', () => {
  test('shows scripts in any field as text', async () => {
    const data = sampleProject();
    const runs = Object.fromEntries(
      Object.entries(data.runs).map(([id, run]) => [id, spoilt(run)]),
    );
    const hostile: Fixture = {
      board: { ...spoilt(data.board), questions: spoilt(data.board.questions, 'list') },
      runs,
      questions: spoilt(data.questions, 'list'),
      messages: spoilt(data.messages, 'list'),
      definitions: spoilt(data.definitions),
      files: Object.fromEntries(Object.keys(data.files).map((sha) => [sha, HOSTILE])),
    };
    const server = await serveFixture(hostile);
    const page = await open(server, '#/runs');
    const refused: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text());
    });
    for (const [name, { hash, ready }] of Object.entries(VIEWS)) {
      await open(server, hash, page);
      await page.locator(ready).first().waitFor();
      for (const details of await page.locator('details:not([open]) > summary').all()) {
        if (await details.isVisible()) await details.click();
      }
      for (const button of await page.getByRole('button', { name: /^(?:Text|Change)$/ }).all()) {
        await button.click();
      }
      await page.getByText('<b>bold</b>').first().waitFor();
      expect(await page.evaluate('window.hacked'), name).toBeUndefined();
      expect(await page.locator('main b, main script, main img').count(), name).toBe(0);
    }
    expect(refused).toEqual([]);
  });

  test('has one connection for news however many tabs are open, and another tab takes over', async () => {
    const server = await serveFixture(sampleProject());
    const context = await openBrowser();
    const tabs = [await context.newPage(), await context.newPage(), await context.newPage()];
    for (const tab of tabs) await tab.goto(`${server.url}/#/runs`);
    for (const tab of tabs) await tab.getByText('Live').waitFor();
    expect(server.listeners()).toBe(1);
    await tabs[0]?.close();
    const { board } = server.data;
    server.data.board = {
      ...board,
      runs: [...board.runs, sampleRun('new', { goal: 'Brand new' })],
    };
    server.hint('sessions/new');
    for (const tab of tabs.slice(1)) await tab.getByText('Brand new').waitFor();
    await until(() => server.listeners() === 1);
  });

  test('keeps the order of the list under the pointer, and says that it changed', async () => {
    const server = await serveFixture(sampleProject());
    const page = await open(server, '#/runs');
    const goals = () => page.locator('.cell-goal a').allInnerTexts();
    await page.locator('.row').first().waitFor();
    const before = await goals();
    await page.locator('.row').nth(3).hover();
    const { board } = server.data;
    const runs = board.runs.map((run) =>
      run.session_id === 'd00d0001'
        ? { ...run, state: 'stalled' as const, step: 'translated_a_lot' }
        : run,
    );
    server.data.board = { ...board, runs };
    server.hint('sessions/d00d0001');
    // The row itself is up to date, in its old place.
    await page.getByText('translated_a_lot').waitFor();
    expect(await goals()).toEqual(before);
    await page.getByRole('button', { name: 'The order has changed' }).waitFor();
    await page.mouse.move(5, 5);
    await page
      .getByRole('button', { name: 'The order has changed' })
      .waitFor({ state: 'detached' });
    expect(await goals()).not.toEqual(before);
  });

  test('keeps a half-typed answer through news, another view, a reload and a closed tab', async () => {
    const server = await serveFixture(sampleProject());
    const context = await openBrowser();
    const page = await context.newPage();
    await open(server, '#/questions', page);
    const card = (on: Page) => on.locator('article', { hasText: 'Which database' });
    await card(page).getByLabel('PostgreSQL').check();
    const words = card(page).getByLabel('In your own words');
    await words.fill('because\nof <b>');
    await words.focus();

    const more = sampleQuestion('q-9', { text: 'And another thing?' });
    server.data.questions = [more, ...server.data.questions];
    server.hint('team/log');
    await page.getByText('And another thing?').waitFor();
    expect(await words.inputValue()).toBe('because\nof <b>');
    expect(await words.evaluate((element) => element.matches(':focus'))).toBe(true);
    // It came below: what one reads has not moved.
    expect(await page.locator('article .asked').allInnerTexts()).toEqual([
      ...['Which database should the new service use?', 'May the release notes be published?'],
      'And another thing?',
    ]);

    await page.goto(`${server.url}/#/runs/a1f3c2d4`);
    expect(await words.inputValue()).toBe('because\nof <b>');
    await page.reload();
    expect(await words.inputValue()).toBe('because\nof <b>');
    await page.close();
    const again = await context.newPage();
    await open(server, '#/questions', again);
    expect(await card(again).getByLabel('In your own words').inputValue()).toBe('because\nof <b>');
    expect(await card(again).getByLabel('PostgreSQL').isChecked()).toBe(true);
  });

  test('notifies of a new question once, if the person allowed it and looks elsewhere', async () => {
    const server = await serveFixture(sampleProject());
    const context = await openBrowser();
    await context.addInitScript(`
      window.notified = [];
      window.Notification = class { constructor(title, { body }) { window.notified.push(title + ': ' + body); } };
      Notification.permission = 'granted';
      Document.prototype.hasFocus = () => false;
    `);
    const tabs = [await context.newPage(), await context.newPage()];
    for (const tab of tabs) await open(server, '#/runs', tab);
    for (const tab of tabs) await tab.getByText('Live').waitFor();
    const { board } = server.data;
    const question = sampleQuestion('q-12', {
      asked_by: 'codex',
      session_id: null,
      text: 'Deploy on Friday?',
    });
    server.data.board = { ...board, questions: [...board.questions, question] };
    server.hint('team/log');
    const notified = async () =>
      (await Promise.all(tabs.map((tab) => tab.evaluate('window.notified')))).flat();
    await until(async () => (await notified()).length > 0);
    for (const tab of tabs) {
      await until(async () => (await tab.title()).startsWith('(3)'));
    }
    expect(await notified()).toEqual(['codex needs you: Deploy on Friday?']);
  });

  test('does not show one project what was seen of another on the same port', async () => {
    const server = await serveFixture(sampleProject());
    const page = await open(server, '#/runs');
    await untilKept(page, (paths) => paths.includes('/api/board'));
    await open(server, '#/team', page);
    await page.locator('.message').first().waitFor();
    server.data.board = { ...server.data.board, workspace: '/home/ada/projects/other', runs: [] };
    await page.goto('about:blank');
    await open(server, '#/runs', page);
    await page.getByText('No agent has started').waitFor();
    await untilKept(page, (paths) => !paths.includes('/api/team?limit=200'));
  });

  test('counts runs that need a person, and folds ended children away', async () => {
    const server = await serveFixture(withChildren());
    const page = await open(server, '#/runs');
    await page.getByRole('heading', { name: 'Needs you 1', exact: true }).waitFor();
    await until(async () => (await page.title()).startsWith('(1) '));
    const goals = () => page.locator('.cell-goal a').allInnerTexts();
    expect(await goals()).toEqual(['The parent', 'Working child']);
    const fold = page.getByRole('button', { name: '8 ended' });
    await fold.click();
    expect(await fold.getAttribute('aria-expanded')).toBe('true');
    expect(await goals()).toHaveLength(10);
    await open(server, '#/runs/f0000000', page);
    const relatives = page.locator('.relatives');
    await relatives.getByRole('link', { name: 'Working child' }).waitFor();
    expect(await relatives.getByRole('link').count()).toBe(1);
  });

  test('says the last feedback of a run whose agent is gone, and why a run was aborted', async () => {
    const page = await open(await serveFixture(sampleProject()), '#/runs');
    const gone = page.locator('.row', { hasText: 'Agent gone' });
    await gone.getByText('must name the seed').waitFor();
    const aborted = page.locator('.row', { hasText: 'Aborted' });
    await aborted.getByText('Reason: Not needed any more').waitFor();
    await aborted.getByRole('link').click();
    await page.getByRole('region', { name: 'Why it was aborted' }).waitFor();
  });

  test('shows in a moment of the past nothing of the present, also after a reload', async () => {
    const page = await open(await serveFixture(sampleProject()), '#/runs/c0ffee01');
    await page.locator('.relatives').getByText('Write the migration guide').waitFor();
    await page.locator('.run-facts').getByText('began 50 min ago').waitFor();
    await page.locator('.event', { hasText: 'turned down by a review' }).click();
    await page.getByText('event 5 of 9').waitFor();
    await page.reload();
    // It began 50 minutes ago, and this event was 22 minutes ago.
    await page.locator('.run-facts').getByText('28 min').waitFor();
    expect(await page.locator('.run-facts').innerText()).not.toContain('ago');
    expect(await page.locator('.relatives').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('Now · 9 events').waitFor();
  });

  test('keeps what is being read in its place when messages arrive, of however many', async () => {
    const data = { ...sampleProject(), messages: sampleMessages(20_000) };
    const server = await serveFixture(data);
    const page = await open(server, '#/team');
    const list = page.locator('.virtual');
    await list.locator('.message').first().waitFor();
    await list.evaluate((element) => {
      element.scrollTop = 3000;
    });
    await page.waitForTimeout(300);
    const key = await list.locator('[data-key]').nth(8).getAttribute('data-key');
    const message = list.locator(`[data-key="${key}"]`);
    const before = await message.boundingBox();
    server.data.messages = [...sampleMessages(20_007).slice(0, 7), ...server.data.messages];
    server.hint('team/log');
    await list.locator('[aria-setsize="207"]').first().waitFor();
    expect(await message.boundingBox()).toEqual(before);
    expect(await list.locator('.message').count()).toBeLessThan(100);
  });
});
