// All changes that tests must notice, in the order of their numbers.

import { CORE } from './core.mjs';
import { DEFINITIONS } from './definitions.mjs';
import { ENGINE } from './engine.mjs';
import { ENVIRONMENT } from './environment.mjs';
import { GATE } from './gate.mjs';
import { JOURNAL } from './journal.mjs';
import { PROGRAMS } from './programs.mjs';
import { SERVER } from './server.mjs';
import { SESSIONS_AND_TEAM } from './sessions-team.mjs';

/** @type {readonly import('./rows.mjs').Change[]} */
export const CHANGES = [
  ...CORE,
  ...JOURNAL,
  ...SESSIONS_AND_TEAM,
  ...GATE,
  ...ENGINE,
  ...SERVER,
  ...ENVIRONMENT,
  ...DEFINITIONS,
  ...PROGRAMS,
];
