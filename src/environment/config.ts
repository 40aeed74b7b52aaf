// `.deepwork/config.yml`: optional, read again when it changed. What is wrong in it is
// reported with its place and counts as not given; the rest holds. Of what guards something
// (who may skip reviews, whether tokens are needed) the strictest holds in place of what cannot
// be read, be it the value, its section or the file.

import { OVERRIDE_RULES, type OverrideRule } from '../core/overrides.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { closedMap, type Read } from '../definitions/read-fields.ts';
import { openSettingsLog, type SettingProblem } from '../definitions/settings-log.ts';
import {
  changedTooRecently,
  type Fingerprint,
  sameFingerprint,
  takeFingerprint,
} from '../files/fingerprint.ts';
import { linkProblem } from '../files/project-path.ts';
import { decodeUtf8, readContained } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';
import { BRANCH_MODES, type BranchMode } from './branch.ts';
import { count, leftAlone, plainCommand, setting, word } from './config-fields.ts';
import { faultOfTeam, NO_TEAM, readTeam, type TeamConfig } from './team-config.ts';

export interface Config {
  readonly agentReviewCommand: string | null;
  readonly timeoutSeconds: number | null;
  readonly maxAttempts: number | null;
  readonly maxParallel: number | null;
  readonly answerWithinSeconds: number | null;
  readonly overrides: OverrideRule | null;
  readonly branch: BranchMode | null;
  readonly team: TeamConfig;
  readonly problems: readonly SettingProblem[];
  /** The problem that leaves open who is in the team; null if there is none. */
  readonly teamFault: SettingProblem | null;
}

const EMPTY: Config = {
  agentReviewCommand: null,
  timeoutSeconds: null,
  maxAttempts: null,
  maxParallel: null,
  answerWithinSeconds: null,
  overrides: null,
  branch: null,
  team: NO_TEAM,
  problems: [],
  teamFault: null,
};

const LIMIT = 256 * 1024;

const STRICTEST: OverrideRule = 'never';

const GATE_FIELDS = {
  agent_review_command: setting(plainCommand),
  default_timeout: setting(count),
  default_max_attempts: setting(count),
  max_parallel: setting(count),
  answer_within: setting(count),
  // Whoever wrote a word that is none wanted to say something about it: the strictest holds.
  overrides: setting(word(OVERRIDE_RULES, STRICTEST)),
};
const readGateMap = closedMap(GATE_FIELDS);
const readGate: Read<ReturnType<typeof readGateMap>> = (node, path, to) => {
  const gate = readGateMap(node, path, to);
  return node.kind === 'map' ? gate : { ...gate, overrides: STRICTEST };
};
const GIT_FIELDS = { branch: setting(word(BRANCH_MODES)) };
const ROOT_FIELDS = {
  quality_gate: setting(readGate),
  git: setting(closedMap(GIT_FIELDS)),
  team: setting(readTeam),
  // Written by older tools of this name.
  version: setting(leftAlone),
  platforms: setting(leftAlone),
};
const readRoot = closedMap(ROOT_FIELDS);

/** Every key, for the documentation's test. */
export const CONFIG_KEYS = {
  root: Object.keys(ROOT_FIELDS),
  quality_gate: Object.keys(GATE_FIELDS),
  git: Object.keys(GIT_FIELDS),
};

/** Gives the configuration as it is on disk at each call; a broken file is read once, too. */
export function openConfig(root: string, file: string): () => Promise<Config> {
  let known: { readonly print: Fingerprint; readonly config: Promise<Config> } | null = null;
  return async () => {
    const readAt = Date.now();
    const problem = linkProblem(root, file);
    if (problem !== null) throw badLink(problem);
    const print = takeFingerprint(file);
    if (print.kind === 'absent') return EMPTY;
    if (known !== null && sameFingerprint(known.print, print)) return known.config;
    const read = readContained(realRootOf(root), file, LIMIT);
    if (read.kind !== 'read') throw bad('is not a regular file of at most 256 KiB');
    const config = readConfig(read.bytes);
    known = changedTooRecently(print, readAt) ? null : { print, config };
    return config;
  };
}

async function readConfig(bytes: Buffer): Promise<Config> {
  const text = decodeUtf8(bytes);
  if (text !== null) return parseConfig(text);
  return broken([{ message: 'is not UTF-8 text', line: 1, column: 1, path: [] }]);
}

/** Read within the same limits as a definition, since it comes from the same hands. */
export async function parseConfig(text: string): Promise<Config> {
  const { readYaml } = await import('../definitions/yaml-source.ts');
  const { root, problems, positionOf } = await readYaml(text);
  const log = openSettingsLog(positionOf);
  for (const { message, at } of problems) log.add([], at, `cannot be read: ${message}`);
  if (root === null || problems.length > 0) return broken(log.close());
  const { quality_gate: gate, git, team } = readRoot(root, [], log);
  if (root.kind !== 'map') return broken(log.close());
  const found = log.close();
  return {
    agentReviewCommand: gate?.agent_review_command ?? null,
    timeoutSeconds: gate?.default_timeout ?? null,
    maxAttempts: gate?.default_max_attempts ?? null,
    maxParallel: gate?.max_parallel ?? null,
    answerWithinSeconds: gate?.answer_within ?? null,
    overrides: gate?.overrides ?? null,
    branch: git?.branch ?? null,
    team: team ?? NO_TEAM,
    problems: found,
    teamFault: faultOfTeam(found),
  };
}

/** Nothing of the file counts; an empty one has no problem, and is not broken. */
function broken(problems: readonly SettingProblem[]): Config {
  const [first] = problems;
  if (first === undefined) return EMPTY;
  const team = { ...NO_TEAM, tokens: true };
  return { ...EMPTY, overrides: STRICTEST, team, problems, teamFault: first };
}

function badLink(problem: string): Refused {
  return new Refused(
    refuse('config_invalid', problem, 'remove the link and call again; it is looked at afresh.'),
  );
}

function bad(problem: string): Refused {
  return new Refused(
    refuse(
      'config_invalid',
      `.deepwork/config.yml ${problem}`,
      'correct .deepwork/config.yml and call again; it is read afresh at each call.',
    ),
  );
}
