// Where the journal of a project is kept, read from its folder alone, for commands that do not
// open a server. A server chooses in the same way (`engine/workspace.ts`).

import type { Paths } from './paths.ts';
import { type Config, openConfig } from './settings/config.ts';
import { guardConfig } from './settings/guarded-settings.ts';
import { chooseStore, type StoreChoice } from './store-choice.ts';
import { openTrust } from './trust/trust.ts';

export interface ProjectStoreOptions {
  readonly paths: Paths;
  /** Called before anything is written under `.deepwork`; callers that only read omit it. */
  readonly prepare?: () => void;
  readonly env: NodeJS.ProcessEnv;
  readonly config?: () => Promise<Config>;
}

/** Throws a refusal if it is unclear, or not agreed to, where the journal is. */
export async function storeOfProject(options: ProjectStoreOptions): Promise<StoreChoice> {
  const { paths, env } = options;
  const config = await (options.config ?? openConfig(paths.root, paths.config))();
  const known = openTrust(paths.root, env.DEEPWORK_TRUST === '1').known();
  const trusted = 'record' in known ? known.record.settings : null;
  const guarded =
    known.kind === 'everything'
      ? config
      : guardConfig(config, trusted, known.kind === 'replaced').config;
  return chooseStore(guarded.store, env, options);
}
