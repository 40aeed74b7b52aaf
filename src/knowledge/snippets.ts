// Snippets: the files one folder below the roots, where the folder names a language, and
// how a language and a query find them. Both are compared with what was found, never made
// part of a path.

import { answerList, type Shown } from './answer-list.ts';
import type { Shelf, ShelfFile, ShelfView } from './shelf.ts';
import type { Kind } from './walk.ts';

export const SNIPPETS: Kind = {
  enters: (depth) => depth === 1,
  wants: (_, depth) => depth === 1,
};

export interface Snippets {
  find(language: string, query: string): Promise<string>;
}

interface Snippet extends Shown {
  readonly name: string;
  readonly file: ShelfFile;
}

/** A file may go between being found and being read; then everything is looked at again. */
const TRIES = 3;

export function openSnippets(shelf: Shelf): Snippets {
  let view: ShelfView | null = null;
  let languages: ReadonlyMap<string, readonly Snippet[]> = new Map();

  const current = async () => {
    const now = await shelf.look();
    if (now !== view) {
      view = now;
      languages = groupByLanguage(now.files);
    }
    return languages;
  };

  return {
    async find(language, query) {
      for (let attempt = 1; ; attempt++) {
        const found = match(await current(), language, query);
        if (typeof found === 'string') return found;
        const content = await found.file.content();
        if (content !== null) return content;
        if (attempt === TRIES) return '';
      }
    },
  };
}

/** The text to answer with, or the one snippet whose content is wanted. */
function match(
  languages: ReadonlyMap<string, readonly Snippet[]>,
  language: string,
  query: string,
): string | Snippet {
  if (language.trim() === '') return [...languages.keys()].join('\n');
  const snippets = languages.get(language) ?? [];
  if (query.trim() === '') return answerList(snippets);
  const labelled = snippets.find(({ label }) => label === query);
  if (labelled) return labelled;
  const equal = snippets.filter(({ name }) => name === query);
  if (equal.length > 0) return oneOrList(equal);
  const containing = snippets.filter(({ name }) => name.includes(query));
  if (containing.length > 0) return oneOrList(containing);
  const lowerCase = query.toLowerCase();
  return answerList(
    snippets.filter(({ name, description }) =>
      [name, description].some((text) => text?.toLowerCase().includes(lowerCase)),
    ),
  );
}

function oneOrList(hits: readonly Snippet[]): string | Snippet {
  const [only] = hits;
  return hits.length === 1 && only ? only : answerList(hits);
}

function groupByLanguage(files: readonly ShelfFile[]): Map<string, Snippet[]> {
  const groups = new Map<string, { file: ShelfFile; fileName: string }[]>();
  for (const file of files) {
    const [language = '', fileName = ''] = file.path.split('/');
    const group = groups.get(language) ?? [];
    group.push({ file, fileName });
    groups.set(language, group);
  }
  return new Map([...groups].map(([language, group]) => [language, label(group)]));
}

/** Names that could mean two files give way to file names, so that each label means one. */
function label(files: readonly { file: ShelfFile; fileName: string }[]): Snippet[] {
  const meanings = new Map<string, Set<string>>();
  for (const { fileName } of files) {
    for (const meaning of [fileName, nameOf(fileName)]) {
      meanings.set(meaning, (meanings.get(meaning) ?? new Set()).add(fileName));
    }
  }
  return files.map(({ file, fileName }) => {
    const name = nameOf(fileName);
    const shared = (meanings.get(name)?.size ?? 0) > 1;
    return { name, label: shared ? fileName : name, description: file.description, file };
  });
}

function nameOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(0, dot) : fileName;
}
