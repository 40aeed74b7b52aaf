// Tests name the requirements they verify by calling this inside their body. The call is recorded
// on the test itself, so that it counts only if the test really ran: requirements/unverified.ts
// reports what is missing.

import { TestRunner } from 'vitest';
import { REQUIREMENTS, type RequirementId } from './requirements/requirements.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: string[];
  }
}

export function verifies(...ids: [RequirementId, ...RequirementId[]]): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() must be called inside a test');
  for (const id of ids) {
    if (!Object.hasOwn(REQUIREMENTS, id)) throw new Error(`No requirement has the id '${id}'`);
  }
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids];
}
