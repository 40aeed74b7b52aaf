// `.deepwork/config.yml`: optional, read again when it changed. Keys that are not ours
// are left alone, since other tools keep theirs in the same file.

import { statSync } from 'node:fs';
import { OVERRIDE_RULES, type OverrideRule } from '../core/overrides.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { isSettled } from '../core/settled.ts';
import { linkProblem } from '../files/project-path.ts';
import { readContained } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';
import type { BranchMode } from './branch.ts';
import { NO_TEAM, readTeamConfig, type TeamConfig } from './team-config.ts';

export interface Config {
  readonly agentReviewCommand: string | null;
  readonly timeoutSeconds: number | null;
  readonly maxAttempts: number | null;
  readonly maxParallel: number | null;
  readonly answerWithinSeconds: number | null;
  readonly overrides: OverrideRule | null;
  readonly branch: BranchMode | null;
  readonly team: TeamConfig;
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
};

const LIMIT = 256 * 1024;

/** Gives the configuration as it is on disk at each call; a broken file is read once, too. */
export function openConfig(root: string, file: string): () => Promise<Config> {
  let known: { readonly version: string; readonly config: Promise<Config> } | null = null;
  return async () => {
    const readAt = Date.now();
    const problem = linkProblem(root, file);
    if (problem !== null) throw badLink(problem);
    const info = statSync(file, { throwIfNoEntry: false });
    if (info === undefined) return EMPTY;
    const version = `${info.ino}:${info.size}:${info.mtimeMs}:${info.ctimeMs}`;
    if (known?.version === version) return known.config;
    const read = readContained(realRootOf(root), file, LIMIT);
    if (read.kind !== 'read') throw bad('is not a regular file of at most 256 KiB');
    const config = parseConfig(read.bytes.toString('utf8'));
    config.catch(() => {});
    const settled = isSettled(Math.max(info.mtimeMs, info.ctimeMs), readAt);
    known = settled ? { version, config } : null;
    return config;
  };
}

export async function parseConfig(text: string): Promise<Config> {
  const root = section((await readValues(text)) ?? {}, '');
  const gate = section(root.quality_gate ?? {}, 'quality_gate');
  const git = section(root.git ?? {}, 'git');
  return {
    agentReviewCommand: command(gate.agent_review_command, 'quality_gate.agent_review_command'),
    timeoutSeconds: count(gate.default_timeout, 'quality_gate.default_timeout'),
    maxAttempts: count(gate.default_max_attempts, 'quality_gate.default_max_attempts'),
    maxParallel: count(gate.max_parallel, 'quality_gate.max_parallel'),
    answerWithinSeconds: count(gate.answer_within, 'quality_gate.answer_within'),
    overrides: overrideRule(gate.overrides),
    branch: branchMode(git.branch),
    team: readTeamConfig(root.team, { section, command, count, bad }),
  };
}

/** Read within the same limits as a definition, since it comes from the same hands. */
async function readValues(text: string): Promise<unknown> {
  const { readYaml } = await import('../definitions/yaml-source.ts');
  const { root, problems, positionOf } = await readYaml(text);
  const [problem] = problems;
  if (problem !== undefined) {
    const { line, column } = positionOf(problem.at);
    throw bad(`cannot be read: ${problem.message} at line ${line}, column ${column}`);
  }
  if (root === null) return null;
  const { plainValue } = await import('../definitions/yaml-node.ts');
  return plainValue(root);
}

function section(value: unknown, key: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw bad(key === '' ? 'must be a map of settings' : `'${key}' must be a map of settings`);
  }
  return value as Record<string, unknown>;
}

function command(value: unknown, key: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.trim() === '') throw bad(`'${key}' must be a command`);
  return value;
}

function count(value: unknown, key: string): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 86_400) {
    throw bad(`'${key}' must be a whole number from 1 to 86400`);
  }
  return value as number;
}

function branchMode(value: unknown): BranchMode | null {
  if (value === undefined || value === null) return null;
  // YAML readers of the older kind turn a bare `off` into false; here it means the same.
  const mode = value === false ? 'off' : value;
  if (mode === 'create' || mode === 'checkout' || mode === 'off') return mode;
  throw bad("'git.branch' must be one of: create, checkout, off");
}

function badLink(problem: string): Refused {
  return new Refused(
    refuse('config_invalid', problem, 'remove the link and call again; it is looked at afresh.'),
  );
}

function overrideRule(value: unknown): OverrideRule | null {
  if (value === undefined || value === null) return null;
  const rule = OVERRIDE_RULES.find((each) => each === value);
  if (rule !== undefined) return rule;
  throw bad(`'quality_gate.overrides' must be one of: ${OVERRIDE_RULES.join(', ')}`);
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
