// The page in a real Chromium on a real server: 500 runs and 20,000 messages against a project
// with ten runs and none. How soon something is painted, how soon the list of runs is there, and
// how soon a run that an agent starts appears. And the longest task that keeps a person waiting
// while 500 runs are listed and 20,000 messages scrolled.
//
// The browser is the machine's own, or the one that DEEPWORK_CHROMIUM names.

import { chromium } from 'playwright-core';
import { startHttpServer, stopHttpServers } from '../http-wire.mjs';
import { writeMessages } from '../past-messages.mjs';
import { journalOf, renamed, runSession, writeSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, summarize } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const MANY = { runs: 500, messages: 20_000 };
const FEW = { runs: 10, messages: 0 };
const STEPS = stepIds(3);
const ROUNDS = 9;
/** What a person begins to notice as a pause. */
const MAX_TASK_MS = 200;
const WATCH_TASKS = `
window.longestTask = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    window.longestTask = Math.max(window.longestTask, duration);
  }
}).observe({ type: 'longtask', buffered: true });`;
const AGAINST = `${FEW.runs} runs, no messages`;

/** @param {import('../stage.mjs').Stage} stage */
export async function measurePage(stage) {
  const browser = await chromium.launch({
    executablePath: await stage.parts.findChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const many = await openProject(stage, browser, MANY);
    const few = await openProject(stage, browser, FEW);
    /** @param {(at: Opened) => Promise<number>} take */
    const race = (take) =>
      sampleInTurns({
        rounds: ROUNDS,
        warmUp: 2,
        ours: () => take(many),
        reference: () => take(few),
      });
    const paint = await race(firstPaint);
    const list = await race(listOfRuns);
    const news = await race(newRun);
    const tasks = [];
    for (let round = 0; round < ROUNDS; round++) tasks.push(await longestTask(many));
    const task = summarize(tasks).median;
    return [
      compared('page, first paint, 500 runs and 20,000 messages', AGAINST, paint, { must: 1.5 }),
      compared('page, all 500 runs listed', AGAINST, list),
      compared('page, a new run appears', AGAINST, news, { must: 3 }),
      limited('page, longest task with 500 runs and 20,000 messages', 'ms', task, MAX_TASK_MS),
    ];
  } finally {
    await browser.close();
    stopHttpServers();
  }
}

/**
 * @typedef {object} Opened
 * @property {import('playwright-core').Browser} browser
 * @property {string} url
 * @property {number} runs
 * @property {ReturnType<typeof startServer>} agent  in a process of its own
 */

/** @returns {Promise<Opened>} */
async function openProject(stage, browser, { runs, messages }) {
  const project = writeProject(stage.folder(`page-${runs}`), 5);
  writeJob(project, 'short', STEPS);
  const session = await runSession(stage, project, { job: 'short', steps: STEPS, until: 'end' });
  for (let number = 1; number < runs; number++) {
    const id = number.toString(16).padStart(8, '0');
    await writeSession(stage, journalOf(project), renamed(session, id));
  }
  if (messages > 0) await writeMessages(stage, project, messages);
  const agent = startServer(stage.ours(project));
  await agent.shakeHands();
  await agent.call('get_active_workflow');
  const { url } = await startHttpServer(stage.oursOverHttp(project));
  return { browser, url: url.replace(/\/mcp$/, ''), runs, agent };
}

/** @param {Opened} at */
async function firstPaint({ browser, url }) {
  const page = await browser.newPage();
  await page.goto(url);
  const entry = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null;
  const painted = await page.waitForFunction(entry);
  const milliseconds = /** @type {number} */ (await painted.jsonValue());
  await page.close();
  return milliseconds;
}

/** @param {Opened} at */
async function listOfRuns({ browser, url, runs }) {
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(`${url}/#/runs`);
  if (runs > 10) await page.getByRole('button', { name: 'Show all that ended' }).click();
  await page
    .locator('.row')
    .nth(runs - 1)
    .waitFor({ state: 'attached' });
  const milliseconds = performance.now() - began;
  await page.close();
  return milliseconds;
}

/** @param {Opened} at */
async function newRun({ browser, url, agent }) {
  const page = await browser.newPage();
  await page.goto(`${url}/#/runs`);
  await page.locator('.row').first().waitFor();
  const goal = `Appears ${Math.random()}`;
  const began = performance.now();
  await agent.call('start_workflow', { goal, job_name: 'short', workflow_name: 'main' });
  await page.getByText(goal).first().waitFor();
  const milliseconds = performance.now() - began;
  await agent.call('abort_workflow', { explanation: 'measured' });
  await page.close();
  return milliseconds;
}

/**
 * The longest that the page could not react: while all runs are listed, one more is started, and
 * messages are scrolled from page to page.
 *
 * @param {Opened} at
 */
async function longestTask({ browser, url, runs, agent }) {
  const page = await browser.newPage();
  await page.addInitScript(WATCH_TASKS);
  await page.goto(`${url}/#/runs`);
  await page.getByRole('button', { name: 'Show all that ended' }).click();
  await page
    .locator('.row')
    .nth(runs - 1)
    .waitFor({ state: 'attached' });
  const goal = `Appears ${Math.random()}`;
  await agent.call('start_workflow', { goal, job_name: 'short', workflow_name: 'main' });
  await page.getByText(goal).first().waitFor();
  await page.mouse.wheel(0, 3000);
  await agent.call('abort_workflow', { explanation: 'measured' });
  await page.goto(`${url}/#/team`);
  await page.locator('.virtual .message').first().waitFor();
  await page.locator('.virtual').evaluate(async (list) => {
    for (let times = 0; times < 50; times += 1) {
      list.scrollTop = list.scrollHeight;
      await new Promise((done) => setTimeout(done, 20));
    }
  });
  const longest = /** @type {number} */ (await page.evaluate('window.longestTask'));
  await page.close();
  return longest;
}
