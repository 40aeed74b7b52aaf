// The members of a JSON object as they stand in its text. Reading and writing a value
// can change it (a long number loses digits, `1.0` becomes `1`); what belongs to others
// is therefore carried over as text.

const SPACE = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^,\]}\t\n\r ]+/y;

/** Name to text, the last of equal names. The text must be a valid JSON object. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skip(text, text.indexOf('{') + 1);
  while (text[at] !== '}') {
    const nameEnd = endOf(STRING, text, at);
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
  if (text[from] === '"') return endOf(STRING, text, from);
  if (text[from] !== '{' && text[from] !== '[') return endOf(SCALAR, text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOf(STRING, text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError('The text is not a JSON object');
}

function skip(text: string, from: number): number {
  return endOf(SPACE, text, from);
}

/** Where the match that begins exactly at `from` ends. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  if (!pattern.test(text)) throw new SyntaxError('The text is not a JSON object');
  return pattern.lastIndex;
}
