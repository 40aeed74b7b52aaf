// A vitest reporter that fails a whole run if some requirement was verified by no test. A citation
// in a comment or in a skipped test does not count. Runs of single files or tests are not
// checked, nor is a run that lacked a program (support/needs.ts): it says what was skipped.

import type { Reporter, TestModule, Vitest } from 'vitest/node';
import type { Requirements } from './requirement.ts';
import { REQUIREMENTS } from './requirements.ts';

export function reportUnverified(requirements: Requirements = REQUIREMENTS): Reporter {
  let vitest: Vitest;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunEnd(modules) {
      const lacking = modules.flatMap(testsLacking);
      for (const reason of new Set(lacking)) {
        const count = lacking.filter((each) => each === reason).length;
        vitest.logger.warn(`Skipped ${count} tests: ${reason}\n`);
      }
      if (lacking.length > 0 || !(await isWhole(vitest, modules))) return;
      const verified = new Set(modules.flatMap(citedBy));
      const missing = Object.entries(requirements).filter(([id]) => !verified.has(id));
      if (missing.length === 0) return;
      const lines = missing.map(([id, { says, source }]) => `  ${id}: ${says} (${source})`);
      vitest.logger.error(`No test verifies these requirements:\n${lines.join('\n')}\n`);
      process.exitCode = 1;
    },
  };
}

/** The citations of a file's tests that ran, whether they passed or failed. */
function citedBy(module: TestModule): string[] {
  return [...module.children.allTests()]
    .filter((test) => ['passed', 'failed'].includes(test.result().state))
    .flatMap((test) => test.meta().verifies ?? []);
}

/** Why each test that needs a program was skipped. */
function testsLacking(module: TestModule): string[] {
  return [...module.children.allTests('skipped')].flatMap((test) => test.meta().lacks ?? []);
}

async function isWhole(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  if (vitest.config.testNamePattern !== undefined || vitest.config.project.length > 0) return false;
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  const specifications = await vitest.globTestSpecifications();
  return specifications.every(({ moduleId }) => ran.has(moduleId));
}
