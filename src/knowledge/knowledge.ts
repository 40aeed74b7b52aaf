// What the agents of a project can look up: skills and snippets. A project's own folder comes
// before the one it shares with other tools. Opening touches nothing on disk.

import { join } from 'node:path';
import type { ProblemOf } from '../files/folder-links.ts';
import { openKnowledgeFiles } from './knowledge-files.ts';
import { openSkills, SKILLS, type Skills } from './skills.ts';
import { openSnippets, SNIPPETS, type Snippets } from './snippets.ts';

const SKILL_ROOTS = ['.deepwork/skills', '.sgai/skills'];
const SNIPPET_ROOTS = ['.deepwork/snippets', '.sgai/snippets'];

/** The folders of both, relative to the project's root. */
export const KNOWLEDGE_ROOTS: readonly string[] = [...SKILL_ROOTS, ...SNIPPET_ROOTS];

export interface Knowledge {
  readonly skills: Skills;
  readonly snippets: Snippets;
  /** Stops all watching. */
  close(): void;
}

/** `problemOf` is called for each root before it is read. */
export function openKnowledge(projectRoot: string, problemOf: ProblemOf = () => null): Knowledge {
  const rootsOf = (names: readonly string[]) => names.map((name) => join(projectRoot, name));
  const skills = openKnowledgeFiles(rootsOf(SKILL_ROOTS), SKILLS, { problemOf });
  const snippets = openKnowledgeFiles(rootsOf(SNIPPET_ROOTS), SNIPPETS, { problemOf });
  return {
    skills: openSkills(skills, SKILL_ROOTS),
    snippets: openSnippets(snippets),
    close() {
      skills.close();
      snippets.close();
    },
  };
}
