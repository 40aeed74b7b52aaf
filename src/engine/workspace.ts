// A project as the operations see it: its definitions, its sessions, its settings.
// Opening one touches nothing on disk; each part is read when a call needs it.

import os from 'node:os';
import type { Processes } from '../core/session/ownership.ts';
import { jobFolders } from '../definitions/folders.ts';
import { guideFolders } from '../definitions/guides/folders.ts';
import { type GuideLibrary, openGuideLibrary } from '../definitions/guides/library.ts';
import { type Library, openLibrary } from '../definitions/library.ts';
import { type Answers, openAnswers } from '../environment/answers.ts';
import { type Clock, systemClock } from '../environment/clock.ts';
import { type Config, openConfig } from '../environment/config.ts';
import { type Containment, openContainment } from '../environment/containment.ts';
import { openGitIndex } from '../environment/git-index.ts';
import { guardConfig, type HeldSetting } from '../environment/guarded-settings.ts';
import { type Paths, pathsOf } from '../environment/paths.ts';
import { systemProcesses } from '../environment/process-identity.ts';
import { type Overrides, type Settings, settle } from '../environment/settings.ts';
import { journalKey } from '../environment/signing-key.ts';
import { openTrust, type Trust } from '../environment/trust.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { killCommandsOf } from '../gate/command.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { openFileJournal } from '../journal/file.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import type { Journal } from '../journal/journal.ts';
import { type Knowledge, openKnowledge } from '../knowledge/knowledge.ts';
import { openEndedIndex } from '../sessions/ended-index.ts';
import { type LostAnswers, openLostAnswers } from '../sessions/lost-answers.ts';
import { openStacks, type Stacks } from '../sessions/stacks.ts';
import { openSessionStore, type SessionStore } from '../sessions/store.ts';
import { openViews, type Views } from '../sessions/views.ts';
import { CONFIG_FILE, openGoal, openTeamAgents, type ReadTeamAgents } from '../team/agents.ts';
import { readSettingsFiles } from '../team/lint-settings.ts';
import { openTeamRoom, type TeamRoom } from '../team/team.ts';
import { type BackgroundRuns, openBackgroundRuns } from './background-runs.ts';
import type { FinishedStepAnswer } from './finished-step-answer.ts';
import { openProblemReport } from './problem-report.ts';

export interface Workspace {
  readonly paths: Paths;
  /** What of the project must not be opened. */
  readonly containment: Containment;
  /** Comes before anything is written under `.deepwork`: git is told to ignore it. */
  prepare(): void;
  readonly library: Library;
  readonly guides: GuideLibrary;
  readonly knowledge: Knowledge;
  /** Who is in the team, as its definition says at this moment. */
  readonly teamAgents: ReadTeamAgents;
  readonly journal: Journal;
  readonly store: SessionStore;
  readonly stacks: Stacks;
  readonly views: Views;
  readonly clock: Clock;
  /** Who acts, and whether those who acted still do. */
  readonly processes: Processes;
  /** What became of the answers of this process, so that equal calls take turns. */
  readonly answers: Answers;
  /** Which answers about sessions did not arrive. */
  readonly lostAnswers: LostAnswers;
  readonly trust: Trust;
  /** The agents that share the project: state, messages, questions. */
  readonly team: TeamRoom;
  /** Submissions that are being judged. */
  readonly running: BackgroundRuns<FinishedStepAnswer>;
  /** What holds at this moment: flags, and `.deepwork/config.yml` as far as it is trusted. */
  settings(): Promise<Settings>;
  /** What `.deepwork/config.yml` says, whether it holds or not. */
  config(): Promise<Config>;
  /** What is wrong in `.deepwork/config.yml` and `GOAL.md`, a line each; also on stderr, once. */
  settingsProblems(): Promise<readonly string[]>;
  /** What it says and what does not hold, because it loosens something. */
  held(): Promise<readonly HeldSetting[]>;
  /**
   * Writes down which answers arrived, and closes the journal: the last thing before a
   * process ends in order.
   */
  close(): Promise<void>;
  /** Ends every command that runs for a call, and the watching of folders. */
  stop(): void;
}

/** What changes with every call; jobs and config are the project's own. */
const OWN_IGNORED = [
  '# By deepwork: what it writes here. Edit this as you like, it is not replaced.',
  '/.gitignore',
  '/journal/',
  '/tmp/',
];

