// Settings of `.deepwork/config.yml` that only a person may loosen. Anyone who can write to
// the project can change the file, so the stricter of the trusted value and the file's value
// applies: a stricter value at once, a looser one when a person trusts the project again.
//
// To guard another setting, add a row to the table.

import { OVERRIDE_RULES, stricterRule } from '../../core/overrides.ts';
import type { Config } from './config.ts';
import { DEFAULTS } from './settings.ts';
import { DEFAULT_SCHEMA, withoutPassword } from './store-config.ts';

/** The values that a person agreed to, by their key in the file. */
export type TrustedSettings = Readonly<Record<string, unknown>>;

/** A setting that does not apply as written, since no person has agreed to it yet. */
export interface HeldSetting {
  readonly key: string;
  /** The trusted value and the file's, as text. */
  readonly was: string;
  readonly now: string;
}

export interface GuardedConfig {
  /** With the values that apply. */
  readonly config: Config;
  readonly held: readonly HeldSetting[];
}

interface Guard<Value> {
  readonly key: string;
  /** The file's value, or the default. */
  read(config: Config): Value;
  write(config: Config, value: Value): Config;
  fits(value: unknown): boolean;
  /** The value that applies; `trusted` is undefined if no person has agreed to anything. */
  effective(trusted: Value | undefined, now: Value): Value;
  /** Default: as text. */
  readonly show?: (value: Value) => string;
  /** Describes a value that waits for agreement; default: looser. */
  readonly waits?: (now: Value) => string;
  /** Describes a first value that needs trust as a command. */
  readonly first?: string;
  readonly default: Value;
}

const GUARDS = [
  guard<readonly string[]>({
    key: 'team.allowed_hosts',
    default: DEFAULTS.allowedHosts,
    read: ({ team }) => team.allowedHosts ?? DEFAULTS.allowedHosts,
    write: (config, allowedHosts) => ({ ...config, team: { ...config.team, allowedHosts } }),
    fits: (value) => Array.isArray(value) && value.every((host) => typeof host === 'string'),
    effective: (trusted = [], now) => now.filter((host) => trusted.includes(host)),
    show: (hosts) => (hosts.length === 0 ? 'none' : hosts.join(', ')),
  }),
  guard<boolean>({
    key: 'team.tokens',
    default: DEFAULTS.tokens,
    read: ({ team }) => team.tokens ?? DEFAULTS.tokens,
    write: (config, tokens) => ({ ...config, team: { ...config.team, tokens } }),
    fits: (value) => typeof value === 'boolean',
    effective: (trusted = false, now) => trusted || now,
  }),
  guard<(typeof OVERRIDE_RULES)[number]>({
    key: 'quality_gate.overrides',
    default: DEFAULTS.overrides,
    read: ({ overrides }) => overrides ?? DEFAULTS.overrides,
    write: (config, overrides) => ({ ...config, overrides }),
    fits: (value) => OVERRIDE_RULES.some((rule) => rule === value),
    effective: (trusted, now) => (trusted === undefined ? now : stricterRule(trusted, now)),
  }),
  guard<number>({
    key: 'quality_gate.default_max_attempts',
    default: DEFAULTS.maxAttempts,
    read: ({ maxAttempts }) => maxAttempts ?? DEFAULTS.maxAttempts,
    write: (config, maxAttempts) => ({ ...config, maxAttempts }),
    fits: (value) => Number.isSafeInteger(value),
    effective: (trusted = DEFAULTS.maxAttempts, now) => Math.min(trusted, now),
  }),
  guard<number>({
    key: 'clients.max_nudges',
    default: DEFAULTS.maxNudges,
    read: ({ clients }) => clients.maxNudges ?? DEFAULTS.maxNudges,
    write: (config, maxNudges) => ({ ...config, clients: { ...config.clients, maxNudges } }),
    fits: (value) => Number.isSafeInteger(value),
    // More reminders keep an agent longer and cost its user more: the project may not decide that.
    effective: (trusted = DEFAULTS.maxNudges) => trusted,
    waits: () => 'changed',
  }),
  guard<boolean>({
    key: 'clients.protect_definitions',
    default: DEFAULTS.protectDefinitions,
    read: ({ clients }) => clients.protectDefinitions ?? DEFAULTS.protectDefinitions,
    write: (config, protectDefinitions) => ({
      ...config,
      clients: { ...config.clients, protectDefinitions },
    }),
    fits: (value) => typeof value === 'boolean',
    effective: (trusted = false, now) => trusted || now,
  }),
  guard<string | null>({
    key: 'quality_gate.agent_review_command',
    default: null,
    read: ({ agentReviewCommand }) => agentReviewCommand,
    write: (config, agentReviewCommand) => ({ ...config, agentReviewCommand }),
    fits: (value) => value === null || typeof value === 'string',
    // A first reviewer is a command, and needs trust as one before it runs.
    effective: (trusted, now) => trusted ?? now,
    show: (command) => command ?? 'none',
    waits: (now) =>
      `${now === null ? 'removed' : 'changed'}; the reviewer you trusted keeps reviewing until you agree`,
    first: 'runs once you agree',
  }),
  // The project may not decide where work is recorded and read: neither the address nor the part
  // of the database. Until a person agrees, the store is refused (`store-choice.ts`).
  storeGuard('store', ({ url }) => (url === null ? null : withoutPassword(url))),
  storeGuard('store_schema', ({ schema }) => schema ?? DEFAULT_SCHEMA, DEFAULT_SCHEMA),
  storeGuard('workspace', ({ workspace }) => workspace),
];

