// Answers of the lookups: a list, one line per item with the label to request it by, or the
// content of the only item found.

import { type Refused, refusedWith } from '../core/refusal.ts';
import type { KnowledgeFiles, KnowledgeView } from './knowledge-files.ts';
import type { KnowledgeFile } from './parse-knowledge-file.ts';

export interface ListedItem {
  readonly label: string;
  readonly description: string | null;
}

export const NO_SKILLS = 'No matching skills.';
export const NO_SNIPPETS = 'No matching snippets.';

/** A file may vanish between being found and being read; then the search starts again. */
const MAX_TRIES = 3;

interface Search {
  readonly what: 'skills' | 'snippets';
  /** The answer if there is nothing. */
  readonly nothing: string;
  /** Returns the answer's text, or the item whose content is wanted. */
  find(view: KnowledgeView): Promise<string | { readonly file: KnowledgeFile }>;
}

/** What would be nothing is refused if a root is a link out of the project, where it may be. */
export async function answerFound(
  files: KnowledgeFiles,
  { what, nothing, find }: Search,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const view = await files.look();
    const found = attempt > MAX_TRIES ? nothing : await find(view);
    if (found === nothing && view.linkedOut.length > 0) throw cannotRead(what, view.linkedOut);
    if (typeof found === 'string') return found;
    const content = await found.file.content();
    if (content !== null) return content;
  }
}

export function cannotRead(what: Search['what'], whys: readonly string[]): Refused {
  return refusedWith(`no_${what}`, `failed to access ${what}: ${whys.join('; ')}`);
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
