// Commands of the project that a run needs trust for: asked about before anything is spent, and
// again before each turn, because an agent may change what was trusted.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { committed } from './repository.ts';
import {
  begin,
  by,
  demoArguments,
  finish,
  journalOf,
  type LanguageScene,
  newLanguageScene,
  runDemo,
  type Scene,
  turnsOf,
} from './support.ts';

const CHECKS = [{ name: 'lint', run: 'sh check.sh' }];
const STEPS = { plan: 'Plan it.', write: 'Write it.', build: 'Build it.' };

/** The check of the last step is a script of the project. */
function newChecked(more: Partial<LanguageScene> = {}): Scene {
  const entries = ['plan', 'build'];
  const spec = { entries, steps: STEPS, more: { build: { checks: CHECKS } }, ...more };
  const scene = newLanguageScene(spec);
  scene.project.write('check.sh', 'test -e build.md\n');
  return scene;
}

async function trust(scene: Scene, how = '--yes'): Promise<void> {
  const trusted = await by(scene, 'trust', how);
  expect(trusted.code, trusted.stderr).toBe(0);
}

/** It says why, and what a person types to agree; nothing is recorded or started. */
async function expectRefused(scene: Scene, args: readonly string[], why: readonly string[]) {
  const before = journalOf(scene, 'run').length;
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.out).toBe(2);
  const way = [`deepwork trust --path ${scene.project.root}`, 'DEEPWORK_TRUST=1'];
  for (const each of [...why, ...way]) expect(ran.err).toContain(each);
  expect(journalOf(scene, 'run')).toHaveLength(before);
}

test('a workflow with commands that no one has trusted is not started, nor one that runs it', async () => {
  verifies('RUN-1');
  const config = 'quality_gate:\n  agent_review_command: sh review.sh\n';
  const reviews = [{ run_each: 'plan', quality_criteria: { good: 'It is good' } }];
  const scene = newChecked({ more: { plan: { reviews }, build: { checks: CHECKS } }, config });
  const steps = ['first', { run: { name: 'inner', job: 'demo', workflow: 'main' } }];
  const workflows = [{ name: 'main', summary: 'Around it', steps }];
  writeJob(scene.project, 'outer', { first: { outputs: { first: 'file' } } }, {}, { workflows });
  const args = demoArguments(['honest']);
  await expectRefused(scene, args, ["'build'", 'reviews']);
  const outer = args.map((each) => (each === 'demo/main' ? 'outer/main' : each));
  await expectRefused(scene, outer, ["'build'", 'demo/main']);
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('a run whose trust was revoked meanwhile is not resumed; automation trusts for one command', async () => {
  verifies('RUN-1');
  const scene = newChecked();
  await trust(scene);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  await trust(scene, '--revoke');
  const resume = ['--resume', '--max-turns', '9', '--json'];
  await expectRefused(scene, resume, ["'build'"]);
  const env = { DEEPWORK_TRUST: '1' };
  const rest = await finish(begin(scene, resume, { env }));
  expect(rest.code, rest.err).toBe(0);
});

test.for([
  ['the next step', ['plan', 'build'], ['honest', 'edits:check.sh'], [], ['plan', 'build']],
  [
    'it in its worktree',
    ['plan', 'build'],
    ['honest', 'edits:check.sh'],
    ['--worktree'],
    ['plan', 'build'],
  ],
  ['a later step', ['plan', 'write', 'build'], ['edits:check.sh', 'honest'], [], ['plan', 'write']],
] as const)(
  'an agent that changes a trusted check of %s is not started where that runs',
  async ([, entries, modes, more, steps]) => {
    verifies('RUN-1', 'RUN-5');
    const scene = newChecked({ entries });
    if (more.length > 0) committed(scene);
    await trust(scene);
    const ran = await runDemo(scene, [...modes, 'honest'], more);
    expect(ran.code, ran.err).toBe(1);
    const started = ran.events.filter(({ event }) => event === 'turn_started');
    expect(started.map(({ step_id }) => step_id)).toEqual(steps);
    expect(turnsOf(scene)).toHaveLength(2);
    const { reason, detail } = journalOf(scene, 'run').at(-1)?.data ?? {};
    expect(reason).toBe('failed');
    for (const named of ['check.sh', 'deepwork trust']) expect(detail).toContain(named);
    if (more.length > 0) return;
    // What the person agrees to then holds.
    await trust(scene);
    const rest = await finish(begin(scene, ['--resume', '--json']));
    expect(rest.code, rest.err).toBe(0);
  },
);

test('a worktree in which a check is another one than was trusted is not used', async () => {
  verifies('RUN-5');
  const scene = committed(newChecked());
  // Trusted as it is here, which is not what is committed.
  scene.project.write('check.sh', 'true\n');
  await trust(scene);
  await expectRefused(scene, demoArguments(['honest'], ['--worktree']), ['check.sh']);
  expect(readdirSync(scene.project.path('.deepwork/worktrees'))).toEqual(['.gitignore']);
  expect(journalOf(scene, 'session')).toEqual([]);
});
