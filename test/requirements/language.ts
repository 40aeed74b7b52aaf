// What a job.yml can say beyond steps in an order.

import type { Requirements } from './requirement.ts';

export const LANGUAGE = {
  'LANG-1': {
    says: 'Inputs of a workflow and reports of a step are judged by their declarations, all problems at once and with nothing created; defaults count, and the command line reads values by their types.',
    source: 'language contract, section 1',
  },
  'LANG-2': {
    says: 'Values are put into instructions once, places without a value stay, and commands find values in their environment only.',
    source: 'language contract, section 1',
  },
  'LANG-7': {
    says: 'A job.yml with step_arguments is read field by field, beside the other formats in one project.',
    source: 'language contract, section 7',
  },
  'LANG-8': {
    says: 'Lint finds exactly what happens when a workflow is run in every possible way, with a proof that can be walked.',
    source: 'language contract, section 8',
  },
  'LANG-9': {
    says: 'The simulator finds each hole in a workflow and none in a sound one, and the same seed plays the same.',
    source: 'language contract, section 8',
  },
} as const satisfies Requirements;
