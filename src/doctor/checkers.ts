// Every check but those of clients, which are shown between the two parts.

import type { Checker } from './check.ts';
import { definitions } from './definitions.ts';
import { disk } from './disk.ts';
import { git } from './git.ts';
import { hookLog } from './hook-log.ts';
import { journals } from './journals.ts';
import { nodeVersion } from './node-version.ts';
import { project } from './project.ts';
import { server } from './server.ts';
import { settings } from './settings.ts';
import { store } from './store.ts';
import { trust } from './trust.ts';
import { writing } from './writing.ts';

export const CHECKERS: {
  readonly before: readonly Checker[];
  readonly after: readonly Checker[];
} = {
  before: [nodeVersion, project, writing, store, journals, definitions, settings, trust, server],
  after: [hookLog, git, disk],
};