export interface WorkspaceOptions {
  readonly projectRoot: string;
  readonly overrides?: Overrides;
  readonly standardJobsDir?: string | null;
  /** Where the guides that come with the program are. */
  readonly standardGuidesDir?: string | null;
  /** True: everything that the project says is trusted, for this run. */
  readonly trusted?: boolean;
  /** Told of settings that do not hold, whenever they are others than before. */
  readonly onHeld?: (held: readonly HeldSetting[]) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** How many workspaces of this process are open on a project: commands end with the last. */
const open = new Map<string, number>();

function enter(root: string): void {
  open.set(root, (open.get(root) ?? 0) + 1);
}

/** True: it was the last. */
function leave(root: string): boolean {
  const left = (open.get(root) ?? 1) - 1;
  if (left > 0) open.set(root, left);
  else open.delete(root);
  return left === 0;
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const paths = pathsOf(options.projectRoot);
  const env = options.env ?? process.env;
  const clock = systemClock();
  const processes = systemProcesses;
  const containment = openContainment(paths.root, (line) => {
    process.stderr.write(`deepwork: ${line}\n`);
  });
  const { problemOf, require } = containment;
  const prepare = () => {
    require(paths.own);
    ignoreInGit(paths.own, OWN_IGNORED);
  };
  const views = openViews(paths.tmp, () => require(paths.tmp), prepare);
  const layer = checkedLayer(realFileLayer, require, prepare);
  const answers = openAnswers();
  const lostAnswers = openLostAnswers(paths.tmp, views, answers, processes);
  let key: Buffer | undefined;
  const journal = openFileJournal(paths.journal, {
    key: () => {
      key ??= journalKey();
      return key;
    },
    cameWithClone: openGitIndex(paths.journal),
    layer,
  });
  const store = openSessionStore(journal, views, openEndedIndex(paths.tmp, views), processes);
  const report = openProblemReport((line) => {
    process.stderr.write(`deepwork: ${line}\n`);
  });
  const readConfig = openConfig(paths.root, paths.config);
  const config = async () => {
    const found = await readConfig();
    report(CONFIG_FILE, found.problems);
    return found;
  };
  const { standardJobsDir = null, standardGuidesDir = null } = options;
  const jobs = jobFolders(paths.root, env, standardJobsDir);
  const guidePlaces = guideFolders(paths.root, env, os.homedir(), standardGuidesDir);
  const guides = openGuideLibrary({ folders: () => guidePlaces, problemOf });
  const knowledge = openKnowledge(paths.root, problemOf);
  const goal = openGoal(paths.root);
  const teamAgents = openTeamAgents(paths.root, config, goal);
  const team = openTeamRoom({
    journal,
    stateFile: paths.state,
    clock,
    processes,
    agents: teamAgents,
    answers,
    check: require,
  });
  const trust = openTrust(paths.root, options.trusted || env.DEEPWORK_TRUST === '1');
  let said = '';
  const guarded = async () => {
    const known = trust.known();
    if (known.kind === 'everything') return { config: await config(), held: [] };
    const settings = known.kind === 'nothing' ? null : known.record.settings;
    const found = guardConfig(await config(), settings, known.kind === 'replaced');
    const now = JSON.stringify(found.held);
    if (now !== said && (said !== '' || found.held.length > 0)) options.onHeld?.(found.held);
    said = now;
    return found;
  };
  enter(paths.root);
  let stopped = false;
  return {
    paths,
    containment,
    prepare,
    library: openLibrary({ folders: () => jobs, problemOf }),
    guides,
    knowledge,
    teamAgents,
    journal,
    store,
    stacks: openStacks(store, clock, processes),
    views,
    clock,
    processes,
    trust,
    answers,
    lostAnswers,
    team,
    running: openBackgroundRuns(),
    settings: async () => settle(options.overrides ?? {}, (await guarded()).config),
    config,
    async settingsProblems() {
      const files = await readSettingsFiles(config, goal);
      // A link out of the project is reported once, by whoever met it first.
      const linked = problemOf(paths.config);
      return files.flatMap(({ file, problems }) =>
        linked !== null && file === CONFIG_FILE ? [`${file}: ${linked}`] : report(file, problems),
      );
    },
    held: async () => (await guarded()).held,
    async close() {
      await lostAnswers.confirm();
      await team.confirmAnswers().catch(() => {});
      await journal.close();
    },
    stop() {
      if (!stopped && leave(paths.root)) killCommandsOf(paths.root);
      stopped = true;
      guides.close();
      knowledge.close();
    },
  };
}
