// The questions page where scripts are off: a person answers, and the agent's call continues.

import { expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { connectOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

await needChromium();

test('a person answers without scripts, and what was typed elsewhere survives each answer', async () => {
  verifies('TEAM-27', 'TEAM-28');
  const { url } = await serveHttpInProcess(newProject().root);
  const client = await connectOverHttp(url);
  const questions = [
    { question: 'Which <database>?', choices: ['Postgres', 'ClickHouse'], multiSelect: false },
    { question: 'Where first?', choices: ['Staging', 'Canary'], multiSelect: true },
  ];
  const answered = client.callTool({ name: 'ask_user_question', arguments: { questions } });
  answered.catch(() => {});
  const page = await (await openBrowser({ javaScript: false })).newPage();
  await page.goto(`${url}/questions`);
  const database = page.locator('article', { hasText: 'Which <database>?' });
  const places = page.locator('article', { hasText: 'Where first?' });
  await places.getByLabel('Canary').check();
  await places.getByLabel('In your own words').fill('\nthen\neverywhere <b>');
  await page.getByLabel('Your name').fill('Ada & "Co"');
  const isKept = async () => {
    expect(await places.getByLabel('Canary').isChecked()).toBe(true);
    const words = places.getByLabel('In your own words');
    expect(await words.inputValue()).toBe('\nthen\neverywhere <b>');
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada & "Co"');
  };
  await database.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('no choice was made').waitFor();
  await isKept();
  await database.getByLabel('ClickHouse').check();
  await database.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('Answered: q-1').waitFor();
  await isKept();
  await places.getByRole('button', { name: 'Answer' }).click();
  const { content } = await answered;
  const text = (content[0] as { text: string }).text;
  expect(text).toContain('Selected: ClickHouse');
  expect(text).toContain('Selected: Canary');
});
