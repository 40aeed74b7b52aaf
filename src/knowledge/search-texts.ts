// The texts of files in lower case, for searching. They are read when the first search
// needs them and kept within a budget; what is beyond it is read for every search.

import type { KnowledgeFile } from './knowledge-files.ts';

export interface SearchTexts {
  /** The text of a file in lower case. A promise for each of thousands would cost more than the search. */
  readonly of: (file: KnowledgeFile) => string | Promise<string>;
  keepOnly(files: readonly KnowledgeFile[]): void;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

export function openSearchTexts(mostCharacters = MAX_CHARACTERS): SearchTexts {
  let kept = new Map<KnowledgeFile, string>();
  let characters = 0;

  const read = async (file: KnowledgeFile): Promise<string> => {
    const text = (await file.content())?.toLowerCase() ?? '';
    if (characters + text.length <= mostCharacters) {
      if (!kept.has(file)) characters += text.length;
      kept.set(file, text);
    }
    return text;
  };

  return {
    of: (file) => kept.get(file) ?? read(file),

    keepOnly(files) {
      const before = kept;
      kept = new Map();
      characters = 0;
      for (const file of files) {
        const text = before.get(file);
        if (text === undefined) continue;
        kept.set(file, text);
        characters += text.length;
      }
    },
  };
}
