import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { reportUnverified } from './test/requirements/unverified.ts';
import { prepareEnvironment } from './test/support/environment.ts';
import { reportUnrecorded } from './test/words/unrecorded.ts';

prepareEnvironment();

/** What takes longest goes first, so that no one waits for one file at the end. */
const LONGEST = [
  'test/simulation/',
  'test/run/',
  'test/store/',
  'test/simulate/',
  'test/browser/',
  'test/crash/',
  'test/chaos/',
  'test/team/',
  'test/peers/',
  'src/definitions/guides/guides.fuzz',
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
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.mjs'],
    // Foreign clients are heavy: npm run test:clients.
    exclude: [...configDefaults.exclude, 'test/peers/clients/**'],
    // Files share their worker's modules: no test leaves anything behind in them, and loading them
    // anew for each of 300 files takes a fifth of the time.
    isolate: false,
    // Most tests wait for processes of their own, so there may be more of them than cores; but each
    // worker loads all modules, and they get in each other's way.
    maxWorkers: Math.max(5, os.availableParallelism()),
    // V8 optimizes what has run for a while. Most code of a test does not run much longer, and a
    // tenth of the workers' processor time went into optimizing it.
    execArgv: ['--interrupt-budget=700000'],
    globalSetup: ['test/support/list-tools.ts'],
    reporters: ['default', reportUnverified(), reportUnrecorded()],
    sequence: { sequencer: LongestFirst },
    // For what hangs. Most tests start processes, which a busy machine may keep waiting.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Likewise for `expect.poll`, whose default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
