import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { findOperation, operations } from './table.ts';

/** Required arguments, which would otherwise be reported first. */
const NEEDED: Readonly<Record<string, Record<string, unknown>>> = {
  workflow_next: { workflowId: 'x', completedSteps: [] },
  workflow_validate: { workflowId: 'x', stepId: 'y', output: 'z' },
};

/** Clients send additional arguments with it. */
const LENIENT = 'update_workflow_state';

const strict = operations.filter(({ name }) => name !== LENIENT);

test.each(strict.map((operation) => [operation.name, operation] as const))(
  '%s refuses an unknown argument by its name',
  (name, operation) => {
    verifies('TEAM-4');
    const given = { ...NEEDED[name], surplus_argument: 1 };
    expect(() => operation.parse(given)).toThrow('surplus_argument');
  },
);

test(`${LENIENT} ignores unknown arguments`, () => {
  verifies('TEAM-4');
  const given = { status: 'working', surplus_argument: 1 };
  expect(findOperation(LENIENT)?.parse(given)).not.toHaveProperty('surplus_argument');
});
