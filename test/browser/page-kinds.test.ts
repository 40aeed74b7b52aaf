// Every kind of run, opened on the page of a real server; and what the page says of a view that it
// cannot show.

import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { journalOf, runDemo } from '../run/support.ts';
import { newTeam, runTeam, status } from '../run/team-support.ts';
import { needChromium, openBrowser } from '../support/chromium.ts';
import { guide } from '../support/guides.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { serveFixture } from './support/fixture-server.ts';
import { sampleProject } from './support/sample-data.ts';
import { connectAgent } from './support/scripted-agent.ts';
import { takePicture } from './support/views.ts';

await needChromium();

interface Kind {
  readonly entries: readonly unknown[];
  /** What its agent does once it has started it. */
  readonly calls?: readonly (readonly [tool: string, args: object])[];
  /** What the page says of it. */
  readonly shows: string | RegExp;
}

const TEXT = ['finished_step', { outputs: { text: 'text.md' } }] as const;
const LIST = ['finished_step', { outputs: { items: 'items.json' } }] as const;

/** By the goal that each is started with. */
const KINDS: Readonly<Record<string, Kind>> = {
  'A step run': { entries: ['write', 'last'], shows: '1 of 2' },
  'A loop': {
    entries: [
      { loop: { name: 'again', steps: ['write'], until: { when: { var: 'no' } }, max: 3 } },
    ],
    calls: [TEXT],
    shows: 'pass 2',
  },
  'A list': {
    entries: ['list', { for_each: { name: 'all', items: 'list.items', step: 'write' } }],
    calls: [LIST, ['finished_step', { step_id: 'write#1', outputs: { text: 'text.md' } }]],
    shows: '1 of 2 items accepted',
  },
  'An approval': {
    entries: ['write', { approve: { name: 'agree', question: 'Good?', show: ['write.text'] } }],
    calls: [TEXT, ['finished_step', { outputs: {} }]],
    shows: 'Waits for you',
  },
  'A nested run': {
    entries: [{ run: { name: 'below', job: 'a_step_run', workflow: 'main' } }, 'last'],
    shows: 'below',
  },
  'An ended run': { entries: ['write'], calls: [TEXT], shows: 'Done' },
  'An aborted run': {
    entries: ['write'],
    calls: [['abort_workflow', { explanation: 'Not needed' }]],
    shows: 'Not needed',
  },
};

const idOf = (goal: string) => goal.toLowerCase().replaceAll(' ', '_');

function newProjectOfEveryKind() {
  const scene = newTeam('', 'team:\n  question_wait_seconds: 1\n');
  const { project } = scene;
  project.write('text.md', 'Text\n');
  project.write('items.json', '["one", "two"]');
  project.write('.deepwork/workflows/guided.json', JSON.stringify(guide('guided')));
  const no = { type: 'boolean', description: 'No more?', required: false };
  const steps = {
    list: { outputs: { items: 'file' } },
    write: { outputs: { text: 'file' }, reports: { no } },
    last: {},
  };
  for (const [goal, { entries }] of Object.entries(KINDS)) {
    const used = Object.entries(steps).filter(([id]) =>
      JSON.stringify(entries).includes(`"${id}"`),
    );
    const workflows = [{ name: 'main', summary: goal, steps: entries }];
    writeJob(project, idOf(goal), Object.fromEntries(used), {}, { workflows });
  }
  return scene;
}

async function openPage(url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await (await openBrowser()).newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${url}/#/runs`);
  return { page, faults };
}

describe('the page', () => {
  test('shows every kind of run', async () => {
    verifies('BOARD-3');
    const scene = newProjectOfEveryKind();
    const { project, home } = scene;
    await runDemo(scene, ['honest@0.5']);
    await runTeam(scene, { coordinator: [[status('complete')]] });
    const { url } = await serveHttpInProcess(project.root, { home });
    for (const [goal, { calls = [] }] of Object.entries(KINDS)) {
      // Each has an agent of its own: one agent's runs would nest.
      const agent = await connectAgent(url, idOf(goal));
      await agent.start(`${idOf(goal)}/main`, goal);
      for (const [tool, args] of calls) await agent.call(tool, { ...args });
    }
    await (await connectAgent(url, 'guided')).start('guided/guided', 'A guide');
    const damaged = await (await connectAgent(url, 'other')).start('an_ended_run/main', 'Damaged');
    const stream = project.path(`.deepwork/journal/session/${damaged}.jsonl`);
    writeFileSync(stream, readFileSync(stream, 'utf8').replace('Damaged', 'Changed'));

    const { page, faults } = await openPage(url);
    const kinds: [goal: string, shows: string | RegExp][] = [
      ...Object.entries(KINDS).map(([goal, { shows }]): [string, string | RegExp] => [goal, shows]),
      ['A guide', 'guided'],
      ['Try it', /^1 turn$/],
      ['Write a book', /^1 turn$/],
    ];
    for (const [goal, shows] of kinds) {
      await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
      await page.getByRole('link', { name: goal, exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: goal }).waitFor();
      await page.locator('main').getByText(shows).first().waitFor();
      await takePicture(page, `kind-${idOf(goal)}`);
      expect(faults, goal).toEqual([]);
    }
    await page.goto(`${url}/#/runs/${damaged}`);
    await page.getByText(`Run ${damaged} cannot be shown`).waitFor();
    await page.getByRole('link', { name: 'Back to all runs' }).click();
    await page.getByText(`The journal of ${damaged} is damaged`).waitFor();
    expect(journalOf(scene, 'run')).not.toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  test('says so when it cannot show a view, and the rest still works', async () => {
    verifies('BOARD-3');
    const data = sampleProject();
    const whole = data.runs.a1f3c2d4;
    // An answer that this page does not understand.
    data.runs = { ...data.runs, a1f3c2d4: { ...whole, events: null } as never };
    const { url } = await serveFixture(data);
    const { page } = await openPage(url);
    await page.goto(`${url}/#/runs/a1f3c2d4`);
    const note = page.getByRole('alert');
    await note.getByText('This view cannot be shown').waitFor();
    await takePicture(page, 'cannot-show');
    await page.getByRole('navigation').getByRole('link', { name: 'Team' }).click();
    await page.locator('.message').first().waitFor();
    await page.goBack();
    await note.waitFor();
    data.runs = { ...data.runs, a1f3c2d4: whole as never };

    await note.getByRole('button', { name: 'Reload the page' }).click();
    await page.locator('.run-header').waitFor();
  });
});
