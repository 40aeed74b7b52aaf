import { expect, test } from 'vitest';
import { type Claim, claimOf, type Liveness } from './ownership.ts';

const OWNERS = {
  writer: { identity: 'agent:writer', agent: 'writer' },
  'writer on stdio': { identity: 'process:1', agent: 'writer' },
  'writer on a model': { identity: 'agent:writer|m', agent: 'writer|m' },
  reviewer: { identity: 'agent:reviewer', agent: 'reviewer' },
  coordinator: { identity: 'agent:coordinator', agent: 'coordinator' },
  'coordinator on a model': { identity: 'agent:coordinator|m', agent: 'coordinator|m' },
  unnamed: { identity: 'process:2' },
  'another unnamed': { identity: 'claude-code:3' },
  terminal: { identity: 'terminal' },
} as const;
type Who = keyof typeof OWNERS;

/** The caller, the owner, and the claim if the owner's process is gone. */
const TABLE: readonly (readonly [caller: Who, owner: Who, gone: Claim])[] = [
  ['writer', 'writer', 'own'],
  ['writer', 'writer on stdio', 'open'],
  ['writer on stdio', 'writer', 'open'],
  ['writer', 'writer on a model', 'by_id'],
  ['writer on a model', 'writer', 'by_id'],
  ['reviewer', 'writer', 'others'],
  ['reviewer', 'writer on stdio', 'others'],
  ['reviewer', 'coordinator', 'others'],
  ['reviewer', 'unnamed', 'others'],
  ['coordinator', 'writer', 'by_id'],
  ['coordinator on a model', 'writer', 'by_id'],
  ['coordinator', 'unnamed', 'open'],
  ['coordinator on a model', 'unnamed', 'open'],
  ['coordinator on a model', 'coordinator', 'by_id'],
  ['unnamed', 'another unnamed', 'open'],
  ['unnamed', 'coordinator', 'open'],
  ['unnamed', 'terminal', 'open'],
  ['unnamed', 'writer', 'by_id'],
  ['terminal', 'writer on stdio', 'by_id'],
  ['terminal', 'unnamed', 'open'],
];

test.each(TABLE)('%s has this claim on the work of %s: %s', (caller, owner, gone) => {
  const claim = (liveness: Liveness) => claimOf(OWNERS[caller], OWNERS[owner], liveness);
  expect(claim('gone')).toBe(gone);
  expect(claim('alive')).toBe(gone === 'own' ? 'own' : 'alive');
  // Work that may still run elsewhere is never taken over without its id.
  expect(claim('unknown')).toBe(gone === 'open' ? 'by_id' : gone);
});
