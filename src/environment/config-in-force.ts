// The part of a configuration that is in force, by what a person agreed to.

import type { Paths } from './paths.ts';
import { type Config, openConfig } from './settings/config.ts';
import { type GuardedConfig, guardConfig } from './settings/guarded-settings.ts';
import { type Known, openTrust, trustFolder } from './trust/trust.ts';

export function configInForce(config: Config, known: Known): GuardedConfig {
  if (known.kind === 'everything') return { config, held: [] };
  const trusted = known.kind === 'nothing' ? null : known.record.settings;
  return guardConfig(config, trusted, known.kind === 'replaced');
}

/** The same for commands that do not open a workspace. */
export async function readConfigInForce(
  paths: Paths,
  env: NodeJS.ProcessEnv,
  read: () => Promise<Config> = openConfig(paths.root, paths.config),
): Promise<Config> {
  const known = openTrust(paths.root, env.DEEPWORK_TRUST === '1', trustFolder(env)).known();
  return configInForce(await read(), known).config;
}
