import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('sources', () => {
  it('are read in order, and changes are effective at once', async () => {
    verifies('TEAM-17');
    const { write, names, remove } = project();
    expect(await names(['x', 'coordinator', 'y'])).toBe('callers: coordinator x y');
    write('GOAL.md', goal('flow: a -> b'));
    expect(await names(['x'])).toBe('goal: coordinator a b');
    write('GOAL.md', goal('flow: a -> c'));
    expect(await names(['x'])).toBe('goal: coordinator a c');
    write('.deepwork/config.yml', 'team: {agents: [{name: k}, {name: coordinator}]}');
    expect(await names(['x'])).toBe('config: coordinator k');
    write('.deepwork/config.yml', 'team: {agents: []}');
    expect(await names(['x'])).toBe('config: coordinator');
    write('.deepwork/config.yml', 'team: {tokens: true}');
    expect(await names(['x'])).toBe('goal: coordinator a c');
    write('GOAL.md', '# Only words');
    expect(await names(['x'])).toBe('callers: coordinator x');
    remove('GOAL.md');
    expect(await names()).toBe('callers: coordinator');
  });

  it('define models and commands', async () => {
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

  it('are not skipped if broken', async () => {
    verifies('TEAM-17');
    const { write, names } = project({ 'GOAL.md': goal('flow: a -> b -> a') });
    expect(await names(['x'])).toBe('GOAL.md: the flow has a cycle: a -> b -> a');
    write('GOAL.md', goal('flow: "a'));
    expect(await names(['x'])).toMatch(/^GOAL\.md: .*\(line \d+, column \d+\)$/);
    write('GOAL.md', Uint8Array.of(0x2d, 0xff));
    expect(await names()).toBe('GOAL.md: is not UTF-8 text');
    write('GOAL.md', 'x'.repeat(1024 * 1024 + 1));
    expect(await names()).toBe('GOAL.md: is larger than 1 MiB');
    write('.deepwork/config.yml', 'team: {agents: [{name: ""}]}');
    expect(await names()).toBe(
      '.deepwork/config.yml: team.agents[0].name: expected text, found an empty text (line 1, column 24)',
    );
    // An unknown key may have been meant for the agents, so the team is unclear.
    write('.deepwork/config.yml', 'team: {agnets: [{name: a}]}');
    expect(await names()).toBe(
      ".deepwork/config.yml: team: unknown key 'agnets'; did you mean 'agents'? (line 1, column 8)",
    );
    // The agents are valid even if other settings are not.
    write('.deepwork/config.yml', 'team: {agents: [{name: a}], tokens: 7}\ngitt: 1');
    expect(await names()).toBe('config: coordinator a');
    write('.deepwork/config.yml', 'team: [');
    expect(await names()).toMatch(/^\.deepwork\/config\.yml: cannot be read: /);
    write('.deepwork/config.yml', '');
    write('GOAL.md', goal('flow:'));
    expect(await names()).toBe('goal: coordinator general-purpose');
  });
});

describe('a flow in a file', () => {
  it('is read from inside the workspace, and read again when it changes', async () => {
    verifies('TEAM-17');
    const { write, names, remove } = project({
      'GOAL.md': goal('flow: "@team/flow.dot"'),
      'team/flow.dot': 'digraph { a -> b }',
    });
    expect(await names()).toBe('goal: coordinator a b');
    write('team/flow.dot', 'digraph { a -> c }');
    expect(await names()).toBe('goal: coordinator a c');
    write('team/flow.dot', 'digraph { a -> }');
    expect(await names()).toBe("team/flow.dot: expected a node, found '}' (line 1 of the flow)");
    remove('team/flow.dot');
    expect(await names()).toBe("GOAL.md: flow file 'team/flow.dot' does not exist");
    write('team/flow.dot', '');
    expect(await names()).toBe('goal: coordinator general-purpose');
  });

  it('is refused from anywhere else', async () => {
    verifies('TEAM-17');
    const { root, write, names } = project({ 'in/GOAL.md': '' });
    const outside = project({ 'flow.dot': 'a -> b' });
    symlinkSync(join(outside.root, 'flow.dot'), join(root, 'link.dot'));
    mkdirSync(join(root, 'folder'));
    for (const file of ['../flow.dot', `${outside.root}/flow.dot`, 'link.dot', '../no/such']) {
      write('GOAL.md', goal(`flow: "@${file}"`));
      expect(await names()).toBe(`GOAL.md: flow file '${file}' is outside the workspace ${root}`);
    }
    write('GOAL.md', goal('flow: "@folder"'));
    expect(await names()).toBe("GOAL.md: flow file 'folder' is not a regular file");
    write('GOAL.md', goal('flow: "@./link/../in/../in/GOAL.md"'));
    expect(await names()).toBe('goal: coordinator general-purpose');
  });
});
