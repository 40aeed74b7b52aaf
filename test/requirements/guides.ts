// What the guides contract asks, in our words.

import type { Requirements } from './requirement.ts';

export const GUIDES = {
  'GUIDE-1': {
    says: "A guide's method gives the same result called directly and as a tool, over stdio and HTTP, before or without a handshake.",
    source: 'guides contract, section 1',
  },
  'GUIDE-2': {
    says: 'workflow_list takes nothing, null or {}, and no list; workflow_get takes its id by either name, and both must agree.',
    source: 'guides contract, section 2',
  },
  'GUIDE-3': {
    says: 'Every failure has its code, its message and its data, and fits the declared output schema.',
    source: 'guides contract, section 1',
  },
  'GUIDE-4': {
    says: 'A notification gets no answer, a batch or a wrong id is refused, and nothing but messages is on stdout.',
    source: 'guides contract, section 1',
  },
  'GUIDE-5': {
    says: 'What is too large, too deep or no JSON is refused, and the connection goes on; text may arrive in any pieces.',
    source: 'guides contract, section 10',
  },
  'GUIDE-6': {
    says: 'The transcripts of seed 004 come out as written there.',
    source: 'guides contract, section 9',
  },
  'GUIDE-7': {
    says: 'Every limit of the file format holds at its edge and not past it.',
    source: 'guides contract, section 3',
  },
  'GUIDE-8': {
    says: 'An unknown field, a repeated key and a repeated step id are reported with line and column.',
    source: 'guides contract, section 3',
  },
  'GUIDE-9': {
    says: 'A file that asks for loops or other things that guides do not have is answered that they are not supported.',
    source: 'guides contract, section 3',
  },
  'GUIDE-10': {
    says: "The first folder's file counts, even a broken one; a file without a readable id is known by its file name.",
    source: 'guides contract, section 4',
  },
  'GUIDE-11': {
    says: 'A link that leaves its folder is not read; one that stays inside works.',
    source: 'guides contract, section 4',
  },
  'GUIDE-12': {
    says: 'A file that is edited, added or removed shows at the next call, and the list is sorted.',
    source: 'guides contract, section 4',
  },
  'GUIDE-13': {
    says: 'A missing variable equals nothing, not even null, differs from everything, and compares with no number.',
    source: 'guides contract, section 5',
  },
  'GUIDE-14': {
    says: 'Comparisons convert nothing: neither types nor case.',
    source: 'guides contract, section 5',
  },
  'GUIDE-15': {
    says: 'All operators of a condition must hold, and objects are equal by structure.',
    source: 'guides contract, section 5',
  },
  'GUIDE-16': {
    says: "Only a context's own properties are seen, never inherited ones.",
    source: 'guides contract, section 5',
  },
  'GUIDE-17': {
    says: 'An empty condition and an empty and are true; an empty or is false.',
    source: 'guides contract, section 5',
  },
  'GUIDE-18': {
    says: 'An unknown operator is an error wherever it stands.',
    source: 'guides contract, section 5',
  },
  'GUIDE-19': {
    says: "Dots in a variable's name walk nested objects; a key with the whole name wins.",
    source: 'guides contract, section 5',
  },
  'GUIDE-20': {
    says: 'A condition may be 32 levels deep; a deeper one is refused.',
    source: 'guides contract, section 5',
  },
  'GUIDE-21': {
    says: 'The next step is the first one not completed whose condition holds; the guide is complete when none is left.',
    source: 'guides contract, section 6',
  },
  'GUIDE-22': {
    says: 'Warnings, skipped steps and missing context are reported when there are any, and absent otherwise.',
    source: 'guides contract, section 6',
  },
  'GUIDE-23': {
    says: 'An unknown current step and wrong completedSteps are refused by their codes.',
    source: 'guides contract, section 2',
  },
  'GUIDE-24': {
    says: 'The prompt of a step is made of role, guidance, preface and prompt, each where it is set.',
    source: 'guides contract, section 6',
  },
  'GUIDE-25': {
    says: 'Whether to confirm, and which criteria are shown, follows the context.',
    source: 'guides contract, section 6',
  },
  'GUIDE-26': {
    says: 'Without criteria only blank output fails.',
    source: 'guides contract, section 7',
  },
  'GUIDE-27': {
    says: 'contains with an empty text passes; without a text it is an error of the rule.',
    source: 'guides contract, section 7',
  },
  'GUIDE-28': {
    says: 'A pattern or flags that cannot be compiled are errors of the rule; inline flags and lookaheads work.',
    source: 'guides contract, section 7',
  },
  'GUIDE-29': {
    says: 'A pattern that would run for ever is stopped, reported by its rule, and other callers are answered meanwhile.',
    source: 'guides contract, section 7',
  },
  'GUIDE-30': {
    says: 'Lengths count code points; no bounds pass; bounds that cross are an error of the rule.',
    source: 'guides contract, section 7',
  },
  'GUIDE-31': {
    says: 'Schemas know formats, both drafts, unknown keywords and equal ids.',
    source: 'guides contract, section 7',
  },
  'GUIDE-32': {
    says: 'A malformed schema is a problem of the file; a missing one is an error of the rule; output that is no JSON is an issue.',
    source: 'guides contract, section 7',
  },
  'GUIDE-33': {
    says: 'Compositions report what failed in them, and not has a message of its own or a generated one.',
    source: 'guides contract, section 7',
  },
  'GUIDE-34': {
    says: 'Members that do not apply leave their composition, and an emptied composition does not apply either.',
    source: 'guides contract, section 7',
  },
  'GUIDE-35': {
    says: 'Criteria may be a rule, a composition or a list of both; anything else is an error of the rule.',
    source: 'guides contract, section 3',
  },
  'GUIDE-36': {
    says: 'Suggestions come in order, each once, and none on success.',
    source: 'guides contract, section 7',
  },
  'GUIDE-37': {
    says: 'Validation follows the context, and ignores whether the step would run.',
    source: 'guides contract, section 7',
  },
  'GUIDE-38': {
    says: 'A guide can be run as a session, and a job can be walked as a guide.',
    source: 'guides contract, section 8',
  },
  'GUIDE-39': {
    says: 'In jobs, rules come before reviews, when skips steps, and outputName says which output is validated.',
    source: 'guides contract, section 8',
  },
  'GUIDE-40': {
    says: 'A session whose step left its file is told so by a code of its own.',
    source: 'guides contract, section 8',
  },
} as const satisfies Requirements;
