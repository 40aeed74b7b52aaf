import { expect, test } from 'vitest';
import { type Claim, claimOf, type Liveness } from './ownership.ts';

const OWNERS = {
  writer: { identity: 'agent:writer', agent: 'writer' },
  'writer on stdio': { identity: 'process:1', agent: 'writer' },
  'writer on a model': { identity: 'process:4/writer', agent: 'writer|m' },
  reviewer: { identity: 'agent:reviewer', agent: 'reviewer' },
  coordinator: { identity: 'agent:coordinator', agent: 'coordinator' },
  'coordinator on a model': { identity: 'process:5', agent: 'coordinator|m' },
  'run 1': { identity: 'run:00000001', agent: 'coordinator|codex|00000001' },
  'run 2': { identity: 'run:00000002', agent: 'coordinator|codex|00000002' },
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
  ['writer', 'writer on a model', 'open'],
  ['writer on a model', 'writer', 'open'],
  ['reviewer', 'writer', 'others'],
  ['reviewer', 'writer on stdio', 'others'],
  ['reviewer', 'coordinator', 'others'],
  ['reviewer', 'unnamed', 'others'],
  ['coordinator', 'writer', 'by_id'],
  ['coordinator on a model', 'writer', 'by_id'],
  ['coordinator', 'unnamed', 'open'],
  ['coordinator on a model', 'unnamed', 'open'],
  ['coordinator on a model', 'coordinator', 'open'],
  ['unnamed', 'run 1', 'by_id'],
  ['run 1', 'run 2', 'by_id'],
  ['run 1', 'unnamed', 'by_id'],
  ['writer', 'run 1', 'others'],
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
