// Everything that the product promises, by the id that tests cite: `verifies('TEAM-4')`.

import { GUIDES } from './guides.ts';
import { JOBS } from './jobs.ts';
import { SEED_001 } from './seed-001.ts';
import { TEAM } from './team.ts';

export const REQUIREMENTS = { ...SEED_001, ...JOBS, ...GUIDES, ...TEAM };

export type RequirementId = keyof typeof REQUIREMENTS;
