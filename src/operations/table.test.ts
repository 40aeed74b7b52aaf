import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { findOperation, operations } from './table.ts';

/** Where what is missing would be told first. */
const NEEDED: Readonly<Record<string, Record<string, unknown>>> = {
  workflow_next: { workflowId: 'x', completedSteps: [] },
  workflow_validate: { workflowId: 'x', stepId: 'y', output: 'z' },
};

/** Clients send what they like along with it. */
const LENIENT = 'update_workflow_state';

const strict = operations.filter(({ name }) => name !== LENIENT);

test.each(strict.map((operation) => [operation.name, operation] as const))(
  '%s refuses an argument that it does not know, by its name',
  (name, operation) => {
    verifies('TEAM-4');
    const given = { ...NEEDED[name], surplus_argument: 1 };
    expect(() => operation.parse(given)).toThrow('surplus_argument');
  },
);

test(`${LENIENT} ignores what it does not know`, () => {
  verifies('TEAM-4');
  const given = { status: 'working', surplus_argument: 1 };
  expect(findOperation(LENIENT)?.parse(given)).not.toHaveProperty('surplus_argument');
});
