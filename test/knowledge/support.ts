// The finders as an agent calls them, and the files that they find.

import type { Answer, Era } from '../support/calls.ts';
import { connect } from '../support/connect.ts';

export interface Finders {
  skills(input?: Record<string, unknown>): Promise<Answer>;
  snippets(input?: Record<string, unknown>): Promise<Answer>;
}

export async function openFinders(root: string, era: Era): Promise<Finders> {
  const { call } = await connect(root, { era });
  return {
    skills: (input) => call('find_skills', input),
    snippets: (input) => call('find_snippets', input),
  };
}

/** A skill or snippet with front matter. */
export function page(description: string, body = 'Do it well.'): string {
  return `---\ndescription: ${description}\n---\n${body}\n`;
}
