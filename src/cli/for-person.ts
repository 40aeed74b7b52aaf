// Messages are written for agents, which have a user; a person at a terminal has none. What
// an agent is to ask of its user, a person can do. Applied where the command line prints.

/** In this order; the first ones are whole sentences that no rule fits. */
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
  const said = PHRASES.reduce((so, [from, to]) => so.replace(from, to), text);
  // Where a sentence lost its first words, it begins with the next.
  return said.replace(/([.!?] )([a-z])/g, (_, end: string, letter: string) => {
    return `${end}${letter.toUpperCase()}`;
  });
}

/** Of a tool's answer, what deepwork says itself; what a job's files say stays as it is. */
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
