// Texts of files in lower case, for searching. They are read when the first search needs
// them and kept within a budget; texts beyond it are read again for every search.

import type { KnowledgeFile } from './parse-knowledge-file.ts';

export interface SearchTexts {
  /** In lower case. Not always a promise: thousands of promises would cost more than the search. */
  readonly of: (file: KnowledgeFile) => string | Promise<string>;
  keepOnly(files: readonly KnowledgeFile[]): void;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

export function openSearchTexts(): SearchTexts {
  let kept = new Map<KnowledgeFile, string>();
  let characters = 0;

  const read = async (file: KnowledgeFile): Promise<string> => {
    const text = (await file.content())?.toLowerCase() ?? '';
    if (characters + text.length <= MAX_CHARACTERS) {
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
