// The page at the real server, beside agents that work: it shows each step as it happens, and a
// person answers, ends and sends back from it.

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { newHome, post, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, writeJob } from '../support/project.ts';
import { trust } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { untilKept, untilPageKept } from './support/kept.ts';
import { connectAgent, projectWithJob } from './support/scripted-agent.ts';

await needChromium();

async function openPage(url: string, hash = '#/runs'): Promise<Page> {
  const page = await (await openBrowser()).newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  await page.goto(`${url}/${hash}`);
  await page.getByText('Live').waitFor();
  expect(faults).toEqual([]);
  return page;
}

const row = (page: Page, goal: string) => page.locator('.row', { hasText: goal });

const QUESTION = {
  question: 'Which <database>?',
  choices: ['Postgres, with partitions', 'ClickHouse'],
  multiSelect: false,
};
const PLACES = { question: 'Where first?', choices: ['Staging', 'Canary'], multiSelect: true };

describe('the page of a real server', () => {
  beforeEach(() => verifies('BOARD-3'));

  test('a run appears, advances, is turned down by a rule and completes, all without a reload', async () => {
    const project = projectWithJob();
    const { url } = await serveHttpInProcess(project.root);
    const page = await openPage(url);
    await page.getByText('No agent has started a workflow here yet').waitFor();
    const agent = await connectAgent(url);
    await agent.start('study/main', 'Study the tides');
    await row(page, 'Study the tides').getByText('1/3').waitFor();
    await row(page, 'Study the tides').getByText('Working').waitFor();

    await agent.submit({ notes: 'notes.md' });
    await row(page, 'Study the tides').getByText('2/3 report').waitFor();
    expect((await agent.submit({ report: 'report.md' })).status).toBe('needs_work');
    await row(page, 'Study the tides').getByText('1 turned down').waitFor();
    await row(page, 'Study the tides').getByText('must name its Sources').waitFor();

    await page.getByRole('link', { name: 'Study the tides' }).click();
    const step = page.locator('#step-report');
    await step.locator('.submission').getByText('must name its Sources').waitFor();
    await page.locator('.drawing [data-step="report"]').waitFor();

    // Notes and report, as they were handed in.
    await untilKept(page, (paths) => paths.filter((each) => each.includes('/files/')).length === 2);
    project.write('report.md', '# Report\n\nIt is so.\n\n## Sources\n\nThe sea.\n');
    await agent.submit({ report: 'report.md' });
    const latest = step.locator('.submission').first();
    await latest.getByText('accepted').waitFor();
    await latest.getByRole('button', { name: 'Change' }).click();
    await latest.locator('.diff .added', { hasText: 'The sea.' }).waitFor();
    await agent.submit({});
    await page.locator('.run-facts').getByText('Done').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Ended 1' }).waitFor();
  });

  test('a check is seen while it runs, and what it said when it failed', async () => {
    const project = newProject({ 'notes.md': '# Notes\n' });
    const run = 'while [ ! -e go ]; do sleep 0.05; done; echo "1 dead link: /exports"; exit 1';
    const checks = [{ name: 'links', run }];
    writeJob(
      project,
      'study',
      { gather: { outputs: { notes: 'file' }, checks } },
      { main: ['gather'] },
    );
    const home = newHome();
    expect((await trust(project.root, home, '--yes')).code).toBe(0);
    const { url } = await serveHttpInProcess(project.root, { home });
    const agent = await connectAgent(url);
    const id = await agent.start('study/main', 'Study the tides');
    const page = await openPage(url, `#/runs/${id}`);
    const submitted = agent.submit({ notes: 'notes.md' });
    await page.locator('.run-facts').getByText('Checking').waitFor();
    project.write('go', '');
    expect((await submitted).status).toBe('needs_work');
    await page.locator('.run-facts').getByText('Working').waitFor();
    const said = page.locator('#step-gather .submission .said li', { hasText: 'links' });
    await said.getByText('1 dead link: /exports').waitFor();
    await said.getByRole('img', { name: 'failed' }).waitFor();
  });

  test('a question is answered with the mouse, and the agent goes on', async () => {
    const { url } = await serveHttpInProcess(projectWithJob().root);
    const page = await openPage(url);
    const agent = await connectAgent(url);
    await agent.start('study/main', 'Choose a database');
    const answered = agent.call('ask_user_question', { questions: [QUESTION, PLACES] });
    answered.catch(() => {});
    await row(page, 'Choose a database').getByText('Waits for you').waitFor();
    await row(page, 'Choose a database').getByText('Which <database>?').waitFor();
    // One run waits, with two questions.
    await until(async () => (await page.title()).startsWith('(1) '));
    await page.getByRole('navigation').getByRole('link', { name: 'Questions' }).click();

    await page.getByLabel('Your name').fill('Ada');
    const first = page.getByRole('article').filter({ hasText: 'Which <database>?' });
    await first.getByText('Postgres, with partitions').click();
    await first.getByRole('button', { name: 'Answer' }).click();
    const second = page.getByRole('article').filter({ hasText: 'Where first?' });
    await second.getByText('Canary').click();
    await second.getByText('Staging').click();
    await second.getByLabel('In your own words').fill('then everywhere');
    await second.getByRole('button', { name: 'Answer' }).click();
    const text = await answered;
    expect(text).toContain('1. Selected: Postgres, with partitions (q-1, dashboard,');
    expect(text).toContain('2. Selected: Staging, Canary | Other: then everywhere (q-2,');
    await page.getByText('Nothing else is being asked.').waitFor();
    await until(async () => !(await page.title()).startsWith('('));

    const dismissed = agent.call('ask_user_question', { questions: [QUESTION] });
    // An empty answer is explained and changes nothing.
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('no choice was made').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await dismissed).toContain('Dismissed without an answer: q-3.');
  });

  test('a question is answered with the keyboard alone', async () => {
    const { url } = await serveHttpInProcess(projectWithJob().root);
    const page = await openPage(url);
    const agent = await connectAgent(url);
    await agent.start('study/main', 'Choose a database');
    const answered = agent.call('ask_user_question', { questions: [QUESTION] });
    answered.catch(() => {});
    await row(page, 'Choose a database').getByText('Waits for you').waitFor();

    const focused = () =>
      page.evaluate('document.activeElement.textContent || document.activeElement.type');
    const tabTo = async (what: RegExp) => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab');
        if (what.test(String(await focused()))) return;
      }
      throw new Error(`${what} is not reached by the keyboard`);
    };
    await tabTo(/^Questions/);
    await page.keyboard.press('Enter');
    await page.getByText('Which <database>?').waitFor();
    await tabTo(/^radio$/);
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await tabTo(/^textarea$/);
    await page.keyboard.type('it is fast');
    await page.keyboard.press('Control+Enter');
    expect(await answered).toContain('Selected: ClickHouse | Other: it is fast');
  });

  test('an answer about a file that has changed is shown as void, not as done', async () => {
    const project = newProject({ 'plan.md': 'As shown\n' });
    project.write('.deepwork/config.yml', 'team:\n  question_wait_seconds: 1\n');
    const approve = { name: 'go_ahead', question: 'Good enough?', show: ['plan.plan'] };
    const workflow = { name: 'main', summary: 'All of it', steps: ['plan', { approve }] };
    const plan = { outputs: { plan: 'file' } } as const;
    writeJob(project, 'study', { plan }, {}, { workflows: [workflow] });
    const { url } = await serveHttpInProcess(project.root);
    const agent = await connectAgent(url);
    await agent.start('study/main', 'Plan it');
    await agent.submit({ plan: 'plan.md' });
    await agent.submit({});
    const page = await openPage(url, '#/questions');
    const card = page.getByRole('article').filter({ hasText: 'Good enough?' });
    await card.getByText('As shown').waitFor();
    // What only the agent has to do is not asked of a person.
    expect(await page.locator('main').innerText()).not.toContain('finished_step');
    project.write('plan.md', 'Edited meanwhile\n');
    await card.getByText('Approve', { exact: true }).click();
    await card.getByRole('button', { name: 'Answer' }).click();
    const note = page.locator('.note', { hasText: 'so the answer is void' });
    expect(await note.getAttribute('class')).toBe('note need');
  });

  test('what was typed stays when someone else answers first', async () => {
    const { url } = await serveHttpInProcess(projectWithJob().root);
    agentAsks(await connectAgent(url));
    const page = await openPage(url, '#/questions');
    const words = page.getByLabel('In your own words');
    await words.fill('half a sentence');
    const other = await post(`${url}/api/questions/q-1/answer`, { choices: ['ClickHouse'] });
    expect(other.status).toBe(200);
    await page.getByText('This question is no longer open').waitFor();
    expect(await words.inputValue()).toBe('half a sentence');
  });

  test('a run is sent back and then ended, with reasons that its agent learns', async () => {
    const { url } = await serveHttpInProcess(projectWithJob().root);
    const agent = await connectAgent(url);
    const id = await agent.start('study/main', 'Study the tides');
    await agent.submit({ notes: 'notes.md' });
    const page = await openPage(url, `#/runs/${id}`);
    await page.getByRole('button', { name: 'Go back' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Step').selectOption('gather');
    await dialog.getByLabel('Reason').fill('The notes miss the moon');
    // Half a reason is kept, too.
    await page.reload();
    await page.getByRole('button', { name: 'Go back' }).click();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('The notes miss the moon');
    await dialog.getByLabel('Step').selectOption('gather');
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await page.locator('.run-facts').getByText('1 of 3').waitFor();
    await page.locator('.timeline').getByText('The notes miss the moon').waitFor();
    expect(await agent.call('get_active_workflow', {})).toContain('The notes miss the moon');

    await page.getByRole('button', { name: 'Abort' }).click();
    await dialog.getByLabel('Reason').fill('Not needed any more');
    await dialog.getByRole('button', { name: 'Abort the run' }).click();
    await page.locator('.run-facts').getByText('Aborted').waitFor();
    expect(await page.getByRole('button', { name: 'Abort …' }).count()).toBe(0);
    const told = await agent.call('finished_step', { outputs: { notes: 'notes.md' } });
    expect(told).toContain('Not needed any more');
  });

  test('a server that is killed and comes back has its page connected again, and nothing is missed', async () => {
    const project = projectWithJob();
    const first = await serveOverHttp(project.root);
    const port = String(first.port);
    const before = await connectAgent(first.url);
    await before.start('study/main', 'Before the crash');
    await before.call('send_message', { to: 'all', message: 'hello' }).catch(() => '');
    const page = await openPage(first.url);
    await row(page, 'Before the crash').waitFor();
    await untilPageKept(page);
    agentAsks(before);
    await page.getByRole('navigation').getByRole('link', { name: 'Questions' }).click();
    await page.getByLabel('In your own words').fill('half typed');
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();

    first.child.kill('SIGKILL');
    await first.ended;
    await page.getByText('Reconnecting').waitFor();
    // Even a reload shows what was seen.
    await page.reload();
    await page.getByText('The server is away').waitFor();
    await row(page, 'Before the crash').waitFor();
    await page.goto(`${first.url}/#/workflows`);
    await page.getByText('this was not seen before').waitFor();
    await page.goto(`${first.url}/#/runs`);
    const again = await serveOverHttp(project.root, {
      home: first.home,
      args: ['--port', port],
    });
    expect(again.port).toBe(first.port);
    // While the page waits before its next try.
    const after = await connectAgent(again.url);
    await after.start('study/main', 'After the crash');
    await page.getByText('Live').waitFor({ timeout: 20_000 });
    await row(page, 'After the crash').waitFor();
    await row(page, 'Before the crash').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Questions' }).click();
    expect(await page.getByLabel('In your own words').inputValue()).toBe('half typed');
  });

  test('messages, todos and progress of a team appear as they are written', async () => {
    const project = projectWithJob();
    project.write('GOAL.md', '---\nflow: |\n  coordinator -> writer\n---\n');
    const { url } = await serveHttpInProcess(project.root);
    const page = await openPage(url, '#/team');
    const coordinator = await connectAgent(url, 'coordinator');
    const writer = await connectAgent(url, 'writer');
    const sent = await coordinator.call('send_message', {
      toAgent: 'writer',
      body: 'Please write <b>the notes</b>',
    });
    expect(sent).not.toContain('Error');
    await page.getByText('Please write <b>the notes</b>').waitFor();
    await page.locator('.message').getByText('unread').waitFor();
    await writer.call('check_inbox', {});
    await page.locator('.message').getByText('unread').waitFor({ state: 'detached' });
    const todo = { id: '1', content: 'Write the notes', status: 'in_progress', priority: 'high' };
    await coordinator.call('project_todowrite', { todos: [todo] });
    await page.locator('.todos').getByText('Write the notes').waitFor();
    await page.locator('.agents').getByText('writer').waitFor();
  });
});

function agentAsks(agent: Awaited<ReturnType<typeof connectAgent>>): void {
  agent.call('ask_user_question', { questions: [QUESTION] }).catch(() => {});
}
