// A list for agents: one line per item, with the label to request it by.

export interface ListedItem {
  readonly label: string;
  readonly description: string | null;
}

export const NO_SKILLS = 'No matching skills.';
export const NO_SNIPPETS = 'No matching snippets.';

/** An empty answer could look like a failure, so an empty list is stated in words. */
export function answerList(items: readonly ListedItem[], nothing: string): string {
  if (items.length === 0) return nothing;
  return items
    .map(({ label, description }) => `${label}: ${description ?? 'No description'}`)
    .join('\n');
}
