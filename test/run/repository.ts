// A project of runs that is a git repository.

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { Scene } from './support.ts';

const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];

/** For the shell commands of the scripted agent, in which an @ would begin the cost. */
export const COMMIT = 'git -c user.name=Agent -c user.email=agent commit -qm Work';

export function git(scene: Scene, ...args: readonly string[]): string {
  const cwd = scene.project.root;
  return execFileSync('git', [...AUTHOR, ...args], { cwd, encoding: 'utf8' });
}

/** The same scene, with these files, everything in it committed. */
export function committed(scene: Scene, files: Readonly<Record<string, string>> = {}): Scene {
  for (const [name, text] of Object.entries(files)) scene.project.write(name, text);
  // Without git's examples of hooks, and without its maintenance, which every commit starts.
  git(scene, 'init', '-q', '--template=', '-b', 'main');
  appendFileSync(scene.project.path('.git/config'), '[maintenance]\n\tauto = false\n');
  git(scene, 'add', '-A');
  git(scene, 'commit', '-qm', 'First');
  return scene;
}

/** The same project, for an agent that takes notes of its own. */
export const besides = (scene: Scene): Scene => ({ ...scene, notes: `${scene.notes}-2` });
