// deepwork simulate plays with a copy of a clone's definitions. The clone's links must not lead it
// to other files of the user, and its commands do not run unless a person has trusted them.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { trust } from '../support/trust.ts';
import { verifies } from '../verifies.ts';

const PRECIOUS = 'alias ll=ls # precious\n';

function newClone(checks: readonly object[] = []): Project {
  const project = newProject();
  writeJob(project, 'ship', { plan: { outputs: { f: 'file' }, checks } }, { all: ['plan'] });
  return project;
}

function simulate(root: string, home: string, ...args: string[]) {
  const options = { cwd: root, env: { HOME: home } };
  return command(['simulate', 'ship/all', '--runs', '1', '--agent', 'honest', ...args], options);
}

test.each(['reviewer.sh', 'config.yml', 'deep/config.yml'])(
  'a link called %s is not written through',
  async (name) => {
    verifies('LANG-9');
    const outside = path.join(tempFolder(), 'bashrc');
    writeFileSync(outside, PRECIOUS);
    const project = newClone();
    const link = project.path(`.deepwork/${name}`);
    mkdirSync(path.dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(outside, link);
    const { code, stderr } = await simulate(project.root, newHome());
    // Settings that lead out of the project stop every command.
    if (name === 'config.yml') expect(stderr).toContain('leads outside the project');
    else expect(code, stderr).toBe(0);
    expect(readFileSync(outside, 'utf8')).toBe(PRECIOUS);
  },
);

test('with --run-checks no link of the clone is written through either', async () => {
  verifies('LANG-9');
  const project = newClone();
  const home = newHome();
  const outside = tempFolder('inputs', 'a');
  symlinkSync(outside, project.path('simulated'));
  const { code, stderr } = await simulate(project.root, home, '--run-checks');
  expect(code, stderr).toBe(0);
  expect(readdirSync(outside)).toEqual(['a', 'inputs']);
});

test('a .deepwork that is a link out of the project is refused', async () => {
  verifies('LANG-9');
  const victim = newClone();
  victim.write('.deepwork/config.yml', 'quality_gate: {overrides: never}\n');
  const root = tempFolder();
  symlinkSync(victim.path('.deepwork'), path.join(root, '.deepwork'));
  const { code, stderr } = await simulate(root, newHome());
  expect(code).not.toBe(0);
  expect(stderr).toContain('.deepwork is a symbolic link that leads outside the project');
  expect(readFileSync(victim.path('.deepwork/config.yml'), 'utf8')).toContain('never');
});

test('checks run only where a person has trusted them, and never for an agent', async () => {
  verifies('LANG-9');
  const mark = path.join(tempFolder(), 'ran');
  const project = newClone([{ name: 'tests', run: `echo ran > ${mark}` }]);
  const home = newHome();
  const untrusted = await simulate(project.root, home, '--run-checks');
  expect(untrusted.code).not.toBe(0);
  expect(untrusted.stderr).toContain('deepwork trust --path');
  expect(existsSync(mark)).toBe(false);
  await trust(project.root, home, '--yes');
  const agent = { cwd: project.root, env: { HOME: home, CLAUDECODE: '1' } };
  const refused = await deepwork(['simulate', 'ship/all', '--run-checks'], agent);
  expect(refused.code).toBe(4);
  expect(existsSync(mark)).toBe(false);
  const trusted = await simulate(project.root, home, '--run-checks');
  expect(trusted.code, trusted.stderr).toBe(0);
  expect(existsSync(mark)).toBe(true);
});
