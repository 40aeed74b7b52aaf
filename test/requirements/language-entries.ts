// What a workflow can have besides steps in an order: loops, items, approvals, nested runs.

import type { Requirements } from './requirement.ts';

export const LANGUAGE_ENTRIES = {
  'LANG-3': {
    says: 'A loop goes round until its check, condition or rules hold; what cannot tell uses up no pass; after max passes a person decides; nested loops, going back and crashes in any pass lose nothing.',
    source: 'language contract, section 3',
  },
  'LANG-4': {
    says: 'A step is done once for each item of a list that is fixed on arrival; items are submitted in any order by any number of agents, each with its own outputs and attempts.',
    source: 'language contract, section 4',
  },
  'LANG-5': {
    says: 'Only a person opens an approval, for exactly the bytes that were shown; a rejection leads back with the person’s words up to a limit, and the same bytes are asked about once.',
    source: 'language contract, section 5',
  },
  'LANG-6': {
    says: 'A nested run starts with the arrival and completes the entry when it is complete; aborting either, crashes between and the depth of the stack are handled.',
    source: 'language contract, section 6',
  },
  'LANG-10': {
    says: 'The decider agrees with the reference model on random histories with all kinds of entries mixed.',
    source: 'language contract, sections 2 to 6',
  },
} as const satisfies Requirements;
