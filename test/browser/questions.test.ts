// The questions page in a real browser: a person reads what an agent asks and answers, and the
// agent's call continues with the answer.

import { describe, expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { connectOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

await needChromium();

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
  // A test may end before the question is answered.
  call.catch(() => {});
  return async () => {
    const { content } = await call;
    return (content[0] as { text: string }).text;
  };
}

describe.each([true, false])('with scripts: %s', (javaScript) => {
  test('a person answers, and the agent continues', async () => {
    verifies('TEAM-28');
    const { url } = await serveHttpInProcess(newProject().root);
    const answered = await ask(url, [DATABASE, PLACES]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    await page.getByText('Which <database>?').waitFor();

    const database = page.locator('article', { hasText: 'Which <database>?' });
    await database.getByLabel('Postgres, with partitions').check();
    await page.getByLabel('Your name').fill('Ada');
    await database.getByRole('button', { name: 'Answer' }).click();
    const places = page.locator('article', { hasText: 'Where first?' });
    await places.getByLabel('Staging').check();
    await places.getByLabel('Canary').check();
    await places.getByLabel('In your own words').fill('then everywhere');
    await places.getByRole('button', { name: 'Answer' }).click();

    const text = await answered();
    expect(text).toContain('1. Selected: Postgres, with partitions (q-1, dashboard,');
    expect(text).toContain('2. Selected: Staging, Canary | Other: then everywhere (q-2,');
    await page.getByText('q-2 · answered by Ada · dashboard').waitFor();
    await page.getByText('q-1 · answered by Ada · dashboard').waitFor();
  });

  test('answering one question keeps the text typed into the others, and the name', async () => {
    const { url } = await serveHttpInProcess(newProject().root);
    await ask(url, [DATABASE, PLACES, { ...DATABASE, question: 'And then?' }]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    const card = (text: string) => page.locator('article', { hasText: text });
    await card('Where first?').getByLabel('Canary').check();
    await card('Where first?').getByLabel('In your own words').fill('\nhalf a\nsentence <b>');
    await card('And then?').getByLabel('ClickHouse').check();
    await page.getByLabel('Your name').fill('Ada & "Co"');
    await card('Which <database>?').getByLabel('ClickHouse').check();
    await card('Which <database>?').getByRole('button', { name: 'Answer' }).click();

    const kept = async () => {
      const places = card('Where first?');
      expect(await places.getByLabel('Canary').isChecked()).toBe(true);
      expect(await places.getByLabel('Staging').isChecked()).toBe(false);
      const words = await places.getByLabel('In your own words').inputValue();
      expect(words).toBe('\nhalf a\nsentence <b>');
      expect(await page.getByLabel('Your name').inputValue()).toBe('Ada & "Co"');
    };
    await page.getByText('Answered: q-1').waitFor();
    await kept();
    expect(await card('And then?').getByLabel('ClickHouse').isChecked()).toBe(true);

    // A refused answer keeps them, too, and so does the next one.
    await card('And then?').getByLabel('In your own words').fill(' ');
    await card('And then?').getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Dismissed: q-3').waitFor();
    await kept();
    await card('Where first?').getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Nothing is being asked').waitFor();
    await page.getByText('q-2 · answered by Ada & "Co"').waitFor();

    // The browser remembers the name for the next question.
    await ask(url, [DATABASE]);
    await page.goto(`${url}/questions`);
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada & "Co"');
  });

  test('a refused answer keeps everything that was typed', async () => {
    const { url } = await serveHttpInProcess(newProject().root);
    await ask(url, [DATABASE, PLACES]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    await page.locator('#q-2').getByLabel('In your own words').fill('not lost');
    await page.locator('#q-1').getByRole('button', { name: 'Answer' }).click();
    await page.getByText('no choice was made').waitFor();
    expect(await page.locator('#q-2').getByLabel('In your own words').inputValue()).toBe(
      'not lost',
    );
  });

  test('Enter answers nothing and loses nothing: only a button answers', async () => {
    const { url } = await serveHttpInProcess(newProject().root);
    await ask(url, [DATABASE]);
    const page = await (await openBrowser({ javaScript })).newPage();
    const answers: string[] = [];
    page.on('request', (request) => {
      if (/answer|dismiss/.test(request.url())) answers.push(request.url());
    });
    await page.goto(`${url}/questions`);
    await page.getByLabel('ClickHouse').check();
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Your name').press('Enter');
    await page.getByLabel('ClickHouse').press('Enter');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('q-1 · answered by Ada').waitFor();
    expect(await page.locator('.said').innerText()).toBe('ClickHouse');
    expect(answers.filter((each) => each.endsWith('/answer'))).toHaveLength(1);
  });

  test('an empty answer is explained, and the question stays open', async () => {
    verifies('TEAM-27');
    const { url } = await serveHttpInProcess(newProject().root);
    const answered = await ask(url, [DATABASE]);
    const page = await (await openBrowser({ javaScript })).newPage();
    await page.goto(`${url}/questions`);
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('no choice was made').waitFor();

    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await answered()).toContain('Dismissed without an answer: q-1.');
  });
});

test('typed text survives news, and news appears at once if nothing was typed', async () => {
  const { url } = await serveHttpInProcess(newProject().root);
  await ask(url, [DATABASE]);
  const context = await openBrowser();
  const [idle, busy] = [await context.newPage(), await context.newPage()];
  await Promise.all([idle.goto(`${url}/questions`), busy.goto(`${url}/questions`)]);
  await busy.getByLabel('In your own words').fill('half a sentence');

  await ask(url, [PLACES]);
  await idle.getByText('Where first?').waitFor({ timeout: 20_000 });
  const words = busy.locator('#q-1').getByLabel('In your own words');
  expect(await words.inputValue()).toBe('half a sentence');

  // The news can be shown without losing the text.
  await busy.getByRole('button', { name: 'Show it' }).click({ timeout: 20_000 });
  await busy.getByText('Where first?').waitFor();
  expect(await words.inputValue()).toBe('half a sentence');
  expect(busy.url()).toBe(`${url}/questions`);
});