function storeGuard(
  key: string,
  read: (store: Config['store']) => string | null,
  defaultValue: string | null = null,
) {
  return guard<string | null>({
    key,
    default: defaultValue,
    read: ({ store }) => read(store),
    write: (config) => {
      const { store } = config;
      return { ...config, store: { ...store, held: [...store.held, key] } };
    },
    fits: (value) => value === null || typeof value === 'string',
    effective: (trusted = defaultValue) => trusted,
    show: (value) => value ?? 'none',
    waits: () => 'changed; calls that need the store are refused until you agree',
  });
}

/**
 * Applies the guards to a configuration. `trusted` is what a person agreed to; null: nothing so
 * far. With `onlyStricter` that was for another repository: it may tighten, never loosen.
 */
export function guardConfig(
  config: Config,
  trusted: TrustedSettings | null,
  onlyStricter = false,
): GuardedConfig {
  let guarded = config;
  const held: HeldSetting[] = [];
  for (const each of GUARDS) {
    const found = each.apply(guarded, trusted, onlyStricter);
    guarded = found.config;
    if (found.held !== null) held.push(found.held);
  }
  return { config: guarded, held };
}

/** The values of a configuration, for a person to agree to. */
export function guardedValues(config: Config): TrustedSettings {
  return Object.fromEntries(GUARDS.map((each) => [each.key, each.read(config)]));
}

/** A setting as shown to a person before agreeing. */
export interface ShownSetting {
  readonly key: string;
  /** The agreed value, or the default; null if it is the same. */
  readonly was: string | null;
  readonly now: string;
  /** Describes a change that waits for agreement; null: the value applies. */
  readonly waits: string | null;
  /** Describes a value that names a command which has not been agreed to yet. */
  readonly first?: string | undefined;
}

/** Settings that differ from the default or from the agreed value. */
export function shownSettings(config: Config, trusted: TrustedSettings | null): ShownSetting[] {
  return GUARDS.flatMap((each) => each.shown(config, trusted));
}

function guard<Value>(row: Guard<Value>) {
  const { key, read, write, fits, effective, show = String } = row;
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
      const allowed = effective(agreed, now);
      const value = onlyStricter ? effective(undefined, allowed) : allowed;
      if (same(value, now)) return { config, held: null };
      const was = show(agreed === undefined ? row.default : agreed);
      return { config: write(config, value), held: { key, was, now: show(now) } };
    },
    shown(config: Config, trusted: TrustedSettings | null): ShownSetting[] {
      const agreed = agreedTo(trusted);
      const now = read(config);
      const before = agreed === undefined ? row.default : agreed;
      if (same(now, before) && same(now, row.default)) return [];
      const was = same(now, before) ? null : show(before);
      const applies = same(effective(agreed, now), now);
      const isFirst = applies && agreed === undefined && was !== null && row.first !== undefined;
      const first = isFirst ? { first: row.first } : {};
      return [{ key, was, now: show(now), waits: applies ? null : waits(now), ...first }];
    },
  };
}
