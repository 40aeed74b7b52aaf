// The members of a JSON object as they stand in its text. Reading and writing a value
// can change it (a long number loses digits, `1.0` becomes `1`); what belongs to others
// is therefore carried over as text.
//
// The text is anybody's. It is walked by index: a pattern that may go back keeps a place
// for every character, and a long text exhausts it.

/** Nobody's state is deeper than this, and what walks over the values goes by recursion. */
const DEEPEST = 256;

const SPACE = new Set('\t\n\r ');
const AFTER_SCALAR = new Set(',]}\t\n\r ');

/**
 * Name to text, the last of equal names. Throws if a value is nested too deep, or if the
 * text is no valid JSON object, as far as that can be seen on the way.
 */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skip(text, text.indexOf('{') + 1);
  while (text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const from = skip(text, skip(text, nameEnd) + 1);
    const to = endOfValue(text, from);
    members.set(name, text.slice(from, to));
    at = skip(text, to);
    if (text[at] === ',') at = skip(text, at + 1);
  }
  return members;
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  if (text[from] !== '{' && text[from] !== '[') return endOfScalar(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DEEPEST) throw new RangeError('The JSON is nested too deep');
    if (depth === 0) return at + 1;
  }
  throw notAnObject();
}

function endOfString(text: string, from: number): number {
  if (text[from] !== '"') throw notAnObject();
  for (let quote = text.indexOf('"', from + 1); quote !== -1; ) {
    let escapes = quote;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  throw notAnObject();
}

function endOfScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !AFTER_SCALAR.has(text[at] as string)) at += 1;
  if (at === from) throw notAnObject();
  return at;
}

function skip(text: string, from: number): number {
  let at = from;
  while (SPACE.has(text[at] as string)) at += 1;
  return at;
}

function notAnObject(): SyntaxError {
  return new SyntaxError('The text is not a JSON object');
}
