// A project as the operations see it: its definitions, its sessions, its settings. Opening one
// neither reads nor writes files; each part is read when a call needs it.

import type { Processes } from '../core/session/ownership.ts';
import { guideFolders, jobFolders } from '../definitions/folders.ts';
import { type GuideLibrary, openGuideLibrary } from '../definitions/guides/library.ts';
import { type Library, openLibrary } from '../definitions/jobs/library.ts';
import { type Answers, openAnswers } from '../environment/answer-delivery.ts';
import { type Clock, systemClock } from '../environment/clock.ts';
import { configInForce } from '../environment/config-in-force.ts';
import { type Containment, openContainment } from '../environment/containment.ts';
import { openGitIndex } from '../environment/git/git-index.ts';
import { homeOf } from '../environment/home.ts';
import { OWN_IGNORED, type Paths, pathsOf } from '../environment/paths.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { type Config, openConfig } from '../environment/settings/config.ts';
import type { HeldSetting } from '../environment/settings/guarded-settings.ts';
import {
  effectiveSettings,
  type Overrides,
  type Settings,
} from '../environment/settings/settings.ts';
import { journalKey, keyFile, reviewsKey } from '../environment/signing-key.ts';
import { chooseStore } from '../environment/store-choice.ts';
import { openTrust, type Trust, trustFolder } from '../environment/trust/trust.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { killCommandsOf } from '../gate/command.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { openChosenStore } from '../journal/chosen-store.ts';
import { openFileJournal } from '../journal/file.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import type { Journal } from '../journal/journal.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';
import { type Knowledge, openKnowledge } from '../knowledge/knowledge.ts';
import { openEndedIndex } from '../sessions/ended-index.ts';
import { type LostAnswers, openLostAnswers } from '../sessions/lost-answers.ts';
import { withPortablePaths } from '../sessions/portable-paths.ts';
import { openStacks, type Stacks } from '../sessions/stacks.ts';
import { openSessionStore, type SessionStore } from '../sessions/store.ts';
import { openViews, type Views } from '../sessions/views.ts';
import { CONFIG_FILE, openGoal, openTeamAgents, type ReadTeamAgents } from '../team/agents.ts';
import { readSettingsFiles } from '../team/lint-settings.ts';
import { openTeamService, type TeamService } from '../team/team.ts';
import type { FinishedStepAnswer } from './answer-types.ts';
import { openProblemReport } from './problem-report.ts';
import { type BackgroundRuns, openBackgroundRuns } from './submission/background-runs.ts';

export interface Workspace {
  readonly paths: Paths;
  /** What programs inherit that are started for it. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the person is told who started this process. */
  readonly stderr: ErrorOutput;
  /** Which paths of the project must not be opened. */
  readonly containment: Containment;
  /** Called before anything is written under `.deepwork`: makes git ignore it. */
  prepare(): void;
  readonly library: Library;
  readonly guides: GuideLibrary;
  readonly knowledge: Knowledge;
  /** The members of the team, from its current definition. */
  readonly teamAgents: ReadTeamAgents;
  readonly journal: Journal;
  /** The database that has the journal; null if files do. Refused if that cannot be determined. */
  database(): Promise<PostgresStore | null>;
  /** Streams that are in files, but not in the chosen database. */
  onlyInFiles(): Promise<readonly string[]>;
  /** Runs a call that waits for an unavailable database only for a limited time. */
  withinCall<T>(run: () => Promise<T>): Promise<T>;
  /** Signs review codes. It belongs to the user, or to the workspace if a database is used. */
  reviewsKey(): Buffer;
  readonly store: SessionStore;
  readonly stacks: Stacks;
  readonly views: Views;
  readonly clock: Clock;
  /** This process, and whether other processes are alive. */
  readonly processes: Processes;
  /** Whether the answers of this process were delivered; makes equal calls take turns. */
  readonly answers: Answers;
  /** Which answers about sessions did not arrive. */
  readonly lostAnswers: LostAnswers;
  readonly trust: Trust;
  /** The agents that share the project: state, messages, questions. */
  readonly team: TeamService;
  readonly notifiesPerson: boolean;
  /** Submissions that are being judged. */
  readonly running: BackgroundRuns<FinishedStepAnswer>;
  /** The values in force: flags, and `.deepwork/config.yml` as far as it is trusted. */
  settings(): Promise<Settings>;
  /** The values in `.deepwork/config.yml`, in force or not. */
  config(): Promise<Config>;
  /** The script in `GOAL.md` that decides whether an unattended team is done; null if none. */
  completionGate(): Promise<string | null>;
  /** What is wrong in `.deepwork/config.yml` and `GOAL.md`, a line each; also on stderr, once. */
  settingsProblems(): Promise<readonly string[]>;
  /** Settings in `config.yml` that are not in force, because they loosen something. */
  held(): Promise<readonly HeldSetting[]>;
  /**
   * Records which answers arrived, and closes the journal. The last call before a process exits
   * normally.
   */
  close(): Promise<void>;
  /** Kills the commands that run for calls, and stops watching folders. */
  stop(): void;
}

