import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { openConfig } from '../environment/settings/config.ts';
import { openTeamAgents } from './agents.ts';

function project(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const root = tempFolder();
  const write = (file: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const read = openTeamAgents(root, openConfig(root, join(root, '.deepwork/config.yml')));
  const names = async (callers: readonly string[] = []) => {
    const team = await read(callers);
    if (team.kind === 'broken') return `${team.file}: ${team.reason}`;
    return `${team.source}: ${team.agents.map(({ name }) => name).join(' ')}`;
  };
  return { root, write, read, names, remove: (file: string) => rmSync(join(root, file)) };
}

const goal = (front: string) => `---\n${front}\n---\n`;

test('sources are read in order, and changes are effective at once', async () => {
  verifies('TEAM-17');
  const { write, names, remove } = project();
  expect(await names(['x', 'coordinator', 'y'])).toBe('callers: coordinator x y');
  write('GOAL.md', goal('flow: a -> b'));
  expect(await names(['x'])).toBe('goal: coordinator a b');
  write('.deepwork/config.yml', 'team: {agents: [{name: k}, {name: coordinator}]}');
  expect(await names(['x'])).toBe('config: coordinator k');
  write('.deepwork/config.yml', 'team: {agents: []}');
  expect(await names(['x'])).toBe('config: coordinator');
  // The agents are valid even if other settings are not.
  write('.deepwork/config.yml', 'team: {agents: [{name: a}], tokens: 7}\ngitt: 1');
  expect(await names(['x'])).toBe('config: coordinator a');
  write('.deepwork/config.yml', 'team: {tokens: true}');
  expect(await names(['x'])).toBe('goal: coordinator a b');
  write('GOAL.md', '# Only words');
  expect(await names(['x'])).toBe('callers: coordinator x');
  remove('GOAL.md');
  expect(await names()).toBe('callers: coordinator');
});

test('sources define models and commands', async () => {
  verifies('TEAM-17');
  const { write, read } = project({
    'GOAL.md': goal('flow: a\nmodels: {a: [m, "n (v)"], coordinator: m, z: o}'),
  });
  expect(await read([])).toEqual({
    kind: 'agents',
    source: 'goal',
    agents: [
      { name: 'coordinator', models: ['m'], command: null },
      { name: 'a', models: ['m', 'n (v)'], command: null },
      { name: 'z', models: ['o'], command: null },
    ],
  });
  write('.deepwork/config.yml', 'team: {agents: [{name: a, command: run a}]}');
  expect(await read([])).toMatchObject({
    agents: [{ name: 'coordinator' }, { name: 'a', models: [], command: 'run a' }],
  });
});

const CONFIG = '.deepwork/config.yml';

test.each<[string, string, string | Uint8Array]>([
  ['a cycle', 'GOAL.md', goal('flow: a -> b -> a')],
  ['an open string', 'GOAL.md', goal('flow: "a')],
  ['no UTF-8', 'GOAL.md', Uint8Array.of(0x2d, 0xff)],
  ['too much', 'GOAL.md', 'x'.repeat(1024 * 1024 + 1)],
  ['an agent without a name', CONFIG, 'team: {agents: [{name: ""}]}'],
  // It may have been meant for the agents, so the team is unclear.
  ['an unknown key', CONFIG, 'team: {agnets: [{name: a}]}'],
  ['no YAML', CONFIG, 'team: ['],
])('a source with %s is broken, and not skipped', async (_what, file, text) => {
  verifies('TEAM-17');
  const { names, write } = project({ 'GOAL.md': goal('flow: a') });
  write(file, text);
  expect(await names(['x'])).toMatch(new RegExp(`^${file.replaceAll('.', '\\.')}: `));
});

test('a flow in a file is read from inside the workspace, and from nowhere else', async () => {
  verifies('TEAM-17');
  const { root, write, names, remove } = project({
    'GOAL.md': goal('flow: "@team/flow.dot"'),
    'team/flow.dot': 'digraph { a -> b }',
  });
  expect(await names()).toBe('goal: coordinator a b');
  write('team/flow.dot', 'digraph { a -> }');
  expect(await names()).toMatch(/^team\/flow\.dot: /);
  remove('team/flow.dot');
  expect(await names()).toMatch(/^GOAL\.md: .*'team\/flow\.dot'/);
  write('team/flow.dot', '');
  expect(await names()).toBe('goal: coordinator general-purpose');
  const outside = project({ 'flow.dot': 'a -> b' });
  symlinkSync(join(outside.root, 'flow.dot'), join(root, 'link.dot'));
  for (const file of [
    '../flow.dot',
    `${outside.root}/flow.dot`,
    'link.dot',
    '../no/such',
    'team',
  ]) {
    write('GOAL.md', goal(`flow: "@${file}"`));
    expect(await names(), file).toMatch(/^GOAL\.md: flow file /);
  }
});
