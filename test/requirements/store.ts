// The same promises past one machine, on PostgreSQL.

import type { Requirements } from './requirement.ts';

export const STORE = {
  'STORE-1': {
    says: 'The journals in memory, in files and in PostgreSQL pass the same suite.',
    source: 'store contract',
  },
  'STORE-2': {
    says: 'The requirement suites of jobs, guides and team pass on PostgreSQL.',
    source: 'store contract',
  },
  'STORE-3': {
    says: 'Writers of several servers on one stream lose nothing and leave no gap, and messages survive servers that are killed.',
    source: 'store contract',
  },
  'STORE-4': {
    says: 'While PostgreSQL is killed every few seconds, every result is right, and nothing is lost or doubled.',
    source: 'store contract',
  },
  'STORE-5': {
    says: 'A network that swallows bytes, cuts connections in the middle of a commit or delays them doubles no event and causes no wrong answer.',
    source: 'store contract',
  },
  'STORE-6': {
    says: "Ownership goes by leases on the database's clock: one that is lost while a review runs, two claimants at once, clocks of machines an hour apart.",
    source: 'store contract',
  },
  'STORE-7': {
    says: 'Copying between files and PostgreSQL keeps every hash, both ways, and can be interrupted anywhere.',
    source: 'store contract',
  },
  'STORE-8': {
    says: 'A schema is upgraded forward only, under a lock; a newer one, a foreign one and missing rights are refused with the reason.',
    source: 'store contract',
  },
} as const satisfies Requirements;
