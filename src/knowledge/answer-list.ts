// Answers of the lookups: a list, one line per item with the label to request it by, or the
// content of the only item found.

import type { KnowledgeFile } from './parse-knowledge-file.ts';

export interface ListedItem {
  readonly label: string;
  readonly description: string | null;
}

export const NO_SKILLS = 'No matching skills.';
export const NO_SNIPPETS = 'No matching snippets.';

/** A file may vanish between being found and being read; then the search starts again. */
const MAX_TRIES = 3;

/** `find` returns the answer's text, or the item whose content is wanted. */
export async function answerFound(
  find: () => Promise<string | { readonly file: KnowledgeFile }>,
  nothing: string,
): Promise<string> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const found = await find();
    if (typeof found === 'string') return found;
    const content = await found.file.content();
    if (content !== null) return content;
  }
  return nothing;
}

/** The only item, or a list. */
export function oneOrList<T extends ListedItem>(items: readonly T[], nothing: string): string | T {
  const [only] = items;
  return items.length === 1 && only ? only : answerList(items, nothing);
}

/** An empty answer could look like a failure, so an empty list is stated in words. */
export function answerList(items: readonly ListedItem[], nothing: string): string {
  if (items.length === 0) return nothing;
  return items
    .map(({ label, description }) => `${label}: ${description ?? 'No description'}`)
    .join('\n');
}
