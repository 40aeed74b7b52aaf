// Messages are written for agents and say "ask your user to …". For a person at a terminal
// they are reworded when printed: "do …".

/** Applied in this order: whole phrases before the general rules. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bask your user which project is meant\b/g, 'name the project with --path'],
  [/,? or ask your user(?: to)?(?=[.;]|$)/g, ''],
  [/\bask your user whether to /gi, ''],
  [/\bask your user to ([^.;]*?), or to /gi, '$1, or '],
  [/\bask your user (?:now )?to /gi, ''],
  [/\bhave your user /gi, ''],
  [/\btell your user(?:; |, and | that )/gi, ''],
  [/\byour user's own\b/g, 'your own'],
  [/\bask them to /g, ''],
];

export function forPerson(text: string): string {
  if (!/\byour user\b/i.test(text)) return text;
  const reworded = PHRASES.reduce((so, [from, to]) => so.replace(from, to), text);
  // Capitalize sentences that lost their first words.
  return reworded.replace(/([.!?] )([a-z])/g, (_, end: string, letter: string) => {
    return `${end}${letter.toUpperCase()}`;
  });
}

/** Rewords deepwork's own fields of an answer; text from job files stays unchanged. */
export function answerForPerson<T extends Readonly<Record<string, unknown>>>(answer: T): T {
  const changed = Object.fromEntries(
    OWN_WORDS.filter((key) => Object.hasOwn(answer, key)).map((key) => [key, reword(answer[key])]),
  );
  return { ...answer, ...changed };
}

const OWN_WORDS = ['error', 'feedback', 'warnings'];

function reword(value: unknown): unknown {
  if (typeof value === 'string') return forPerson(value);
  if (Array.isArray(value)) return value.map(reword);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reword(inner)]));
}
