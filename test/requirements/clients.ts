// What the contract of clients asks, in our words.

import type { Requirements } from './requirement.ts';

export const CLIENTS = {
  'CLIENT-1': {
    says: 'deepwork init sets up each client, losing nothing of existing files; a second run changes nothing; --undo takes out exactly what was put in.',
    source: 'clients contract, section 2',
  },
  'CLIENT-2': {
    says: 'An agent that wants to stop with a step open is sent back at most three times in a row, never while a person is waited for, and never elsewhere.',
    source: 'clients contract, section 3',
  },
  'CLIENT-3': {
    says: 'After every event of a run, an agent that knows nothing but the capsule finishes it.',
    source: 'clients contract, section 3',
  },
  'CLIENT-4': {
    says: 'Codex, Gemini CLI and opencode are answered in the forms that each of them understands, as far as their hooks go.',
    source: 'clients contract, section 3',
  },
  'CLIENT-5': {
    says: 'Whatever a hook is given, and whatever is wrong here, it exits with 0 and prints nothing that is not an answer.',
    source: 'clients contract, section 3',
  },
  'CLIENT-6': {
    says: "An agent's file tools do not write deepwork's own files, with or without an open session.",
    source: 'clients contract, section 3',
  },
  'CLIENT-7': {
    says: 'The Claude CLI reviews with reading tools only, without the MCP servers and hooks of the project.',
    source: 'clients contract, section 1',
  },
  'CLIENT-8': {
    says: 'Every workflow and guide is a prompt that starts exactly it, and can be exported as a skill.',
    source: 'clients contract, section 5',
  },
  'CLIENT-9': {
    says: 'deepwork doctor looks at everything that deepwork needs, changes nothing, always ends, and names the fix of what is not well.',
    source: 'clients contract, section 6',
  },
} as const satisfies Requirements;
