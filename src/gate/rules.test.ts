// All rules of a call, over all of its files, share one time budget.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../test/simulation/definitions.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { parseCriteria } from '../core/rules.ts';
import { judgeRules } from './rules.ts';

test('an exceeded budget is reported once, not for each remaining file', async () => {
  const root = tempFolder();
  const paths = ['a.md', 'b.md', 'c.md'];
  for (const file of paths) writeFileSync(path.join(root, file), 'text');
  const { criteria: rules } = await parseCriteria({
    type: 'regex',
    pattern: '^text$',
    message: 'm',
  });
  const plain = toStep(plainStep('a', 'x*!'));
  const step = { ...plain, outputs: plain.outputs.map((output) => ({ ...output, rules })) };
  const member = { step, sharedNames: [], outputs: { x: paths }, files: {}, stamps: {} };
  const inTime = await judgeRules({ root, env: {} }, member, {}, { milliseconds: 2000 });
  expect(inTime.broken).toEqual([]);
  const { broken } = await judgeRules({ root, env: {} }, member, {}, { milliseconds: 0 });
  expect(broken).toMatchObject([{ criterion: "A rule on 'a.md' took too long" }]);
});
