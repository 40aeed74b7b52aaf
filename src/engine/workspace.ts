// A project as the operations see it: its definitions, its sessions, its settings.
// Opening one touches nothing on disk; each part is read when a call needs it.

import os from 'node:os';
import type { Processes } from '../core/session/ownership.ts';
import { guideFolders, jobFolders } from '../definitions/folders.ts';
import { type GuideLibrary, openGuideLibrary } from '../definitions/guides/library.ts';
import { type Library, openLibrary } from '../definitions/jobs/library.ts';
import { type Answers, openAnswers } from '../environment/answer-delivery.ts';
import { type Clock, systemClock } from '../environment/clock.ts';
import { type Containment, openContainment } from '../environment/containment.ts';
import { openGitIndex } from '../environment/git/git-index.ts';
import { OWN_IGNORED, type Paths, pathsOf } from '../environment/paths.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { type Config, openConfig } from '../environment/settings/config.ts';
import { guardConfig, type HeldSetting } from '../environment/settings/guarded-settings.ts';
import {
  effectiveSettings,
  type Overrides,
  type Settings,
} from '../environment/settings/settings.ts';
import { journalKey, reviewsKey } from '../environment/signing-key.ts';
import { chooseStore } from '../environment/store-choice.ts';
import { openTrust, type Trust } from '../environment/trust/trust.ts';
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
  /** What of the project must not be opened. */
  readonly containment: Containment;
  /** Comes before anything is written under `.deepwork`: makes git ignore it. */
  prepare(): void;
  readonly library: Library;
  readonly guides: GuideLibrary;
  readonly knowledge: Knowledge;
  /** Who is in the team, as its definition says at this moment. */
  readonly teamAgents: ReadTeamAgents;
  readonly journal: Journal;
  /** Where the journal is, if that is not in files. Refused if it is unclear. */
  database(): Promise<PostgresStore | null>;
  /** Streams that were left in files when the database was chosen. */
  onlyInFiles(): Promise<readonly string[]>;
  /** Runs a call, which waits for a database that is away only so long. */
  withinCall<T>(run: () => Promise<T>): Promise<T>;
  /** Signs review codes. Of the user, or of the workspace in a database. */
  reviewsKey(): Buffer;
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
  readonly team: TeamService;
  readonly notifiesPerson: boolean;
  /** Submissions that are being judged. */
  readonly running: BackgroundRuns<FinishedStepAnswer>;
  /** What holds at this moment: flags, and `.deepwork/config.yml` as far as it is trusted. */
  settings(): Promise<Settings>;
  /** What `.deepwork/config.yml` says, whether it holds or not. */
  config(): Promise<Config>;
  /** The script of `GOAL.md` that says whether an unattended team is done; null if there is none. */
  completionGate(): Promise<string | null>;
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

export interface WorkspaceOptions {
  readonly projectRoot: string;
  /** Where the work is done, if that is a worktree of the project. */
  readonly workRoot?: string | null;
  readonly overrides?: Overrides;
  readonly standardJobsDir?: string | null;
  /** Where the guides that come with the program are. */
  readonly standardGuidesDir?: string | null;
  /** True: everything that the project says is trusted, for this run. */
  readonly trusted?: boolean;
  /** Told of settings that do not hold, whenever they are others than before. */
  readonly onHeld?: (held: readonly HeldSetting[]) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** The agent that this process works for, if it works for one. */
  readonly agent?: string;
  /** False: whoever answers questions here needs no notice of them. True by default. */
  readonly notifiesPerson?: boolean;
  /** Told what is wrong in the project's files; stderr by default. */
  readonly onProblem?: (line: string) => void;
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

function sayOnStderr(line: string): void {
  process.stderr.write(`deepwork: ${line}\n`);
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const paths = pathsOf(options.projectRoot, options.workRoot ?? options.projectRoot);
  const env = options.env ?? process.env;
  const clock = systemClock();
  const say = options.onProblem ?? sayOnStderr;
  const containment = openContainment(paths.root, say);
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
      key ??= journalKey();
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
  );
  const report = openProblemReport(say);
  const readConfig = openConfig(paths.root, paths.config);
  const config = async () => {
    const found = await readConfig();
    report(CONFIG_FILE, found.problems);
    return found;
  };
  const guidePlaces = guideFolders(paths.root, env, os.homedir(), standardGuidesDir);
  const guides = openGuideLibrary({ folders: () => guidePlaces, problemOf });
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
  });
  const everything = options.trusted || env.DEEPWORK_TRUST === '1';
  const trust = openTrust(paths.root, everything, undefined, paths.work);
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
  enter(paths.work);
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
    database: chosen.database,
    onlyInFiles: chosen.onlyInFiles,
    withinCall: chosen.withinCall,
    reviewsKey: () => chosen.known()?.knownKeys()?.reviews ?? reviewsKey(),
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
      // A link out of the project is reported once, where it is met first.
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
      if (!stopped && leave(paths.work)) killCommandsOf(paths.work);
      stopped = true;
      guides.close();
      knowledge.close();
    },
  };
}
