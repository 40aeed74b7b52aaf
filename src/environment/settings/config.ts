// `.deepwork/config.yml`: optional, re-read when it changes. Invalid parts are reported with
// their position and count as absent; the rest applies. For protective settings (who may skip
// reviews, whether tokens are needed) the strictest value applies if the value, its section
// or the file cannot be read.

import type { Issue } from '../../core/issue.ts';
import { OVERRIDE_RULES, type OverrideRule } from '../../core/overrides.ts';
import { type Refused, refusedWith } from '../../core/refusal.ts';
import { boolean, closedMap, ignored, type Read } from '../../definitions/reader/fields.ts';
import { oneIssue } from '../../definitions/reader/issues.ts';
import { closeSettingsLog, openSettingsLog } from '../../definitions/reader/settings-issues.ts';
import { openReadCache, takeFingerprint } from '../../files/fingerprint.ts';
import { linkProblem } from '../../files/folder-links.ts';
import { decodeUtf8, readContained } from '../../files/read-contained.ts';
import { realRootOf } from '../../files/real-root.ts';
import { BRANCH_MODES, type BranchMode } from '../git/branch.ts';
import { command, count, countUpTo, plainCommand, setting, word } from './config-fields.ts';
import { NO_RUN, RUN_KEYS, type RunConfig, readRun } from './run-config.ts';
import { NO_STORE, STORE_FIELDS, type StoreConfig, storeConfig } from './store-config.ts';
import { NO_TEAM, readTeam, type TeamConfig, teamProblem } from './team-config.ts';

/** How deepwork acts inside the clients of agents. */
interface ClientsConfig {
  readonly maxNudges: number | null;
  readonly protectDefinitions: boolean | null;
}

/** What people are shown of runs. */
interface BoardConfig {
  readonly stalledAfterMinutes: number | null;
}

export interface Config {
  readonly agentReviewCommand: string | null;
  readonly timeoutSeconds: number | null;
  readonly maxAttempts: number | null;
  readonly maxParallel: number | null;
  readonly answerWithinSeconds: number | null;
  readonly overrides: OverrideRule | null;
  readonly branch: BranchMode | null;
  readonly clients: ClientsConfig;
  readonly board: BoardConfig;
  readonly run: RunConfig;
  /** A command that prepares the worktree of a run. */
  readonly worktreeSetup: string | null;
  readonly team: TeamConfig;
  /** Where the journal is kept. */
  readonly store: StoreConfig;
  readonly problems: readonly Issue[];
  /** The problem that makes it unclear who is in the team; null if there is none. */
  readonly teamProblem: Issue | null;
}

const NO_CLIENTS: ClientsConfig = { maxNudges: null, protectDefinitions: null };

const NO_BOARD: BoardConfig = { stalledAfterMinutes: null };

const EMPTY: Config = {
  agentReviewCommand: null,
  timeoutSeconds: null,
  maxAttempts: null,
  maxParallel: null,
  answerWithinSeconds: null,
  overrides: null,
  branch: null,
  clients: NO_CLIENTS,
  board: NO_BOARD,
  run: NO_RUN,
  worktreeSetup: null,
  team: NO_TEAM,
  store: NO_STORE,
  problems: [],
  teamProblem: null,
};

const MAX_BYTES = 256 * 1024;

/** Each reminder is a turn of a model that someone pays for. */
const MAX_NUDGES = 10;

const STRICTEST: OverrideRule = 'never';

const GATE_FIELDS = {
  agent_review_command: setting(plainCommand),
  default_timeout: setting(count),
  default_max_attempts: setting(count),
  max_parallel: setting(count),
  answer_within: setting(count),
  // An invalid word was meant to set something; the strictest value applies.
  overrides: setting(word(OVERRIDE_RULES, STRICTEST)),
};
const readGateMap = closedMap(GATE_FIELDS);
const readGate: Read<ReturnType<typeof readGateMap>> = (node, path, to) => {
  const gate = readGateMap(node, path, to);
  return node.kind === 'map' ? gate : { ...gate, overrides: STRICTEST };
};
const GIT_FIELDS = { branch: setting(word(BRANCH_MODES)) };
const CLIENTS_FIELDS = {
  max_nudges: setting(countUpTo(MAX_NUDGES)),
  protect_definitions: setting(boolean),
};
const BOARD_FIELDS = { stalled_after_minutes: setting(count) };
const WORKTREE_FIELDS = { setup: setting(command) };
const ROOT_FIELDS = {
  quality_gate: setting(readGate),
  git: setting(closedMap(GIT_FIELDS)),
  clients: setting(closedMap(CLIENTS_FIELDS)),
  board: setting(closedMap(BOARD_FIELDS)),
  run: setting(readRun),
  worktree: setting(closedMap(WORKTREE_FIELDS)),
  team: setting(readTeam),
  ...STORE_FIELDS,
  // Written by older tools with this name.
  version: setting(ignored),
  platforms: setting(ignored),
};
const readRoot = closedMap(ROOT_FIELDS);

