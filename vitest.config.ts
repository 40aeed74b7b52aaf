import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.mjs'],
    // Foreign clients are heavy: npm run test:clients.
    exclude: [...configDefaults.exclude, 'test/peers/clients/**'],
    // Most tests wait for processes of their own, so there may be more of them than cores.
    maxWorkers: Math.max(3, os.availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
