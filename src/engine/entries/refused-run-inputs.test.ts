import { expect, test } from 'vitest';
import type { DeclaredVariable } from '../../core/variables.ts';
import type { RunInput } from '../../core/workflow.ts';
import { howToGiveInputs } from './refused-run-inputs.ts';

function variable(name: string): DeclaredVariable {
  const unrestricted = { enum: null, pattern: null, default: null };
  return { name, description: name, type: 'string', required: true, ...unrestricted };
}

function advice(inputs: readonly RunInput[], refused = inputs.map(({ name }) => name)): string {
  return howToGiveInputs({
    entry: { kind: 'run', name: 'sub', job: 'other', workflow: 'main', inputs },
    own: {},
    declared: [variable('topic'), variable('notes')],
    refused,
  });
}

const FILE: RunInput = { name: 'notes', output: { step: 'collect', output: 'notes' } };
const VARIABLE: RunInput = { name: 'topic', from: 'subject' };

test('an output that is refused has to be handed in again: no context replaces it', () => {
  expect(advice([FILE])).toBe(
    "'sub' runs other/main with what was handed in: hand in 'collect.notes' again (go_to_step returns to an earlier step), and make the same call again, or correct `inputs` of 'sub' in job.yml.",
  );
});

test('of an output and a variable that are refused, each is given in its own way', () => {
  expect(advice([FILE, VARIABLE])).toContain(
    "give 'subject' as `context`, hand in 'collect.notes' again (go_to_step returns to an earlier step), and make the same call again",
  );
});

test('an input that is not refused is not asked for', () => {
  expect(advice([FILE, VARIABLE], ['topic'])).toBe(
    "'sub' runs other/main with values from the context ('subject'). Give them as `context` and make the same call again, or correct `inputs` of 'sub' in job.yml.",
  );
});
