// What people see of runs, and how they steer them.

import type { Requirements } from './requirement.ts';

export const BOARD = {
  'BOARD-1': {
    says: 'A run has the first state that applies, in a fixed order; the fold of any beginning of any history equals that of the decider.',
    source: 'board contract, section 1',
  },
  'BOARD-2': {
    says: 'status and history show live, nested, orphaned, ended and damaged sessions, in 80 columns and in pipes, and as JSON of published schemas; looking changes nothing.',
    source: 'board contract, section 2',
  },
  'BOARD-3': {
    says: 'The page in a real browser: live advance, failed gate, nested runs, questions by mouse and by keyboard, abort and go back, a server killed and back, 500 runs and 20,000 messages without a long task, hostile text in every field, no serious finding of axe, light, dark and on a phone.',
    source: 'board contract, section 5',
  },
  'BOARD-4': {
    says: 'The API of the page: an agent may read and may not steer, and learns who steered it and why; a browser signs in with a code that is good once, for a cookie that other sites cannot use; foreign and forged requests are refused; a file is shown only by the hash of an output that was handed in.',
    source: 'board contract, section 5',
  },
  'BOARD-5': {
    says: 'deepwork export writes one file that opens without network and plays the run; any two points can be compared.',
    source: 'board contract, section 2',
  },
  'BOARD-6': {
    says: 'deepwork verify finds every altered bit and every cut in streams and archives, says at which line, and reports nothing in sound ones.',
    source: 'board contract, section 2',
  },
  'BOARD-7': {
    says: 'deepwork prune keeps what is active or young, and what it moves can be verified where it is.',
    source: 'board contract, section 2',
  },
} as const satisfies Requirements;
