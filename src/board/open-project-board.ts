// Opens the board of a project from its folder alone, for commands that only read, without loading
// the engine.

import type { Session } from '../core/session/state.ts';
import { guideFolders, jobFolders } from '../definitions/folders.ts';
import type { GuideLibrary } from '../definitions/guides/library.ts';
import { openGuideLibrary } from '../definitions/guides/library.ts';
import { type Library, openLibrary } from '../definitions/jobs/library.ts';
import { type Clock, systemClock } from '../environment/clock.ts';
import { readConfigInForce } from '../environment/config-in-force.ts';
import { openContainment } from '../environment/containment.ts';
import { openGitIndex } from '../environment/git/git-index.ts';
import { homeOf } from '../environment/home.ts';
import { pathsOf } from '../environment/paths.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { storeOfProject } from '../environment/project-store.ts';
import { type Config, openConfig } from '../environment/settings/config.ts';
import { effectiveSettings } from '../environment/settings/settings.ts';
import { keyFile, knownJournalKey } from '../environment/signing-key.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { openChosenReader } from '../journal/chosen-reader.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { openOnlyInFiles } from '../journal/left-in-files.ts';
import { openPostgresStore } from '../journal/postgres/open.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';
import { openJournalReader } from '../journal/reader.ts';
import { readerWithPortablePaths, withPortablePaths } from '../sessions/portable-paths.ts';
import { openTeamAgents } from '../team/agents.ts';
import { openBoard, type ProjectBoard, type RunDefinition } from './board.ts';
import { storeWarnings } from './store-warnings.ts';

export interface ProjectBoardOptions {
  readonly projectRoot: string;
  readonly standardJobsDir?: string | null;
  readonly standardGuidesDir?: string | null;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** The database of a server in this process. */
  readonly database?: () => Promise<PostgresStore | null>;
}

const DEFAULT_STALLED_MINUTES = 30;

export function openProjectBoard(options: ProjectBoardOptions): ProjectBoard {
  const { paths, containment, library, guides } = openDefinitions(options);
  const config = openConfig(paths.root, paths.config);
  const { database = openDatabaseChoice(options, config) } = options;
  const { env = process.env, clock = systemClock(), standardJobsDir = null } = options;
  const layer = checkedLayer(realFileLayer, containment.require);
  const onlyInFiles = openOnlyInFiles(paths.journal, layer);
  const places = { root: paths.root, jobFolders: jobFolders(paths.root, env, standardJobsDir) };
  return openBoard({
    paths,
    problemOf: containment.problemOf,
    ...openChosenReader({
      database,
      files: readerWithPortablePaths(
        openJournalReader(paths.journal, {
          key: () => knownJournalKey(keyFile(env)),
          cameWithClone: openGitIndex(paths.journal),
          layer,
        }),
        places,
      ),
      system: systemProcesses,
      portable: (journal) => withPortablePaths(journal, places),
    }),
    warnings: async () => storeWarnings(paths, await database(), onlyInFiles),
    clock,
    stalledAfterMinutes: () => stalledAfterMinutes(config),
    teamAgents: openTeamAgents(paths.root, config),
    definitionOf: (session) => definitionOf({ library, guides }, session),
  });
}

/** Whether an agent's word can stand for a review here. */
export async function agentsMaySkipReviews({
  projectRoot,
  env = process.env,
}: ProjectBoardOptions): Promise<boolean> {
  const config = await readConfigInForce(pathsOf(projectRoot), env);
  return effectiveSettings({}, config).overrides === 'agent';
}

/** Chooses the store as a server of this project would. */
function openDatabaseChoice(
  { projectRoot, env = process.env }: ProjectBoardOptions,
  config: () => Promise<Config>,
): () => Promise<PostgresStore | null> {
  const paths = pathsOf(projectRoot);
  let opened: PostgresStore | null | undefined;
  return async () => {
    if (opened !== undefined) return opened;
    const choice = await storeOfProject({ paths, env, config });
    opened ??=
      choice.kind === 'files'
        ? null
        : openPostgresStore({ ...choice, processes: systemProcesses, readOnly: true });
    return opened;
  };
}

/** The jobs and guides of a project, as they are on disk now. */
export function openDefinitions(options: ProjectBoardOptions) {
  const { standardJobsDir = null, standardGuidesDir = null, env = process.env } = options;
  const paths = pathsOf(options.projectRoot);
  const containment = openContainment(paths.root, () => {});
  const { problemOf } = containment;
  const jobs = jobFolders(paths.root, env, standardJobsDir);
  const guidePlaces = guideFolders(paths.root, env, homeOf(env), standardGuidesDir);
  const library = openLibrary({ folders: () => jobs, problemOf });
  const guides = openGuideLibrary({ folders: () => guidePlaces, problemOf });
  return { paths, containment, library, guides };
}

/** The default if the config cannot be read, which is reported elsewhere. */
async function stalledAfterMinutes(config: () => Promise<Config>): Promise<number> {
  const found = await config().catch(() => null);
  return found?.board.stalledAfterMinutes ?? DEFAULT_STALLED_MINUTES;
}

async function definitionOf(
  { library, guides }: { readonly library: Library; readonly guides: GuideLibrary },
  session: Session,
): Promise<RunDefinition | null> {
  if (session.source === 'guide') {
    const found = await guides.find(session.jobName);
    if (found.kind !== 'guide') return null;
    const { definition } = found.guide;
    const [workflow] = definition.workflows;
    return workflow === undefined ? null : { definition, workflow };
  }
  const found = await library.at(session.jobDir);
  if (found.kind !== 'job') return null;
  const workflow = found.job.workflows.find(({ name }) => name === session.workflowName);
  return workflow === undefined ? null : { definition: found.job, workflow };
}