/** All keys, for the test of the documentation. */
export const CONFIG_KEYS = {
  root: Object.keys(ROOT_FIELDS),
  quality_gate: Object.keys(GATE_FIELDS),
  git: Object.keys(GIT_FIELDS),
  clients: Object.keys(CLIENTS_FIELDS),
  board: Object.keys(BOARD_FIELDS),
  run: RUN_KEYS,
  worktree: Object.keys(WORKTREE_FIELDS),
};

/** Returns the current configuration at each call; the file is parsed again only if it changed. */
export function openConfig(root: string, file: string): () => Promise<Config> {
  const readOnce = openReadCache<Promise<Config>>();
  return async () => {
    const problem = linkProblem(root, file);
    if (problem !== null) throw badLink(problem);
    const print = takeFingerprint(file);
    if (print.kind === 'absent') return EMPTY;
    return readOnce(print, () => {
      const read = readContained(realRootOf(root), file, MAX_BYTES);
      return read.kind === 'read' ? readConfig(read.bytes) : unread();
    });
  };
}

async function readConfig(bytes: Buffer): Promise<Config> {
  const text = decodeUtf8(bytes);
  if (text !== null) return parseConfig(text);
  return broken(oneIssue('not_utf8', 'is not UTF-8 text').kept);
}

/** Read within the same limits as a definition, since it comes from the same authors. */
export async function parseConfig(text: string): Promise<Config> {
  const { readYaml } = await import('../../definitions/source/yaml.ts');
  const source = await readYaml(text);
  const { root, faults } = source;
  const log = openSettingsLog();
  for (const { code, message, at } of faults) log.add(code, [], `cannot be read: ${message}`, at);
  if (root === null || faults.length > 0) return broken(closeSettingsLog(log, source));
  const {
    quality_gate: gate,
    git,
    clients,
    board,
    run,
    worktree,
    team,
    ...rest
  } = readRoot(root, [], log);
  const found = closeSettingsLog(log, source);
  if (root.kind !== 'map') return broken(found);
  return {
    agentReviewCommand: gate?.agent_review_command ?? null,
    timeoutSeconds: gate?.default_timeout ?? null,
    maxAttempts: gate?.default_max_attempts ?? null,
    maxParallel: gate?.max_parallel ?? null,
    answerWithinSeconds: gate?.answer_within ?? null,
    overrides: gate?.overrides ?? null,
    branch: git?.branch ?? null,
    clients: {
      maxNudges: clients?.max_nudges ?? null,
      protectDefinitions: clients?.protect_definitions ?? null,
    },
    board: { stalledAfterMinutes: board?.stalled_after_minutes ?? null },
    run: run ?? NO_RUN,
    worktreeSetup: worktree?.setup ?? null,
    team: team ?? NO_TEAM,
    store: storeConfig(rest),
    problems: found,
    teamProblem: teamProblem(found),
  };
}

/**
 * No setting of the file counts; where one could forbid something, it is forbidden. An empty file has no
 * problem and is not broken.
 */
function broken(problems: readonly Issue[]): Config {
  const [first] = problems;
  if (first === undefined) return EMPTY;
  const team = { ...NO_TEAM, tokens: true };
  return { ...EMPTY, overrides: STRICTEST, branch: 'off', team, problems, teamProblem: first };
}

/** It may say where the journal is, so nothing is recorded elsewhere. */
async function unread(): Promise<Config> {
  const found = broken(oneIssue('unreadable', 'is not a regular file of at most 256 KiB').kept);
  return { ...found, store: { ...NO_STORE, unreadable: ['store'] } };
}

function badLink(problem: string): Refused {
  return refusedWith(
    'config_invalid',
    problem,
    'remove the link and call again; it is checked again at each call.',
  );
}
