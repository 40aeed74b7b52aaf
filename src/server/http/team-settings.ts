// What `team:` in `.deepwork/config.yml` says about who may come in.

import type { Workspace } from '../../operations/workspace.ts';

export interface TeamSettings {
  /** Whether callers on this machine need a token. */
  readonly tokens: boolean;
  readonly allowedHosts: readonly string[];
}

export async function teamSettings(workspace: Workspace): Promise<TeamSettings> {
  const settings = (await workspace.settings()) as { readonly team?: TeamSettings };
  return { tokens: false, allowedHosts: [], ...settings.team };
}
