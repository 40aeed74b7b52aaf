// deepwork export: a run as one file that plays it back (`export-run.ts`), or workflows as skills
// (agentskills.io), for clients whose agents pick a skill by its description. A skill does not list
// the steps: it starts the workflow, which hands them out one at a time.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { loadBundle } from '../../bundles/load-bundle.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { homeOf } from '../../environment/home.ts';
import { linkProblem } from '../../files/folder-links.ts';
import { bundled, readCommandLine, UsageError } from '../command-line.ts';
import { EXPORT_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { entryExists, projectAt, projectOptions, requireProject } from '../project.ts';
import { printable } from '../terminal/printable.ts';
import { exportRun } from './export-run.ts';
import { MADE_BY, type Skill, skillOf } from './skill-text.ts';
import { isFreeFor, writeExport } from './write-export.ts';

const DEFAULT_FOLDER = path.join('.claude', 'skills');

export async function exportCommand(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'export', argv, EXPORT_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [what, ...names] = positionals;
  if (what === undefined) {
    throw new UsageError('say what to export: deepwork export <id>, or deepwork export skills');
  }
  if (what !== 'skills') {
    if (names.length > 0 || values.to !== undefined) {
      throw new UsageError('--to and several names go with: deepwork export skills');
    }
    return exportRun(io, what, requireProject(io, values.path), values.output);
  }
  if (values.output !== undefined) throw new UsageError('--output goes with: deepwork export <id>');
  const project = requireDefinitions(io, values.path);
  const folder =
    values.to === undefined ? path.join(project, DEFAULT_FOLDER) : path.resolve(io.cwd, values.to);
  // A folder that a person names may be anywhere; the default must not link out of the project.
  const problem = values.to === undefined ? linkProblem(project, folder) : null;
  if (problem !== null) throw new Error(`${problem}. Remove the link, or name a folder with --to.`);
  return exportSkills(io, project, folder, names);
}

/** Guides may be there without a `.deepwork`. */
function requireDefinitions(io: Io, given: string | undefined): string {
  const { jobFolders, guideFolders } = loadBundle('engine');
  const root = projectAt(io, given);
  const { standardJobsDir, standardGuidesDir } = bundled();
  const own = [
    ...jobFolders(root, io.env, standardJobsDir),
    ...guideFolders(root, io.env, homeOf(io.env), standardGuidesDir),
  ].filter((folder) => folder !== standardJobsDir && folder !== standardGuidesDir);
  return own.some(entryExists) ? root : requireProject(io, given);
}

async function exportSkills(
  io: Io,
  project: string,
  folder: string,
  names: readonly string[],
): Promise<number> {
  const engine = loadBundle('engine');
  const workspace = engine.openWorkspace(projectOptions(io, project));
  try {
    const known = await engine.listStartable(workspace);
    const all = known.map(({ name }) => name);
    // A broken file that another one with its name replaces is not missed.
    const isKnown = (name: string) => known.some((each) => each.name.split('/', 1)[0] === name);
    const broken = (await brokenIn(workspace)).filter((name) => !isKnown(name));
    const unknown = names.filter((name) => !known.some((each) => each.name === name));
    const named = unknown.filter((name) => broken.includes(name.split('/', 1)[0] ?? name));
    if (named.length > 0) {
      const have = named.length === 1 ? 'has' : 'have';
      throw new UsageError(`${named.join(', ')} ${have} problems. ${SHOW_PROBLEMS}`);
    }
    if (unknown.length > 0) {
      throw new UsageError(
        `there is no workflow ${unknown.join(', ')}. Use some of: ${all.join(', ')}`,
      );
    }
    const chosen = names.length === 0 ? known : known.filter(({ name }) => names.includes(name));
    const written = chosen.map((each) => writeSkill(io, project, folder, skillOf(each, all)));
    if (names.length === 0 && broken.length > 0) {
      const left = printable(broken.join(', '));
      io.stderr.write(`deepwork: Left out, because of problems: ${left}. ${SHOW_PROBLEMS}\n`);
    }
    return written.every(Boolean) ? 0 : 1;
  } finally {
    workspace.stop();
  }
}

const SHOW_PROBLEMS = 'To see them: deepwork lint';

/** Jobs and guides with problems, which cannot be started. */
async function brokenIn({ library, guides }: Workspace): Promise<string[]> {
  const [jobs, found] = await Promise.all([library.list(), guides.list()]);
  const names = [...jobs.errors.map((job) => job.job_name), ...found.errors.map(({ id }) => id)];
  return [...new Set(names)].sort();
}

/** False if another skill has that name, or if its path is a link out of the project. */
function writeSkill(io: Io, project: string, folder: string, { name, text }: Skill): boolean {
  const file = path.join(folder, name, 'SKILL.md');
  const problem = linkProblem(project, file);
  if (problem !== null) {
    io.stderr.write(`deepwork: ${problem}. It is left alone: remove the link.\n`);
    return false;
  }
  if (!isFreeFor(file, MADE_BY)) {
    const shown = printable(file);
    io.stderr.write(`deepwork: ${shown} was not written by deepwork and is left alone.\n`);
    return false;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeExport(file, text);
  io.stdout.write(`${file}\n`);
  return true;
}
