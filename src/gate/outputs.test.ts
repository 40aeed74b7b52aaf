// The files of a submission that are stamped, so that a change while they are judged is noticed.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../test/simulation/definitions.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { parseCriteria } from '../core/rules.ts';
import { inspectOutputs } from './outputs.ts';
import { openHashing } from './submitted-files.ts';

test('files are stamped if their content is judged, even if only by rules', async () => {
  const root = tempFolder();
  writeFileSync(path.join(root, 'x.md'), 'text');
  const { criteria: rules } = await parseCriteria({
    type: 'contains',
    value: 'text',
    message: 'm',
  });
  const plain = toStep(plainStep('a', 'x!'));
  const ruled = { ...plain, outputs: plain.outputs.map((output) => ({ ...output, rules })) };
  const stampsOf = async (step: typeof plain) => {
    const hashing = openHashing(new AbortController().signal);
    const submitted = { step, outputs: new Map([['x', 'x.md']]) };
    const found = await inspectOutputs(root, submitted, ({ name }) => name, hashing);
    return found.kind === 'found' ? Object.keys(found.member.stamps) : found.problems;
  };
  expect(rules).not.toBeNull();
  expect(await stampsOf(plain)).toEqual([]);
  expect(await stampsOf(ruled)).toEqual(['x.md']);
});
