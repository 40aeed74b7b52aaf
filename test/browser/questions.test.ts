// The page of questions in a real browser: a person reads what an agent asks, answers,
// and the agent's call goes on with the answer.

import { describe, expect, test } from 'vitest';
import { openBrowser, whyNoChromium } from '../support/chromium.ts';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const noBrowser = await whyNoChromium();
if (noBrowser !== null) console.warn(`Skipped: pages in a browser (${noBrowser})`);

const DATABASE = {
  question: 'Which <database>?',
  choices: ['Postgres, with partitions', 'ClickHouse'],
  multiSelect: false,
};
const PLACES = { question: 'Where first?', choices: ['Staging', 'Canary'], multiSelect: true };

/** An agent's call that waits for a person. */
async function ask(url: string, questions: readonly object[]): Promise<() => Promise<string>> {
  const client = await connectOverHttp(url);
  const call = client.callTool({ name: 'ask_user_question', arguments: { questions } });
  // A test may end before anybody has answered.
  call.catch(() => {});
  return async () => {
    const { content } = await call;
    return (content[0] as { text: string }).text;
  };
}

describe.skipIf(noBrowser !== null).each([true, false])('with scripts: %s', (javaScript) => {
  test('a person answers, and the agent goes on', async () => {
    verifies('TEAM-28');
    const { url } = await serveOverHttp(newProject().root);
    const answered = await ask(url, [DATABASE, PLACES]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    await page.getByText('Which <database>?').waitFor();

    const database = page.locator('form', { hasText: 'Which <database>?' });
    await database.getByLabel('Postgres, with partitions').check();
    await database.getByLabel('Your name').fill('Ada');
    await database.getByRole('button', { name: 'Answer' }).click();
    const places = page.locator('form', { hasText: 'Where first?' });
    await places.getByLabel('Staging').check();
    await places.getByLabel('Canary').check();
    await places.getByLabel('In your own words').fill('then everywhere');
    await places.getByRole('button', { name: 'Answer' }).click();

    const text = await answered();
    expect(text).toContain('1. Selected: Postgres, with partitions (q-1, dashboard,');
    expect(text).toContain('2. Selected: Staging, Canary | Other: then everywhere (q-2,');
    await page.getByText('Ada').first().waitFor();
  });

  test('an answer that says nothing is explained, and the question stays', async () => {
    verifies('TEAM-27');
    const { url } = await serveOverHttp(newProject().root);
    const answered = await ask(url, [DATABASE]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('no choice was made').waitFor();

    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await answered()).toContain('Dismissed without an answer: q-1.');
  });
});

test.skipIf(noBrowser !== null)(
  'what is being typed is not lost to news, and news is shown when nothing is',
  async () => {
    const { url } = await serveOverHttp(newProject().root);
    await ask(url, [DATABASE]);
    const context = await openBrowser();
    const [idle, busy] = [await context.newPage(), await context.newPage()];
    await Promise.all([idle.goto(`${url}/questions`), busy.goto(`${url}/questions`)]);
    await busy.getByLabel('In your own words').fill('half a sentence');

    await ask(url, [PLACES]);
    await idle.getByText('Where first?').waitFor({ timeout: 20_000 });
    expect(await busy.getByLabel('In your own words').first().inputValue()).toBe('half a sentence');
  },
);
