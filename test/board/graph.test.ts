// deepwork graph through the built command: workflows, guides and runs in every format.

import { expect, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import { command } from '../support/command.ts';
import { newProject, REVIEW, writeJob } from '../support/project.ts';
import { commandIn, everyFile, finishedRun, newRecords, openRun } from './records.ts';

const UTF8 = { LC_ALL: 'C.UTF-8' };

test('a workflow is drawn by any of its names, within 80 columns', async () => {
  const project = newRecords();
  const draw = (name: string, env: Record<string, string> = UTF8) =>
    command(['graph', name], { cwd: project.root, env });
  const drawn = await draw('demo/main');
  expect(drawn).toMatchObject({ code: 0, stderr: '' });
  expect(drawn.stdout).toMatch(/^demo\/main\nRuns main\n/);
  expect(drawn.stdout).toContain('│ Step a');
  expect(drawn.stdout).toContain('makes one');
  // No run, so nothing is marked.
  expect(drawn.stdout).not.toMatch(/[▶✓○]/);
  const guide = await draw('ai-task-implementation');
  expect(guide.code).toBe(0);
  for (const line of [...drawn.stdout.split('\n'), ...guide.stdout.split('\n')]) {
    expect(cellWidth(line)).toBeLessThanOrEqual(80);
  }
  const plain = await draw('demo/main', { LC_ALL: 'C' });
  expect(plain.stdout).toMatch(/^[\n -~]*$/);
  const several = await draw('demo');
  expect(several.code).toBe(1);
  expect(several.stderr).toContain('use one of these: demo/main, demo/short');
  expect((await draw('nowhere')).stderr).toContain("There is no workflow 'nowhere'");
  expect((await draw('demo/main/more')).code).toBe(1);
});

test('a step that only a review guards is marked where agents may skip reviews, with the way out', async () => {
  const project = newProject();
  const reviews = [REVIEW];
  const checks = [{ name: 'tests', run: 'true' }];
  writeJob(project, 'demo', { a: { reviews }, b: { reviews, checks } }, { main: ['a', 'b'] });
  const draw = async (...args: string[]) =>
    (await command(['graph', 'demo/main', ...args], { cwd: project.root, env: UTF8 })).stdout;
  const drawn = await draw();
  expect(drawn).toMatch(/must pass 1 review, which an[\s│]+agent may skip/);
  const close = 'set quality_gate.overrides: person in .deepwork/config.yml';
  expect(drawn.replaceAll(/\s+/g, ' ')).toContain(close);
  for (const line of drawn.split('\n')) expect(cellWidth(line)).toBeLessThanOrEqual(80);
  const mermaid = await draw('--format', 'mermaid');
  expect(mermaid.match(/which an agent may skip/g)).toHaveLength(1);
  project.write('.deepwork/config.yml', 'quality_gate: {overrides: person}\n');
  expect(await draw()).not.toContain('may skip');
});

test('a run is drawn with its position, and looking changes nothing', async () => {
  const project = newRecords();
  const [ended = ''] = await finishedRun(project);
  const open = await openRun(project);
  const before = everyFile(project.root);
  const draw = async (id: string) =>
    (await command(['graph', id], { cwd: project.root, env: UTF8 })).stdout;
  const last = await draw('last');
  expect(last).toMatch(/│ ✓ Step a[\s\S]*║ ▶ Step b[\s\S]*○ end/);
  expect(await draw(open.slice(0, 7))).toBe(last);
  expect(await draw(ended)).toMatch(/│ ✓ Step a[\s\S]*✓ done/);
  expect(last).toContain('▶ now   ✓ accepted');
  expect(everyFile(project.root)).toEqual(before);
});

test('every format is what it says', async () => {
  const project = newRecords();
  await openRun(project);
  const draw = async (format: string) =>
    (await commandIn(project, 'graph', 'last', '--format', format)).stdout;
  expect(await draw('mermaid')).toMatch(/^---\ntitle: .*\n---\nflowchart TD\n/);
  expect(await draw('dot')).toMatch(/^digraph workflow \{\n[\s\S]*\}\n$/);
  const svg = await draw('svg');
  expect(svg).toMatch(
    /^<svg xmlns[\s\S]*<title>demo\/main [0-9a-f]{8}<\/title><desc>[\s\S]*<\/svg>\n$/,
  );
  expect(svg).toContain('data-step="b" data-state="current"');
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(await draw('html')).toMatch(/^<!doctype html>/);
  const wrong = await commandIn(project, 'graph', 'last', '--format', 'png');
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('text, mermaid, dot, svg, html');
});
