import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.mjs'],
    // Foreign clients are heavy: npm run test:clients.
    exclude: [...configDefaults.exclude, 'test/peers/clients/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
