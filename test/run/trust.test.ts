// Commands of the project that a run needs trust for: asked about before anything is spent, and
// again before each turn, because an agent may change what was trusted.

import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { verifies } from '../verifies.ts';
import {
  begin,
  demoArguments,
  finish,
  journalOf,
  type LanguageScene,
  newLanguageScene,
  runDemo,
  type Scene,
  turnsOf,
  typesOf,
} from './support.ts';

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 60_000 });

const CHECKS = [{ name: 'lint', run: 'sh check.sh' }];
const TWO = { entries: ['plan', 'build'], steps: { plan: 'Plan it.', build: 'Build it.' } };

/** The check of the second step is a script of the project. */
function newChecked(more: Partial<LanguageScene> = {}): Scene {
  const scene = newLanguageScene({ ...TWO, more: { build: { checks: CHECKS } }, ...more });
  scene.project.write('check.sh', 'test -e build.md\n');
  return scene;
}

async function trust({ project, home }: Scene, how = '--yes'): Promise<void> {
  const trusted = await command(['trust', how], {
    cwd: project.root,
    env: { HOME: home },
  });
  expect(trusted.code, trusted.stderr).toBe(0);
}

async function expectRefused(
  scene: Scene,
  what: readonly string[],
  args = demoArguments(['honest']),
) {
  const before = journalOf(scene, 'run').length;
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.out).toBe(2);
  for (const each of [...what, `deepwork trust --path ${scene.project.root}`, 'DEEPWORK_TRUST=1']) {
    expect(ran.err).toContain(each);
  }
  expect(journalOf(scene, 'run')).toHaveLength(before);
}

test('a workflow with commands that no one has trusted is not started, and they are named', async () => {
  verifies('RUN-1');
  const config = 'quality_gate:\n  agent_review_command: sh review.sh\n';
  const reviews = [{ run_each: 'plan', quality_criteria: { good: 'It is good' } }];
  const scene = newChecked({ more: { plan: { reviews }, build: { checks: CHECKS } }, config });
  await expectRefused(scene, ["checks of step 'build'", 'command that reviews']);
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('so is one that runs such a workflow', async () => {
  verifies('RUN-1');
  const scene = newChecked();
  const steps = ['first', { run: { name: 'inner', job: 'demo', workflow: 'main' } }];
  const workflows = [{ name: 'main', summary: 'Around it', steps }];
  writeJob(scene.project, 'outer', { first: { outputs: { first: 'file' } } }, {}, { workflows });
  const args = demoArguments(['honest']).map((each) =>
    each === 'demo/main' ? 'outer/main' : each,
  );
  await expectRefused(scene, ["checks of step 'build'", 'demo/main'], args);
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('and a run whose trust was revoked meanwhile is not resumed', async () => {
  verifies('RUN-1');
  const scene = newChecked();
  await trust(scene);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  await trust(scene, '--revoke');
  await expectRefused(
    scene,
    ["checks of step 'build'"],
    ['--resume', '--max-turns', '9', '--json'],
  );
});

test('automation trusts for one command', async () => {
  verifies('RUN-1');
  const scene = newChecked();
  const env = { DEEPWORK_TRUST: '1' };
  const ran = await finish(begin(scene, demoArguments(['honest']), { env }));
  expect(ran.code, ran.err).toBe(0);
});

test.for(['here', 'in a worktree'])(
  'an agent that changes a trusted check (%s) is not started once more',
  async (where) => {
    verifies('RUN-1', 'RUN-5');
    const scene = newChecked();
    const isApart = where === 'in a worktree';
    if (isApart) {
      const { git } = newRepository(scene.project.root);
      git('add', '-A');
      git('commit', '-qm', 'before');
    }
    await trust(scene);
    const more = isApart ? ['--worktree'] : [];
    const ran = await runDemo(scene, ['honest', 'edits:check.sh', 'honest'], more);
    expect(ran.code, ran.err).toBe(1);
    expect(turnsOf(scene)).toHaveLength(2);
    const { reason, detail } = journalOf(scene, 'run').at(-1)?.data ?? {};
    expect(reason).toBe('failed');
    expect(detail).toContain('check.sh differs from what was trusted');
    expect(detail).toContain('deepwork trust');
    if (isApart) return;
    // What the person agrees to then holds.
    await trust(scene);
    const rest = await finish(begin(scene, ['--resume', '--json']));
    expect(rest.code, rest.err).toBe(0);
  },
);

test('what it changes for a later step stops the run only there', async () => {
  verifies('RUN-1');
  const scene = newChecked({
    entries: ['plan', 'write', 'build'],
    steps: { ...TWO.steps, write: 'Write it.' },
  });
  await trust(scene);
  const ran = await runDemo(scene, ['edits:check.sh', 'honest']);
  expect(ran.code, ran.err).toBe(1);
  const steps = ran.events.filter(({ event }) => event === 'turn_started');
  expect(steps.map(({ step_id }) => step_id)).toEqual(['plan', 'write']);
});

test('a worktree in which a check is another one than was trusted is not used', async () => {
  verifies('RUN-5');
  const scene = newChecked();
  const { git } = newRepository(scene.project.root);
  git('add', '-A');
  git('commit', '-qm', 'before');
  // Trusted as it is here, which is not what is committed.
  scene.project.write('check.sh', 'true\n');
  await trust(scene);
  await expectRefused(
    scene,
    ['check.sh differs from what was trusted', 'must be the same as in the project'],
    demoArguments(['honest'], ['--worktree']),
  );
  expect(readdirSync(scene.project.path('.deepwork/worktrees'))).toEqual(['.gitignore']);
  expect(typesOf(journalOf(scene, 'session'))).toEqual([]);
});
