// A list as agents see it: a line for each, with the label to ask for it by.

export interface Shown {
  readonly label: string;
  readonly description: string | null;
}

export function answerList(items: readonly Shown[]): string {
  return items
    .map(({ label, description }) => `${label}: ${description ?? 'No description'}`)
    .join('\n');
}
