// A vitest reporter that fails a run of all words if a file of words is compared by no test. Vitest
// itself does not look at snapshots in files of their own that no test asks for any more.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

export function reportUnrecorded(folder: string = FOLDER): Reporter {
  let vitest: Vitest;
  return {
    onInit(started) {
      vitest = started;
    },
    onTestRunEnd(modules) {
      if (vitest.config.testNamePattern !== undefined || !isWhole(folder, modules)) return;
      const compared = new Set(modules.flatMap(wordsOf));
      const left = textsIn(folder).filter((name) => !compared.has(name));
      if (left.length === 0) return;
      const names = left.map((name) => `  ${name}`).join('\n');
      vitest.logger.error(
        `No test compares these words; delete them if nothing says them:\n${names}\n`,
      );
      process.exitCode = 1;
    },
  };
}

/** Every file of tests in the folder has run. */
function isWhole(folder: string, modules: readonly TestModule[]): boolean {
  const ran = new Set(modules.map(({ moduleId }) => path.basename(moduleId)));
  return readdirSync(folder).every((name) => !name.endsWith('.test.ts') || ran.has(name));
}

function textsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.txt'));
}

/** The files that its tests compared, whether they were the same or not. */
function wordsOf(module: TestModule): string[] {
  return [...module.children.allTests()].flatMap((test) => test.meta().words ?? []);
}
