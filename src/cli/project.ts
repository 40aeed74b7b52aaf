// The project that a command works in: the one that --path names, or the nearest one. Commands that need
// one refuse to work where there is none.

import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Refused, refusedWith } from '../core/refusal.ts';
import { homeOf } from '../environment/home.ts';
import { realPathOf } from '../files/real-path.ts';
import { bundled, UsageError } from './command-line.ts';
import { findProject } from './find-project.ts';
import type { Io } from './io.ts';

/** The project a command works in: --path, else the nearest one from here upwards. */
export function projectAt(io: Io, given: string | undefined): string {
  if (given === undefined) return findProject(io.env, io.cwd);
  const root = path.resolve(io.cwd, given);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--path ${given} is not a directory`);
  }
  return root;
}

/** With what a command opens a project: its board, or its workspace. */
export function projectOptions({ env, clock, stderr }: Io, projectRoot: string) {
  return { projectRoot, ...bundled(), env, clock, stderr };
}

/** Whether deepwork was ever used there. The home's own `.deepwork` holds keys and trust. */
export function isProject(io: Io, root: string): boolean {
  const own = path.join(root, '.deepwork');
  if (realPathOf(root) === realPathOf(homeOf(io.env))) {
    return PROJECT_ENTRIES.some((name) => entryExists(path.join(own, name)));
  }
  return entryExists(own);
}

/** What only the `.deepwork` of a project contains. */
const PROJECT_ENTRIES = ['config.yml', 'jobs', 'workflows', 'journal'];

/** A broken link counts as well. */
export function entryExists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Like `projectAt`, but refuses if there is no project. */
export function requireProject(io: Io, given: string | undefined): string {
  const root = projectAt(io, given);
  if (!isProject(io, root)) throw noProject(root, given);
  return root;
}

/** A team needs no `.deepwork`: its goal is in GOAL.md, and its state in `.sgai`. */
export function requireProjectOrTeam(io: Io, given: string | undefined): string {
  const root = projectAt(io, given);
  const isTeam = ['GOAL.md', '.sgai'].some((name) => entryExists(path.join(root, name)));
  return isTeam ? root : requireProject(io, given);
}

export function noProject(root: string, given: string | undefined): Refused {
  const where = given === undefined ? `here or above (${root})` : `in ${root}`;
  return refusedWith(
    'no_project',
    `No deepwork project ${where}: there is no folder .deepwork`,
    'go to your project, or run `deepwork init` to set one up here.',
  );
}
