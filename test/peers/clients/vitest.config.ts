import { defineConfig } from 'vitest/config';
import { prepareEnvironment } from '../../support/environment.ts';

prepareEnvironment();

export default defineConfig({
  test: {
    globalSetup: ['test/support/list-tools.ts'],
    include: ['test/peers/clients/**/*.test.ts'],
    // Installing takes minutes, once; and a client is as heavy as several of our servers.
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
