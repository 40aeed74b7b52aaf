// Settings of `.deepwork/config.yml` that only a person loosens. The file is the project's
// word, and anyone who can write to the project can write it; what holds is the stricter of
// what a person trusted and what the file says now. Stricter takes effect at once; looser
// waits until a person trusts the project again.
//
// A new setting is one more row in the table.

import { OVERRIDE_RULES, stricterRule } from '../core/overrides.ts';
import type { Config } from './config.ts';
import { DEFAULTS } from './settings.ts';

/** The values that a person agreed to, by key of the file. */
export type TrustedSettings = Readonly<Record<string, unknown>>;

/** A setting that does not hold as the file says, since no person agreed to it yet. */
export interface HeldSetting {
  readonly key: string;
  /** In words: what was trusted, and what the file says. */
  readonly was: string;
  readonly now: string;
}

export interface GuardedConfig {
  /** As it holds. */
  readonly config: Config;
  readonly held: readonly HeldSetting[];
}

interface Guard<Value> {
  readonly key: string;
  /** What the file says, or the default. */
  read(config: Config): Value;
  write(config: Config, value: Value): Config;
  fits(value: unknown): boolean;
  /** What holds; `trusted` is undefined where no person has agreed to anything. */
  hold(trusted: Value | undefined, now: Value): Value;
  show(value: Value): string;
  /** In words: what a value is that waits for a person; looser, if left out. */
  readonly waits?: (now: Value) => string;
  readonly standard: Value;
}

const GUARDS = [
  guard<readonly string[]>({
    key: 'team.allowed_hosts',
    standard: DEFAULTS.allowedHosts,
    read: ({ team }) => team.allowedHosts ?? DEFAULTS.allowedHosts,
    write: (config, allowedHosts) => ({ ...config, team: { ...config.team, allowedHosts } }),
    fits: (value) => Array.isArray(value) && value.every((host) => typeof host === 'string'),
    hold: (trusted = [], now) => now.filter((host) => trusted.includes(host)),
    show: (hosts) => (hosts.length === 0 ? 'none' : hosts.join(', ')),
  }),
  guard<boolean>({
    key: 'team.tokens',
    standard: DEFAULTS.tokens,
    read: ({ team }) => team.tokens ?? DEFAULTS.tokens,
    write: (config, tokens) => ({ ...config, team: { ...config.team, tokens } }),
    fits: (value) => typeof value === 'boolean',
    hold: (trusted = false, now) => trusted || now,
    show: String,
  }),
  guard<(typeof OVERRIDE_RULES)[number]>({
    key: 'quality_gate.overrides',
    standard: DEFAULTS.overrides,
    read: ({ overrides }) => overrides ?? DEFAULTS.overrides,
    write: (config, overrides) => ({ ...config, overrides }),
    fits: (value) => OVERRIDE_RULES.some((rule) => rule === value),
    hold: (trusted, now) => (trusted === undefined ? now : stricterRule(trusted, now)),
    show: String,
  }),
  guard<number>({
    key: 'quality_gate.default_max_attempts',
    standard: DEFAULTS.maxAttempts,
    read: ({ maxAttempts }) => maxAttempts ?? DEFAULTS.maxAttempts,
    write: (config, maxAttempts) => ({ ...config, maxAttempts }),
    fits: (value) => Number.isSafeInteger(value),
    hold: (trusted = DEFAULTS.maxAttempts, now) => Math.min(trusted, now),
    show: String,
  }),
  guard<string | null>({
    key: 'quality_gate.agent_review_command',
    standard: null,
    read: ({ agentReviewCommand }) => agentReviewCommand,
    write: (config, agentReviewCommand) => ({ ...config, agentReviewCommand }),
    fits: (value) => value === null || typeof value === 'string',
    // A reviewer that was never there is a command, and is trusted as one before it runs.
    hold: (trusted, now) => trusted ?? now,
    show: (command) => command ?? 'none',
    waits: (now) =>
      `${now === null ? 'removed' : 'changed'}; the reviewer you trusted keeps reviewing until you agree`,
  }),
];

/**
 * What holds of a configuration, given what a person trusted; null: nothing, ever. With
 * `onlyStricter` that was said of something else: it can make stricter, but not loosen.
 */
export function guardConfig(
  config: Config,
  trusted: TrustedSettings | null,
  onlyStricter = false,
): GuardedConfig {
  let holds = config;
  const held: HeldSetting[] = [];
  for (const each of GUARDS) {
    const found = each.apply(holds, trusted, onlyStricter);
    holds = found.config;
    if (found.held !== null) held.push(found.held);
  }
  return { config: holds, held };
}

/** The values of a configuration, for a person to agree to. */
export function guardedValues(config: Config): TrustedSettings {
  return Object.fromEntries(GUARDS.map((each) => [each.key, each.read(config)]));
}

/** A setting as a person looks at it before agreeing. */
export interface ShownSetting {
  readonly key: string;
  /** What was agreed to, or the default; null if it is the same. */
  readonly was: string | null;
  readonly now: string;
  /** What it is, in words, if it does not hold before a person agrees; null: it holds. */
  readonly waits: string | null;
}

/** Those that are not as they are without a file, or not as they were agreed to. */
export function shownSettings(config: Config, trusted: TrustedSettings | null): ShownSetting[] {
  return GUARDS.flatMap((each) => each.shown(config, trusted));
}

function guard<Value>(row: Guard<Value>) {
  const { key, read, write, fits, hold, show, standard } = row;
  const waits = row.waits ?? (() => 'looser');
  const same = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other);
  const agreedTo = (trusted: TrustedSettings | null): Value | undefined => {
    const found = trusted !== null && Object.hasOwn(trusted, key) ? trusted[key] : undefined;
    return found !== undefined && fits(found) ? (found as Value) : undefined;
  };
  return {
    key,
    read: read as (config: Config) => unknown,
    apply(config: Config, trusted: TrustedSettings | null, onlyStricter: boolean) {
      const agreed = agreedTo(trusted);
      const now = read(config);
      const held = hold(agreed, now);
      const holds = onlyStricter ? hold(undefined, held) : held;
      if (same(holds, now)) return { config, held: null };
      const was = show(agreed === undefined ? standard : agreed);
      return { config: write(config, holds), held: { key, was, now: show(now) } };
    },
    shown(config: Config, trusted: TrustedSettings | null): ShownSetting[] {
      const agreed = agreedTo(trusted);
      const now = read(config);
      const before = agreed === undefined ? standard : agreed;
      if (same(now, before) && same(now, standard)) return [];
      const was = same(now, before) ? null : show(before);
      const holds = same(hold(agreed, now), now);
      return [{ key, was, now: show(now), waits: holds ? null : waits(now) }];
    },
  };
}