/** Like `process.stderr`. */
export interface ErrorOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface WorkspaceOptions {
  readonly projectRoot: string;
  /** The worktree of the project in which the work is done, if any. */
  readonly workRoot?: string | null;
  readonly overrides?: Overrides;
  readonly standardJobsDir?: string | null;
  /** The folder of the guides that are shipped with the program. */
  readonly standardGuidesDir?: string | null;
  /** Trusts all commands and settings of the project, in this process only. */
  readonly trusted?: boolean;
  /** Called with the settings that are not in force, whenever they change. */
  readonly onHeld?: (held: readonly HeldSetting[]) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** The agent that this process works for, if any. */
  readonly agent?: string;
  /** False if those who answer questions need no notification. True by default. */
  readonly notifiesPerson?: boolean;
  readonly stderr?: ErrorOutput;
  /** Called for each problem in the project's files; prints to stderr by default. */
  readonly onProblem?: (line: string) => void;
}

/** How many open workspaces of this process use a folder: its commands end with the last one. */
const openCounts = new Map<string, number>();

function countOpened(root: string): void {
  openCounts.set(root, (openCounts.get(root) ?? 0) + 1);
}

/** True if it was the last. */
function countClosed(root: string): boolean {
  const left = (openCounts.get(root) ?? 1) - 1;
  if (left > 0) openCounts.set(root, left);
  else openCounts.delete(root);
  return left === 0;
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const paths = pathsOf(options.projectRoot, options.workRoot ?? options.projectRoot);
  const env = options.env ?? process.env;
  const clock = options.clock ?? systemClock();
  const stderr = options.stderr ?? process.stderr;
  const print = (line: string) => void stderr.write(`deepwork: ${line}\n`);
  const onProblem = options.onProblem ?? print;
  const containment = openContainment(paths.root, onProblem);
  const { problemOf, require } = containment;
  const prepare = () => {
    require(paths.own);
    ignoreInGit(paths.own, OWN_IGNORED);
  };
  const views = openViews(paths.tmp, () => require(paths.tmp), prepare);
  const layer = checkedLayer(realFileLayer, require, prepare);
  let key: Buffer | undefined;
  const files = openFileJournal(paths.journal, {
    key: () => {
      key ??= journalKey(keyFile(env));
      return key;
    },
    cameWithClone: openGitIndex(paths.journal),
    layer,
  });
  const { standardJobsDir = null, standardGuidesDir = null } = options;
  const jobs = jobFolders(paths.root, env, standardJobsDir);
  const chosen = openChosenStore({
    choose: async () => chooseStore((await guarded()).config.store, env, { paths, prepare }),
    files,
    system: systemProcesses,
    agent: options.agent,
    portable: (each) => withPortablePaths(each, { root: paths.root, jobFolders: jobs }),
  });
  const { journal, processes } = chosen;
  const answers = openAnswers();
  const lostAnswers = openLostAnswers(paths.tmp, views, answers, processes);
  const store = openSessionStore(
    journal,
    views,
    openEndedIndex(paths.tmp, views),
    processes,
    lostAnswers.lose,
    print,
  );
  const report = openProblemReport(onProblem);
  const readConfig = openConfig(paths.root, paths.config);
  const config = async () => {
    const found = await readConfig();
    report(CONFIG_FILE, found.problems);
    return found;
  };
  const guideRoots = guideFolders(paths.root, env, homeOf(env), standardGuidesDir);
  const guides = openGuideLibrary({ folders: () => guideRoots, problemOf });
  const knowledge = openKnowledge(paths.root, problemOf);
  const goal = openGoal(paths.root);
  const teamAgents = openTeamAgents(paths.root, config, goal);
  const team = openTeamService({
    journal,
    stateFile: paths.state,
    clock,
    processes,
    agents: teamAgents,
    answers,
    check: require,
    onProblem: print,
  });
  const trustsAll = options.trusted || env.DEEPWORK_TRUST === '1';
  const trust = openTrust(paths.root, trustsAll, trustFolder(env), paths.work);
  let reportedHeld = '';
  const guarded = async () => {
    const known = trust.known();
    const found = configInForce(await config(), known);
    if (known.kind === 'everything') return found;
    const now = JSON.stringify(found.held);
    const isFirst = reportedHeld === '';
    if (now !== reportedHeld && (!isFirst || found.held.length > 0)) options.onHeld?.(found.held);
    reportedHeld = now;
    return found;
  };
  countOpened(paths.work);
  let stopped = false;
  return {
    paths,
    env,
    stderr,
    containment,
    prepare,
    library: openLibrary({ folders: () => jobs, problemOf }),
    guides,
    knowledge,
    teamAgents,
    journal,
    database: chosen.database,
    onlyInFiles: chosen.onlyInFiles,
    withinCall: chosen.withinCall,
    reviewsKey: () => chosen.known()?.knownKeys()?.reviews ?? reviewsKey(keyFile(env)),
    store,
    stacks: openStacks(store, clock, processes),
    views,
    clock,
    processes,
    trust,
    answers,
    lostAnswers,
    team,
    notifiesPerson: options.notifiesPerson ?? true,
    running: openBackgroundRuns(),
    settings: async () => effectiveSettings(options.overrides ?? {}, (await guarded()).config),
    config,
    completionGate: async () => (await goal()).gateScript ?? null,
    async settingsProblems() {
      const files = await readSettingsFiles(config, goal);
      // A link out of the project has already been reported by `containment`.
      const linked = problemOf(paths.config);
      return files.flatMap(({ file, problems }) =>
        linked !== null && file === CONFIG_FILE ? [`${file}: ${linked}`] : report(file, problems),
      );
    },
    held: async () => (await guarded()).held,
    async close() {
      await lostAnswers.confirm();
      await team.close();
      await chosen.close();
      views.close();
    },
    stop() {
      if (!stopped && countClosed(paths.work)) killCommandsOf(paths.work);
      stopped = true;
      guides.close();
      knowledge.close();
    },
  };
}
