import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { reportUnverified } from './test/requirements/unverified.ts';
import { prepareEnvironment } from './test/support/environment.ts';
import { reportUnrecorded } from './test/words/unrecorded.ts';

prepareEnvironment();

/** What takes longest goes first, so that no one waits for one file at the end. */
const LONGEST = [
  'test/histories/',
  'test/run/',
  'test/store/',
  'test/simulate/',
  'test/browser/',
  'test/storm/',
  'test/team/',
  'test/peers/',
  'src/definitions/definitions.fuzz',
  'test/clients/',
  'test/language/',
  'test/board/',
  'test/hostile/',
  'test/gate/',
  'test/http/',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((part) => moduleId.includes(`/${part}`));
      return found === -1 ? LONGEST.length : found;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.ts', 'bench/**/*.test.mjs'] },
      },
      {
        extends: true,
        test: {
          name: 'behavior',
          include: ['test/**/*.test.ts'],
          // Foreign clients are heavy: npm run test:clients.
          exclude: [...configDefaults.exclude, 'test/peers/clients/**'],
          globalSetup: ['test/support/list-tools.ts'],
        },
      },
    ],
    // Files share their worker's modules: no test leaves anything behind in them, and loading them
    // anew for each of 300 files takes a fifth of the time.
    isolate: false,
    // Most tests wait for processes of their own, so there may be more of them than cores; but each
    // worker loads all modules, and they get in each other's way.
    maxWorkers: Math.max(5, os.availableParallelism()),
    reporters: ['default', reportUnverified(), reportUnrecorded()],
    sequence: { sequencer: LongestFirst },
    // For what hangs. Most tests start processes, which a busy machine may keep waiting.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Likewise for `expect.poll`, whose default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
