// What a project knows and its agents can look up: skills and snippets. A project's own
// folder comes before the one that it shares with other tools. Opening touches nothing on
// disk.

import { join } from 'node:path';
import { openShelf } from './shelf.ts';
import { openSkills, SKILLS, type Skills } from './skills.ts';
import { openSnippets, SNIPPETS, type Snippets } from './snippets.ts';

const SKILL_ROOTS = ['.deepwork/skills', '.sgai/skills'];
const SNIPPET_ROOTS = ['.deepwork/snippets', '.sgai/snippets'];

export interface Knowledge {
  readonly skills: Skills;
  readonly snippets: Snippets;
  /** Ends all watching. */
  close(): void;
}

export function openKnowledge(projectRoot: string): Knowledge {
  const rootsOf = (names: readonly string[]) => names.map((name) => join(projectRoot, name));
  const skills = openShelf(rootsOf(SKILL_ROOTS), SKILLS);
  const snippets = openShelf(rootsOf(SNIPPET_ROOTS), SNIPPETS);
  return {
    skills: openSkills(skills, SKILL_ROOTS),
    snippets: openSnippets(snippets),
    close() {
      skills.close();
      snippets.close();
    },
  };
}
