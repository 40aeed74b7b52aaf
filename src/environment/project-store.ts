// Where the journal of a project is kept, read from its folder alone, for commands that do not
// open a server. A server chooses in the same way (`engine/workspace.ts`).

import { readConfigInForce } from './config-in-force.ts';
import type { Paths } from './paths.ts';
import type { Config } from './settings/config.ts';
import { chooseStore, type StoreChoice } from './store-choice.ts';

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
  const { store } = await readConfigInForce(paths, env, options.config);
  return chooseStore(store, env, options);
}
