// An exported run in a real browser, opened from the disk: it plays without network, compares two
// points, and whatever agents and files say stays text.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

await needChromium();

const EVIL = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1"> & "'`;

/** Everything that a run can say says something evil. */
async function exportedRun(): Promise<{ readonly project: Project; readonly file: string }> {
  const paper = 'evil<b>.md';
  const project = newProject({ [paper]: 'bad\n', 'b.md': 'B\n' });
  const one = {
    type: 'file',
    description: EVIL,
    required: true,
    rules: [{ type: 'contains', value: 'good', message: `It is not good: ${EVIL}` }],
  };
  writeJob(
    project,
    'demo',
    {
      a: { name: `First ${EVIL}`, description: EVIL, outputs: { one } },
      b: { name: 'Second', outputs: { two: 'file' } },
      c: { name: 'Third', outputs: {}, when: { var: EVIL, equals: EVIL } },
      d: { name: 'Fourth', outputs: {} },
    },
    { main: ['a', ['b', 'c'], 'd'] },
  );
  const server = await connect(project.root, { args: ['--agent', 'worker'] });
  await server.ok('start_workflow', {
    goal: `Get it done ${EVIL}`,
    job_name: 'demo',
    workflow_name: 'main',
  });
  await server.ok('finished_step', { outputs: { one: paper }, notes: EVIL });
  project.write(paper, 'good\n');
  await server.ok('finished_step', { outputs: { one: paper }, notes: EVIL });
  await server.ok('finished_step', { outputs: { two: 'b.md' } });
  await server.ok('go_to_step', { step_id: 'a' });
  await server.ok('finished_step', { outputs: { one: paper } });
  await server.ok('abort_workflow', { explanation: `No more ${EVIL}` });
  await server.close();
  const ran = await command(['export', 'last', '-o', 'out.html'], { cwd: project.root });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return { project, file: path.join(project.root, 'out.html') };
}

async function openFile(file: string): Promise<{ page: Page; requests: string[]; said: string[] }> {
  const browser = await openBrowser();
  await browser.setOffline(true);
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const requests: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, said };
}

const stateOf = (page: Page, step: string) =>
  page.locator(`.wide [data-step="${step}"]`).getAttribute('data-state');

test('an exported run opens without network, plays, compares two points, and fits a phone', async () => {
  verifies('BOARD-5');
  const { file, project } = await exportedRun();
  const { page, requests, said } = await openFile(file);
  const at = () => page.locator('#where').textContent();
  expect(await at()).toBe('Event 7 of 7');
  await page.getByRole('button', { name: 'First event' }).click();
  expect([await at(), await stateOf(page, 'a')]).toEqual(['Event 1 of 7', 'current']);
  await page.getByRole('slider', { name: 'Event' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await stateOf(page, 'a')).toBe('failed');
  await page.getByLabel('Speed').selectOption('fast');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByText('Event 7 of 7').waitFor();
  await page.getByLabel('From', { exact: true }).selectOption({ index: 1 });
  await page.getByLabel('To', { exact: true }).selectOption({ index: 3 });
  const changes = (await page.locator('#changes li').allTextContents()).join('\n');
  expect(changes).toContain('Step Second: to do → accepted');
  await page.setViewportSize({ width: 360, height: 800 });
  const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(width)).toBe(0);

  // Whatever agents and files say has stayed text.
  for (const index of [1, 4, 6]) await page.locator('#timeline button').nth(index).click();
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await page.locator('img, iframe, b:has-text("md")').count()).toBe(0);
  expect(await page.locator('.goal').textContent()).toBe(`Get it done ${EVIL}`);
  expect(requests).toEqual([pathToFileURL(file).href]);
  expect(said).toEqual([]);

  const drawn = await command(['graph', 'last', '--format', 'html'], { cwd: project.root });
  project.write('graph.html', drawn.stdout);
  const graph = await openFile(project.path('graph.html'));
  expect(await graph.page.evaluate('window.hacked')).toBeUndefined();
  expect(await graph.page.locator('script, img').count()).toBe(0);
  expect(graph.said).toEqual([]);
  expect(readFileSync(file, 'utf8')).toContain("default-src 'none'");
});
