// Unattended runs of a scripted team, and what its agents noted.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { begin, finish, newScene, type Scene } from './support.ts';

const TEAM_AGENT = fileURLToPath(new URL('./scripted-team.cjs', import.meta.url));
export const COMMAND = `'${process.execPath}' '${TEAM_AGENT}'`;
export const NAMES = ['coordinator', 'writer', 'reviewer'] as const;
export type Name = (typeof NAMES)[number];
export type Call = readonly [tool: string, args: object];
export type Script = Readonly<Partial<Record<Name, readonly (readonly Call[])[]>>>;

export const status = (word: string): Call => ['update_workflow_state', { status: word }];
export const send = (toAgent: string): Call => ['send_message', { toAgent, body: 'Please do it' }];
export const READ: Call = ['check_inbox', {}];

export function newTeam(front = '', config = ''): Scene {
  const scene = newScene(['draft'], config);
  const flow = 'flow: |\n  coordinator -> writer\n  writer -> reviewer\n';
  scene.project.write('GOAL.md', `---\n${flow}${front}---\n# Write a book\nOf ten pages.\n`);
  return scene;
}

export async function runTeam(scene: Scene, script: Script, more: readonly string[] = []) {
  const args = ['--team', '--command', COMMAND, '--json', ...more];
  const env = { AGENT_SCRIPT: JSON.stringify(script) };
  return finish(begin(scene, args, { env }));
}

interface Noted {
  readonly agent: string;
  readonly identity: string;
  readonly prompt: string;
}

export function notesOf({ notes }: Scene): Noted[] {
  return readdirSync(notes)
    .sort((a, b) => Number(a.split('-')[1]) - Number(b.split('-')[1]))
    .map((name) => JSON.parse(readFileSync(path.join(notes, name), 'utf8')));
}

export const orderOf = (scene: Scene) => notesOf(scene).map(({ agent }) => agent);
