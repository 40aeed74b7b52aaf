// Unattended runs on the page of a real server: started there, watched, and stopped.

import { expect, test } from 'vitest';
import { ISSUE, TRIAGE_INPUTS } from '../language/support.ts';
import { journalOf, newLanguageScene, scripted, turnsOf, typesOf } from '../run/support.ts';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { serveOverHttp } from '../support/http.ts';
import { trust } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await needChromium();

test('a person starts a run with its inputs, sees what it spends, and stops it', async () => {
  verifies('BOARD-3', 'LANG-1');
  const command = JSON.stringify(scripted('honest@0.25', 'hang').replaceAll("'", ''));
  const agents = `  agents:\n    - name: worker\n      command: ${command}\n`;
  const scene = newLanguageScene({
    entries: ['fix', 'publish'],
    steps: { fix: 'Fix {{ inputs.issue }}.', publish: 'Publish it.' },
    inputs: TRIAGE_INPUTS,
    config: `${agents}run:\n  agent: worker\n  max_usd: 2\n`,
  });
  const cwd = scene.project.root;
  await trust(cwd, scene.home, '--yes');
  const env = { AGENT_NOTES: scene.notes };
  const { url } = await serveOverHttp(cwd, { home: scene.home, env });
  const page = await (await openBrowser()).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/#/workflows`);
  const workflow = page.locator('details.workflow', { hasText: 'All of it' }).first();
  await workflow.locator('summary').click();
  const severity = workflow.getByLabel(/^severity/);
  expect(await severity.inputValue()).toBe('low');
  expect(await severity.locator('option').allTextContents()).toEqual(['low', 'high']);
  const issue = workflow.getByLabel(/^issue.*\(required\)$/);
  await workflow.getByLabel('Run it unattended').fill('From the page');
  await issue.fill('no address');
  await workflow.getByLabel(/^count/).fill('3');
  await workflow.getByLabel(/^strict/).check();
  const start = workflow.getByRole('button', { name: 'Start the run' });
  await start.click();
  await workflow.getByText("Input 'issue': must match").waitFor();
  expect(journalOf(scene, 'session')).toEqual([]);
  await issue.fill(ISSUE);
  await start.click();

  const part = page.getByRole('region', { name: 'Unattended' });
  await part.getByText('0.25 of 2 dollars').waitFor();
  const inputs = { count: 3, issue: ISSUE, severity: 'low', strict: true };
  expect(journalOf(scene, 'session')[0]?.data.inputs).toEqual(inputs);
  await until(() => turnsOf(scene).length === 2);
  await part.getByRole('button', { name: 'Stop; can be resumed' }).click();
  await part.getByText(/^Stopped: .* stopped it/).waitFor();
  expect(typesOf(journalOf(scene, 'run')).slice(-3)).toEqual([
    ...['stop_asked', 'turn_ended', 'run_stopped'],
  ]);
});
