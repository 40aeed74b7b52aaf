import { defineConfig } from 'vitest/config';
import { REQUIREMENTS } from '../requirements.ts';
import { reportUnverified } from '../unverified.ts';

const ids = ['TEAM-1', 'TEAM-2', 'TEAM-3', 'TEAM-4'] as const;

export default defineConfig({
  test: {
    include: ['*.sample.ts'],
    reporters: [reportUnverified(Object.fromEntries(ids.map((id) => [id, REQUIREMENTS[id]])))],
  },
});
