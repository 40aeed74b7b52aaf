// What happened while someone was away, of runs that no one looked on at: turns and their cost in
// short, and why a run stopped.

import { expect, test } from 'vitest';
import type { Recent } from '../../src/board/recent.ts';
import { expectSchema } from '../board/support.ts';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { beginProcess, demoArguments, finish, newScene, runDemo, type Scene } from './support.ts';

async function lately({ project, home }: Scene): Promise<{ text: string; recent: Recent }> {
  const at = { cwd: project.root, env: { HOME: home } };
  const [plain, json] = [await command(['history'], at), await command(['history', '--json'], at)];
  for (const ran of [plain, json]) expect(ran).toMatchObject({ code: 0, stderr: '' });
  const recent = JSON.parse(json.stdout) as Recent;
  expectSchema('recent.schema.json', recent);
  return { text: plain.stdout, recent };
}

test('turns are listed in short, with their cost, and the end is the end of the run', async () => {
  verifies('BOARD-2', 'RUN-1');
  const scene = newScene();
  expect((await runDemo(scene, ['wrong@0.25', 'honest@0.5'])).code).toBe(0);
  const { text, recent } = await lately(scene);
  expect(text).toContain('1 run completed.');
  expect(text).toContain('Started unattended, without a budget');
  expect(text).toMatch(/3 turns of scripted-agent\.cjs, \$1\.25/);
  expect(text).toContain("'draft' was turned down by the rules: Say something good");
  expect(text).toContain('Done: draft, publish; completed');
  const kinds = recent.runs[0]?.events.map(({ kind }) => kind) ?? [];
  expect(kinds.filter((kind) => kind === 'turn')).toHaveLength(3);
  expect(kinds).not.toContain('stopped');
});

test('a run that stopped says so in the first sentence, and why', async () => {
  verifies('BOARD-2', 'RUN-4');
  const scene = newScene();
  const args = demoArguments(['honest'], ['--max-turns', '1']);
  // A session counts as stopped once the process that worked on it is gone.
  expect((await finish(beginProcess(scene, args))).code).toBe(3);
  const { text, recent } = await lately(scene);
  expect(text).toMatch(/^Since \w+ \d\d:\d\d: 1 run stopped\./);
  expect(text).toMatch(/\d\d:\d\d +Stopped \(budget\): /);
  expect(recent.runs[0]?.events.at(-1)).toMatchObject({ kind: 'stopped' });
});
