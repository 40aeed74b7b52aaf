// Everything that the product promises, by the id that tests cite: `verifies('TEAM-4')`.

import { BOARD } from './board.ts';
import { CLIENTS } from './clients.ts';
import { GUIDES } from './guides.ts';
import { JOBS } from './jobs.ts';
import { LANGUAGE } from './language.ts';
import { LANGUAGE_ENTRIES } from './language-entries.ts';
import { RUN } from './run.ts';
import { SEED_001 } from './seed-001.ts';
import { STORE } from './store.ts';
import { TEAM } from './team.ts';

export const REQUIREMENTS = {
  ...SEED_001,
  ...JOBS,
  ...GUIDES,
  ...TEAM,
  ...CLIENTS,
  ...BOARD,
  ...STORE,
  ...LANGUAGE,
  ...LANGUAGE_ENTRIES,
  ...RUN,
};

export type RequirementId = keyof typeof REQUIREMENTS;
