// The owner's rights (the address of the database, the token of the server, the word that all is
// trusted) reach no program that is not ours: each kind of them is started, and says what it got.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { beginProcess, finish, newLanguageScene, type Scene, scripted } from '../run/support.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { REVIEW } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const TEAM_AGENT = fileURLToPath(new URL('../run/scripted-team.cjs', import.meta.url));
const HIDDEN = ['DEEPWORK_DATABASE_URL', 'DEEPWORK_TOKEN', 'DEEPWORK_TRUST', 'DEEPWORK_RUN_PASS'];

/** Every kind of program writes its environment into a file of that name in `seen`. */
function newEverything(seen: string): Scene {
  const note = (who: string) => `env > '${path.join(seen, who)}'`;
  const scene = newLanguageScene({
    entries: [
      {
        loop: {
          name: 'again',
          steps: ['a'],
          max: 1,
          until: { check: { name: 'u', run: note('until') } },
        },
      },
      'b',
    ],
    steps: { a: 'Do it.', b: 'Do it.' },
    more: { a: { checks: [{ name: 'c', run: note('check') }] }, b: { reviews: [REVIEW] } },
    config: `  notify: ${JSON.stringify(note('notify'))}
worktree:
  setup: ${JSON.stringify(note('setup'))}
quality_gate:
  agent_review_command: sh review.sh
`,
  });
  const passed = `{"passed": true, "feedback": "", "criteria_results": [{"criterion": "good", "passed": true, "feedback": ""}]}`;
  scene.project.write('review.sh', `${note('reviewer')}\nprintf '%s' '${passed}'\n`);
  const front = `flow: |\n  coordinator -> writer\ncompletionGateScript: ${JSON.stringify(note('gate'))}\n`;
  scene.project.write('GOAL.md', `---\n${front}---\n# Write a book\n`);
  return scene;
}

test("no program that is not ours gets the owner's rights", { timeout: 120_000 }, async () => {
  verifies('RUN-5', 'STORE-1');
  const seen = tempFolder();
  const scene = newEverything(seen);
  const { root } = scene.project;
  const { git } = newRepository(root);
  git('add', '-A');
  git('commit', '-qm', 'All');
  const env = {
    DEEPWORK_DATABASE_URL: await freshDatabase(),
    DEEPWORK_TOKEN: 'owners-token',
    DEEPWORK_TRUST: '1',
    DEEPWORK_RUN_PASS: 'pass-of-page',
  };
  const agent = path.join(tempFolder(), 'agent.sh');
  writeFileSync(agent, `env > '${path.join(seen, 'agent')}'\nexec ${scripted('honest')}\n`);
  const workflow = ['demo/main', '--goal', 'Try it', '--worktree', '--json'];
  const ran = await finish(
    beginProcess(scene, [...workflow, '--command', `sh '${agent}'`], { env }),
  );
  expect(ran.code, `${ran.out}${ran.err}`).toBe(0);

  const complete = [[['update_workflow_state', { status: 'complete' }]]];
  const AGENT_SCRIPT = JSON.stringify({ coordinator: complete });
  const command = `'${process.execPath}' '${TEAM_AGENT}'`;
  const again = { ...scene, notes: `${scene.notes}-team` };
  const team = beginProcess(again, ['--team', '--command', command, '--json'], {
    env: { ...env, AGENT_SCRIPT },
  });
  const done = await finish(team);
  expect(done.code, `${done.out}${done.err}`).toBe(0);

  const words = ['launch', '--path', root, '--', 'sh', '-c', `env > '${seen}/launch'`];
  const options = { cwd: root, env: { HOME: scene.home, ...env, DEEPWORK_AGENT_TOKEN: 'outer' } };
  const launched = await deepwork(words, options);
  expect(launched.code, launched.stderr).toBe(0);

  const started = ['agent', 'check', 'gate', 'launch', 'notify', 'reviewer', 'setup', 'until'];
  expect(readdirSync(seen).sort()).toEqual(started);
  for (const who of started) {
    const text = readFileSync(path.join(seen, who), 'utf8');
    const got = text.split('\n').map((line) => line.split('=')[0] ?? '');
    expect(
      got.filter((name) => HIDDEN.includes(name)),
      who,
    ).toEqual([]);
    expect(text, who).not.toContain('owners-token');
    expect(text, who).not.toContain('DEEPWORK_AGENT_TOKEN=outer');
  }
});
