// The scratch project that a workflow is played in: a temporary folder with a copy of the
// definitions, on the real engine. Commands of the project are replaced: checks and reviews fail on
// a lie and pass otherwise, and the script decides whether a loop is done.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Check, changeSteps, type Entry, type Job } from '../core/workflow.ts';
import { openWorkspace, type Workspace } from '../engine/workspace.ts';
import { shellProgram, treatAsCopy } from '../environment/process/program.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import type { Settings } from '../environment/settings/settings.ts';
import { isInside } from '../files/inside.ts';
import { LIE } from './content.ts';
import { copyDefinitions } from './copy-definitions.ts';

export interface ScratchOptions {
  readonly projectRoot: string;
  readonly standardJobsDir: string | null;
  readonly standardGuidesDir: string | null;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the project's own checks, in a copy of all its files. */
  readonly runChecks: boolean;
}

export interface Scratch {
  readonly root: string;
  /** Whether the project lets agents skip reviews. */
  readonly agentsMaySkipReviews: boolean;
  /** Opens the scratch project as a server does when it starts. */
  open(): Workspace;
  /** Writes a file below `simulated`; returns its path in the project. */
  write(file: string, text: string): string;
  /** Sets whether the stand-in for a loop's check passes. */
  setLoopsDone(done: boolean): void;
  remove(): void;
}

const WORK = 'simulated';
const NOT_YET = `${WORK}/not-yet`;
const CONFIG = {
  git: { branch: 'off' },
  quality_gate: { answer_within: 60 },
  team: { question_wait_seconds: 1 },
};

export async function makeScratch(options: ScratchOptions): Promise<Scratch> {
  const { projectRoot, runChecks, standardJobsDir, standardGuidesDir } = options;
  const { reviewer: chosen, overrides } = await settingsOf(projectRoot, options.env);
  const root = mkdtempSync(path.join(os.tmpdir(), 'deepwork-simulate-'));
  treatAsCopy(root, projectRoot);
  // Outside the copy, so that no file of the project can be in its place.
  const aside = mkdtempSync(path.join(os.tmpdir(), 'deepwork-simulate-'));
  const remove = () => {
    for (const each of [root, aside]) {
      rmSync(each, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  const reviewer = path.join(aside, 'reviewer.sh');
  try {
    copyDefinitions(projectRoot, root, runChecks);
    mkdirSync(path.join(root, WORK), { recursive: true });
    writeNew(path.join(root, '.deepwork', 'config.yml'), JSON.stringify(CONFIG));
    writeNew(reviewer, REVIEWER);
  } catch (error) {
    remove();
    throw error;
  }
  // Without the database: what is played here must not reach a shared journal.
  const env = programEnvironment(options.env);
  return {
    root,
    agentsMaySkipReviews: overrides === 'agent',
    open() {
      const workspace = openWorkspace({
        projectRoot: root,
        overrides: {
          // In quotes: the path of the temporary folder may contain blanks.
          ...(chosen.kind === 'off'
            ? { enableQualityGate: false }
            : { agentReviewCommand: `${shellProgram()} ${JSON.stringify(reviewer)}` }),
          qualityGateMaxAttempts: 1000,
        },
        standardJobsDir,
        standardGuidesDir,
        trusted: true,
        env,
        notifiesPerson: false,
        onProblem: () => {},
      });
      return runChecks ? workspace : { ...workspace, library: withStandIns(workspace.library) };
    },
    write(file, text) {
      const inProject = path.posix.join(WORK, file);
      if (!isInside(WORK, inProject)) throw new Error(`'${file}' leads out of the simulation`);
      mkdirSync(path.join(root, path.posix.dirname(inProject)), { recursive: true });
      writeFileSync(path.join(root, inProject), text);
      return inProject;
    },
    setLoopsDone(done) {
      const file = path.join(root, NOT_YET);
      if (done) rmSync(file, { force: true });
      else writeFileSync(file, '');
    },
    remove,
  };
}

/** Fails if anything exists there, even a broken link. */
function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'wx' });
}

/** Passes everything without a lie. */
const REVIEWER = `if grep -q '${LIE}'; then
  printf '{"passed": false, "feedback": "This is not done."}'
else
  printf '{"passed": true, "feedback": ""}'
fi
`;

async function settingsOf(projectRoot: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const workspace = openWorkspace({ projectRoot, env, onProblem: () => {} });
  try {
    return await workspace.settings();
  } finally {
    workspace.stop();
  }
}

function withStandIns(library: Workspace['library']): Workspace['library'] {
  const known = new Map<Job, Job>();
  const replaced = (job: Job): Job => {
    const before = known.get(job);
    if (before !== undefined) return before;
    const made = withoutCommands(job);
    known.set(job, made);
    return made;
  };
  type Found = Awaited<ReturnType<typeof library.find>>;
  const found = (one: Found): Found =>
    one.kind === 'job' ? { ...one, job: replaced(one.job) } : one;
  return {
    list: async () => {
      const listing = await library.list();
      return { ...listing, jobs: listing.jobs.map(replaced) };
    },
    find: async (name) => found(await library.find(name)),
    at: async (dir) => found(await library.at(dir)),
    get parsed() {
      return library.parsed;
    },
  };
}

function withoutCommands(job: Job): Job {
  const standIn = (check: Check): Check => ({ ...check, run: `! grep -rqs '${LIE}' ${WORK}` });
  const workflows = job.workflows.map((workflow) => {
    const changed = changeSteps(workflow, (step) => ({
      ...step,
      checks: step.checks.map(standIn),
    }));
    return { ...changed, entries: changed.entries.map(withScriptedLoops) };
  });
  const steps = job.steps.map((step) => ({ ...step, checks: step.checks.map(standIn) }));
  return { ...job, steps, workflows };
}

function withScriptedLoops(entry: Entry): Entry {
  if (entry.kind !== 'loop') return entry;
  const { until } = entry;
  const entries = entry.entries.map(withScriptedLoops);
  if (until.kind !== 'check') return { ...entry, entries };
  const check = { ...until.check, run: `test ! -e ${NOT_YET}` };
  return { ...entry, entries, until: { kind: 'check', check } };
}
