// Snippets: the files one folder below the roots, where the folder names a language, and how
// a language and a query find them. Both are compared with the files found, never used in a
// path.

import { groupBy } from '../core/groups.ts';
import type { FilePattern } from '../files/walk-files.ts';
import { answerFound, answerList, type ListedItem, NO_SNIPPETS, oneOrList } from './answer-list.ts';
import { IGNORED_NAMES, type KnowledgeFiles, type KnowledgeView } from './knowledge-files.ts';
import type { KnowledgeFile } from './parse-knowledge-file.ts';

export const SNIPPETS: FilePattern = {
  ignores: IGNORED_NAMES,
  anyKind: false,
  enters: (depth) => depth === 1,
  wants: (_, depth) => depth === 1,
};

export interface Snippets {
  find(language: string, query: string): Promise<string>;
}

interface Snippet extends ListedItem {
  readonly name: string;
  readonly file: KnowledgeFile;
}

export function openSnippets(files: KnowledgeFiles): Snippets {
  let view: KnowledgeView | null = null;
  let languages: ReadonlyMap<string, readonly Snippet[]> = new Map();

  const current = (now: KnowledgeView) => {
    if (now !== view) {
      view = now;
      languages = groupByLanguage(now.files);
    }
    return languages;
  };

  return {
    find: (language, query) =>
      answerFound(files, {
        what: 'snippets',
        nothing: NO_SNIPPETS,
        find: async (now) => match(current(now), language, query),
      }),
  };
}

type Languages = ReadonlyMap<string, readonly Snippet[]>;

/** The answer's text, or the snippet whose content is wanted. */
function match(languages: Languages, language: string, query: string): string | Snippet {
  if (language.trim() === '') {
    return query.trim() === '' ? languageList(languages) : matchAnywhere([...languages], query);
  }
  const exact = languages.get(language);
  if (exact !== undefined) return matchIn(exact, query);
  const wanted = language.toLowerCase();
  const alike = [...languages].filter(([name]) => name.toLowerCase() === wanted);
  const [only] = alike;
  if (alike.length === 1 && only !== undefined) return matchIn(only[1], query);
  return matchAnywhere(alike, query);
}

function languageList(languages: Languages): string {
  return languages.size === 0 ? NO_SNIPPETS : [...languages.keys()].join('\n');
}

/** In one language. */
function matchIn(snippets: readonly Snippet[], query: string): string | Snippet {
  if (query.trim() === '') return answerList(snippets, NO_SNIPPETS);
  const labelled = snippets.find(({ label }) => label === query);
  if (labelled) return labelled;
  const equal = snippets.filter(({ name }) => name === query);
  if (equal.length > 0) return oneOrList(equal, NO_SNIPPETS);
  const containing = snippets.filter(({ name }) => name.includes(query));
  if (containing.length > 0) return oneOrList(containing, NO_SNIPPETS);
  return answerList(containingWords(snippets, query), NO_SNIPPETS);
}

/** In several languages: each is labelled with its language, and can be requested by that label. */
function matchAnywhere(
  languages: readonly (readonly [string, readonly Snippet[]])[],
  query: string,
): string | Snippet {
  const snippets = languages.flatMap(([language, those]) =>
    those.map((snippet) => ({ ...snippet, label: `${language}/${snippet.label}` })),
  );
  const labelled = snippets.find(({ label }) => label === query);
  return labelled ?? answerList(containingWords(snippets, query.trim()), NO_SNIPPETS);
}

function containingWords(snippets: readonly Snippet[], query: string): Snippet[] {
  const lowerCase = query.toLowerCase();
  return snippets.filter(({ name, description }) =>
    [name, description].some((text) => text?.toLowerCase().includes(lowerCase)),
  );
}

function groupByLanguage(files: readonly KnowledgeFile[]): Map<string, Snippet[]> {
  const placed = files.map((file) => {
    const [language = '', fileName = ''] = file.path.split('/');
    return { language, fileName, file };
  });
  const groups = groupBy(placed, ({ language }) => [language]);
  return new Map([...groups].map(([language, group]) => [language, label(group)]));
}

/** Names that could mean two files are replaced by file names, so that each label is unique. */
function label(files: readonly { file: KnowledgeFile; fileName: string }[]): Snippet[] {
  const meanings = groupBy(files, ({ fileName }) => new Set([fileName, nameOf(fileName)]));
  return files.map(({ file, fileName }) => {
    const name = nameOf(fileName);
    const shared = (meanings.get(name)?.length ?? 0) > 1;
    return { name, label: shared ? fileName : name, description: file.description, file };
  });
}

function nameOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(0, dot) : fileName;
}
