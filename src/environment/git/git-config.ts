// Reads one variable of a git config file as git does: quotes, escapes, comments, lines that go on
// after a backslash, names in any case. Git itself is not run, since the repository may be untrusted.

const HEADER = /\[([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]/y;
const NAME = /([A-Za-z][\w-]*)[ \t]*(=?)/y;
const BLANKS = /\s*/y;

/** `section` is written as in `remote.origin`. The first value; null if there is none. */
export function firstConfigValue(text: string, section: string, name: string): string | null {
  let inSection = false;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    match(BLANKS);
    const header = match(HEADER);
    if (header !== null) {
      inSection = sectionName(header) === section;
      continue;
    }
    const [, found, hasValue] = match(NAME) ?? [];
    if (hasValue !== '=') {
      at = endOfLine(text, at);
      continue;
    }
    const { value, end } = valueAt(text, at);
    if (inSection && found?.toLowerCase() === name) return value;
    at = end;
  }
  return null;
}

/** `[Remote "origin"]` and the older `[remote.origin]` are the same. */
function sectionName([, name = '', below]: RegExpExecArray): string {
  const lower = name.toLowerCase();
  return below === undefined ? lower : `${lower}.${below.replace(/\\(.)/g, '$1')}`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

function valueAt(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  /** Blanks at the end do not belong to the value unless they are quoted. */
  let length = 0;
  let isQuoted = false;
  let at = start;
  for (; at < text.length && text[at] !== '\n'; at += 1) {
    const character = text[at] as string;
    if (character === '"') {
      isQuoted = !isQuoted;
      length = value.length;
    } else if (!isQuoted && (character === '#' || character === ';')) {
      return { value: value.slice(0, length), end: endOfLine(text, at) };
    } else if (character === '\\') {
      at += text.startsWith('\r\n', at + 1) ? 2 : 1;
      const next = text[at] ?? '';
      if (next !== '\n') value += ESCAPES[next] ?? next;
      length = value.length;
    } else if (isQuoted || !/\s/.test(character)) {
      value += character;
      length = value.length;
    } else if (value !== '') {
      value += character;
    }
  }
  return { value: value.slice(0, length), end: at };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
