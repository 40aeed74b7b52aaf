// The page of a server that requires tokens: a browser that was signed in sees and does everything
// that the page offers, also in a new tab; one that was not sees nothing.

import { expect, onTestFinished, test } from 'vitest';
import { attach } from '../../src/launch/attach.ts';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { readRegistration } from '../support/launch.ts';
import { verifies } from '../verifies.ts';
import { untilPageKept } from './support/kept.ts';
import { projectWithJob } from './support/scripted-agent.ts';

await needChromium();

test('a browser that was signed in gets the page, live', async () => {
  verifies('BOARD-3');
  const project = projectWithJob();
  project.write('.deepwork/config.yml', 'git: {branch: off}\nteam: {tokens: true}\n');
  const server = await serveHttpInProcess(project.root, {
    env: { DEEPWORK_TOKEN: 'o'.repeat(40) },
  });
  const { content } = readRegistration(server.home);
  const lease = await attach(
    { number: 1, launched: false, url: content.url as string, pass: content.pass as string },
    { identity: 'coordinator', timeoutMs: 5000, isDashboard: true },
  );
  if (lease === null) throw new Error('the server did not answer');
  onTestFinished(() => lease.end());

  const stranger = await (await openBrowser()).newPage();
  expect((await stranger.goto(server.url))?.status()).toBe(401);

  const context = await openBrowser();
  const page = await context.newPage();
  await page.goto(`${server.url}/sign-in?code=${lease.code}`);
  await page.getByText('Live').waitFor();
  await page.getByText('No agent has started a workflow here yet').waitFor();
  // The service worker and its requests are let in, too.
  await untilPageKept(page);
  await page.reload();
  await page.getByText('Live').waitFor();
  const other = await context.newPage();
  await other.goto(`${server.url}/#/workflows`);
  await other.getByText('Runs main').waitFor();

  // What the server forgot is not shown from memory, and the page says what to do.
  await context.clearCookies();
  await other.goto(`${server.url}/#/team`);
  await other.getByText('This page needs a new address').waitFor();
});
