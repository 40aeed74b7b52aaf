// Unattended runs on the page of a real server: started there, watched, and stopped.

import { describe, expect, test } from 'vitest';
import { ISSUE, TRIAGE_INPUTS } from '../language/support.ts';
import {
  journalOf,
  newLanguageScene,
  newScene,
  runnerOf,
  scripted,
  turnsOf,
  typesOf,
} from '../run/support.ts';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { serveOverHttp } from '../support/http.ts';
import { isAlive } from '../support/server-process.ts';
import { trust } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await needChromium();

describe('an unattended run on the page', () => {
  test('a person starts it, sees what it spends, and stops it', async () => {
    verifies('BOARD-3');
    const command = JSON.stringify(scripted('honest@0.25', 'hang').replaceAll("'", ''));
    const agents = `team:\n  agents:\n    - name: worker\n      command: ${command}\n`;
    const scene = newScene(['draft', 'publish'], `run:\n  agent: worker\n  max_usd: 2\n${agents}`);
    const cwd = scene.project.root;
    await trust(cwd, scene.home, '--yes');
    const env = { AGENT_NOTES: scene.notes };
    const { url } = await serveOverHttp(cwd, { home: scene.home, env });
    const page = await (await openBrowser()).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/#/workflows`);
    const workflow = page.locator('details.workflow', { hasText: 'Runs main' }).first();
    await workflow.locator('summary').click();
    await workflow.getByLabel('Run it unattended').fill('From the page');
    await workflow.getByRole('button', { name: 'Start the run' }).click();

    const part = page.getByRole('region', { name: 'Unattended' });
    await part.getByText('0.25 of 2 dollars').waitFor();
    await part.getByText("Turn 2 of worker began at 'publish'").waitFor();
    await until(() => turnsOf(scene).length === 2);
    await part.getByRole('button', { name: 'Stop; can be resumed' }).click();
    await part.getByText(/^Stopped: .* stopped it/).waitFor();
    await part.getByText('deepwork run --resume').waitFor();
    expect(typesOf(journalOf(scene, 'run')).slice(-3)).toEqual([
      ...['stop_asked', 'turn_ended', 'run_stopped'],
    ]);
  });

  test('the form asks for the declared inputs, each in its way', async () => {
    verifies('BOARD-3', 'LANG-1');
    const command = JSON.stringify(scripted('honest').replaceAll("'", ''));
    const agents = `  agents:\n    - name: worker\n      command: ${command}\n`;
    const scene = newLanguageScene({
      entries: ['fix'],
      steps: { fix: 'Fix {{ inputs.issue }}.' },
      inputs: TRIAGE_INPUTS,
      config: `${agents}run:\n  agent: worker\n`,
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
    expect(await issue.getAttribute('required')).not.toBeNull();
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
    await page.getByRole('region', { name: 'Unattended' }).waitFor();
    await until(() => journalOf(scene, 'session').length > 0);
    expect(journalOf(scene, 'session')[0]?.data.inputs).toEqual({
      count: 3,
      issue: ISSUE,
      severity: 'low',
      strict: true,
    });
    // It writes into the project for as long as it runs.
    await until(() => !isAlive(runnerOf(scene)));
  });
});
