// Whether the answer of another process counts as lost.

import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { Liveness, Processes } from '../core/session/ownership.ts';
import { openAnswers } from '../environment/answer-delivery.ts';
import { openLostAnswers } from './lost-answers.ts';
import type { Views } from './views.ts';

test.each<[Liveness, boolean]>([
  ['alive', false],
  ['unknown', false],
  ['gone', true],
])('an answer of a process that is %s is lost: %s', async (liveness, isLost) => {
  const processes: Processes = {
    own: () => 'own',
    livenessOf: () => liveness,
    describe: (process) => process,
  };
  const views = { check: () => {} } as Views;
  const answers = openLostAnswers(tempFolder(), views, openAnswers(), processes);
  expect(await answers.isLost({ id: '0000abcd', seq: 3, process: 'other' })).toBe(isLost);
});
