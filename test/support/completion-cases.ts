// What every shell has to offer for what a person has typed so far.

import { expect } from 'vitest';
import { typedCommands } from '../../src/cli/completion/commands.ts';
import { HOOK_CLIENTS } from '../../src/hook/clients/table.ts';
import { MOMENTS } from '../../src/hook/hook-client.ts';
import { operations } from '../../src/operations/table.ts';
import { bashIn, type Completer, fishIn, zshIn } from './completing-shells.ts';
import { newProject } from './project.ts';

const tools = operations.map(({ name }) => name);
const commands = typedCommands(tools);

export const SHELLS: readonly {
  readonly name: string;
  readonly program: string;
  open(cwd: string): Promise<Completer>;
}[] = [
  { name: 'bash', program: 'bash', open: async (cwd) => bashIn(cwd) },
  { name: 'fish', program: 'fish', open: async (cwd) => fishIn(cwd) },
  { name: 'zsh, script evaluated', program: 'zsh', open: (cwd) => zshIn(cwd, 'evaluated') },
  { name: 'zsh, script kept in fpath', program: 'zsh', open: (cwd) => zshIn(cwd, 'kept') },
];

/** Each line after `deepwork `, and what is offered. */
const LINES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['', [...commands.map(({ name }) => name), 'help']],
  ['la', ['launch']],
  ['help tr', ['trust']],
  ['--v', ['--version']],
  ['serve --transport ', ['stdio', 'http', 'sse']],
  ['serve --transport=h', ['http']],
  ['serve --trust --external-runner ', ['claude']],
  ['serve --tools ', ['jobs', 'guides', 'team']],
  ['serve --tools jobs,g', ['guides']],
  ['serve --port ', []],
  ['call ', tools],
  ['call --path x go_', ['go_to_step']],
  ['call --path=x go_', ['go_to_step']],
  ['call go_to_step ', []],
  ['hook ', HOOK_CLIENTS.map(({ name }) => name)],
  ['hook claude ', MOMENTS],
  ['messages p', ['prune']],
  ['export ', ['skills', 'last']],
  ['export --output a', ['a file', 'a folder']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['doctor ', []],
  ['lint --path a', ['a folder']],
  ['lint a', ['a file', 'a folder']],
];

export async function completesEverything(open: (cwd: string) => Promise<Completer>) {
  const project = newProject({ 'a folder/x': '', 'a file': '' });
  const offered = await open(project.root);
  for (const [line, words] of LINES) {
    expect(await offered(`deepwork ${line}`), `deepwork ${line}`).toEqual([...words].sort());
  }
  for (const { name, flags } of commands) {
    const all = await offered(`deepwork ${name} --`);
    expect(all, name).toEqual([...Object.keys(flags), '--help'].sort());
  }
  expect(await offered('deepwork launch --agent x -- mkfif')).toContain('mkfifo');
}
