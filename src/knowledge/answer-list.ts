// A list as agents see it: a line for each, with the label to ask for it by.

export interface Shown {
  readonly label: string;
  readonly description: string | null;
}

export const NO_SKILLS = 'No matching skills.';
export const NO_SNIPPETS = 'No matching snippets.';

/** An empty answer could be taken for a failure, so nothing found is said in words. */
export function answerList(items: readonly Shown[], nothing: string): string {
  if (items.length === 0) return nothing;
  return items
    .map(({ label, description }) => `${label}: ${description ?? 'No description'}`)
    .join('\n');
}
