// Skills: every `SKILL.md` below the roots, and how they are looked up by the name that an agent gives.
// The rules are tried in order, and the first with a match wins. The name is compared
// with the files found, never used in a path.

import { groupBy } from '../core/groups.ts';
import type { Refused } from '../core/refusal.ts';
import type { FilePattern } from '../files/walk-files.ts';
import {
  answerFound,
  answerList,
  cannotRead,
  type ListedItem,
  NO_SKILLS,
  oneOrList,
} from './answer-list.ts';
import { IGNORED_NAMES, type KnowledgeFiles, type KnowledgeView } from './knowledge-files.ts';
import type { KnowledgeFile } from './parse-knowledge-file.ts';
import { openSearchTexts, type SearchTexts } from './search-texts.ts';

const FILE = 'SKILL.md';

export const SKILLS: FilePattern = {
  ignores: IGNORED_NAMES,
  anyKind: false,
  enters: () => true,
  wants: (name) => name === FILE,
};

export interface Skills {
  /** A skill's content, a list, or the text for no match. */
  find(name: string): Promise<string>;
}

interface Skill extends ListedItem {
  readonly path: string;
  readonly lastPart: string;
  readonly name: string | null;
  readonly file: KnowledgeFile;
}

interface Index {
  readonly view: KnowledgeView;
  readonly skills: readonly Skill[];
  readonly byPath: ReadonlyMap<string, Skill>;
  readonly byLabelOrName: ReadonlyMap<string, readonly Skill[]>;
  readonly byLastPart: ReadonlyMap<string, readonly Skill[]>;
  readonly list: string;
}

export function openSkills(files: KnowledgeFiles, rootNames: readonly string[]): Skills {
  const texts = openSearchTexts();
  let index: Index | null = null;

  const current = (view: KnowledgeView): Index => {
    if (view.troubles !== null) throw noSkills(rootNames, view.troubles);
    if (index?.view !== view) {
      index = indexSkills(view);
      texts.keepOnly(view.files);
    }
    return index;
  };

  return {
    find: (name) =>
      answerFound(files, {
        what: 'skills',
        nothing: NO_SKILLS,
        find: async (view) => match(current(view), name, texts),
      }),
  };
}

function noSkills(rootNames: readonly string[], troubles: readonly string[]): Refused {
  const whys = rootNames.map((name, index) => `${name}: ${troubles[index] ?? ''}`);
  return cannotRead('skills', [...whys, `put a skill into ${rootNames[0] ?? ''}/<name>/${FILE}`]);
}

/** The answer's text, or the skill whose content is wanted. */
async function match(index: Index, name: string, texts: SearchTexts): Promise<string | Skill> {
  if (name.trim() === '') return index.list;
  const atPath = index.byPath.get(name);
  if (atPath) return atPath;
  const named = index.byLabelOrName.get(name);
  if (named) return oneOrList(named, NO_SKILLS);
  const below = index.skills.filter(({ path }) => path.startsWith(name));
  if (below.length > 0) return answerList(below, NO_SKILLS);
  const lastPart = index.byLastPart.get(name);
  if (lastPart) return oneOrList(lastPart, NO_SKILLS);
  return answerList(await search(index.skills, name.toLowerCase(), texts), NO_SKILLS);
}

async function search(
  skills: readonly Skill[],
  lowerCase: string,
  texts: SearchTexts,
): Promise<Skill[]> {
  const hits: Skill[] = [];
  for (const skill of skills) {
    // The description is one line in the list, but may be several in the file.
    const front = [skill.name, skill.description];
    const text = texts.of(skill.file);
    if (
      front.some((each) => each?.toLowerCase().includes(lowerCase)) ||
      (typeof text === 'string' ? text : await text).includes(lowerCase)
    ) {
      hits.push(skill);
    }
  }
  return hits;
}

function indexSkills(view: KnowledgeView): Index {
  const places = view.files.map((file) => {
    // A skill in the root itself needs a path, too, so that it can be requested.
    const path = file.path.slice(0, -FILE.length - 1) || '.';
    const lastPart = path.slice(path.lastIndexOf('/') + 1);
    return { path, lastPart, file, plain: file.name ?? lastPart };
  });
  const byPlain = groupBy(places, ({ plain }) => [plain]);
  const paths = new Set(places.map(({ path }) => path));
  const skills = places.map(({ path, lastPart, file, plain }): Skill => {
    // A label must lead back to its own skill, so it must not be another one's path either.
    const shared = (byPlain.get(plain)?.length ?? 0) > 1 || (plain !== path && paths.has(plain));
    const { name, description } = file;
    return { path, lastPart, name, description, label: shared ? path : plain, file };
  });
  return {
    view,
    skills,
    byPath: new Map(skills.map((skill) => [skill.path, skill])),
    byLabelOrName: groupBy(skills, ({ label, name }) => new Set([label, name ?? label])),
    byLastPart: groupBy(skills, ({ lastPart }) => [lastPart]),
    list: answerList(skills, NO_SKILLS),
  };
}
