// An exported run in a real browser, opened from the disk: it plays without network, compares two
// points, and whatever agents and files say stays text.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
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

describe('an exported run', () => {
  test('opens without network, plays, and compares two points', async () => {
    verifies('BOARD-5');
    const { file } = await exportedRun();
    const { page, requests, said } = await openFile(file);
    // As it ended.
    expect(await page.locator('#where').textContent()).toBe('Event 7 of 7');
    expect(await page.locator('#happened').textContent()).toContain('Aborted');

    // Event by event, by button, slider and keyboard.
    await page.getByRole('button', { name: 'First event' }).click();
    expect(await page.locator('#where').textContent()).toBe('Event 1 of 7');
    expect([await stateOf(page, 'a'), await stateOf(page, 'b')]).toEqual(['current', 'to_do']);
    await page.getByRole('button', { name: 'One event on' }).click();
    expect(await stateOf(page, 'a')).toBe('failed');
    expect(await page.locator('#feedback').textContent()).toContain('It is not good');
    await page.getByRole('slider', { name: 'Event' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await stateOf(page, 'a')).toBe('accepted');
    expect([await stateOf(page, 'b'), await stateOf(page, 'c')]).toEqual(['current', 'skipped']);
    expect(await page.locator('.wide [data-step="b"] .dw-mark').textContent()).toBe('▶');
    await page.getByRole('button', { name: /^Event 5,/ }).click();
    expect(await page.locator('#timeline > li[aria-current]').textContent()).toContain('Went back');
    expect([await stateOf(page, 'a'), await stateOf(page, 'b')]).toEqual(['current', 'to_do']);

    // By itself, from the beginning to the end.
    await page.getByRole('button', { name: 'First event' }).click();
    await page.getByLabel('Speed').selectOption('fast');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText('Event 7 of 7').waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await page.locator('.wide .dw-end').getAttribute('data-state')).toBe('failed');

    // What changed between two points.
    const changes = () => page.locator('#changes li').allTextContents();
    await page.getByLabel('From', { exact: true }).selectOption({ index: 1 });
    await page.getByLabel('To', { exact: true }).selectOption({ index: 3 });
    const listed = (await changes()).join('\n');
    expect(listed).toContain(`: failed → accepted`);
    expect(listed).toContain('Step Second: to do → accepted');
    expect(listed).toMatch(/Output a\.one: evil<b>\.md \([0-9a-f]{8}\)/);
    expect(listed).toContain('Feedback resolved:');
    await page.getByRole('button', { name: /^Event 4,/ }).click();
    await page.getByRole('button', { name: 'From this event' }).click();
    expect(await changes()).toEqual(['Nothing changed between them.']);
    await page.getByLabel('To', { exact: true }).selectOption({ index: 4 });
    expect((await changes()).join('\n')).toContain('→ no longer counts');

    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(said).toEqual([]);
  });

  test('shows everything that agents and files say as text', async () => {
    verifies('BOARD-5');
    const { file, project } = await exportedRun();
    const { page, said } = await openFile(file);
    for (let index = 0; index < 7; index++) {
      await page.locator('#timeline button').nth(index).click();
      await page.getByLabel('To', { exact: true }).selectOption({ index });
    }
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img, iframe, b:has-text("md")').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(2);
    expect(await page.locator('.goal').textContent()).toBe(`Get it done ${EVIL}`);
    expect(await page.locator('#happened').textContent()).toContain('Aborted');
    expect(await page.locator('body').textContent()).toContain(`No more ${EVIL}`);
    expect(said).toEqual([]);

    const drawn = await command(['graph', 'last', '--format', 'html'], { cwd: project.root });
    project.write('graph.html', drawn.stdout);
    const graph = await openFile(project.path('graph.html'));
    expect(await graph.page.evaluate('window.hacked')).toBeUndefined();
    expect(await graph.page.locator('script, img').count()).toBe(0);
    expect(await graph.page.locator('ol li b').first().textContent()).toContain('First </script>');
    expect(graph.said).toEqual([]);
  });

  test('fits a phone', async () => {
    verifies('BOARD-5');
    const { file } = await exportedRun();
    const { page } = await openFile(file);
    for (const width of [360, 800, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      const over = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([width, over]).toEqual([width, 0]);
      expect(await page.locator('svg:visible').count()).toBe(1);
    }
  });
});

test('an export is written to the path that was given, and says so', async () => {
  verifies('BOARD-5');
  const { project, file } = await exportedRun();
  const html = readFileSync(file, 'utf8');
  expect(html).toContain("default-src 'none'");
  expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  const ran = await command(['export', 'last'], { cwd: project.root });
  const name = path.basename(ran.stdout.trim());
  expect(name).toMatch(/^run-[0-9a-f]{8}\.html$/);
  expect(readFileSync(project.path(name), 'utf8')).toBe(html);
  const unknown = await command(['export', 'zzz'], { cwd: project.root });
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(await command(['export'], { cwd: project.root })).toMatchObject({ code: 2 });
});
