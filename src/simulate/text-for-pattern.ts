// A text that a pattern matches, for the simple patterns that people write: headings, words,
// alternatives, a few repetitions. Of several alternatives it takes the first, of repetitions as few
// as possible. Word boundaries and lookaheads are not solved; a few different texts are tried instead.

import { matches, patternOf } from '../core/rules/regex.ts';
import { runWithin, withoutPauses } from '../core/rules/run-within.ts';

const MATCH_MILLISECONDS = 100;
const MAX_REPEATS = 1000;
const MAX_LENGTH = 10_000;

/** How what a pattern leaves open is filled. */
interface Style {
  /** How often something is repeated that may be left out. */
  readonly optional: number;
  /** For `.` and classes, the first that fits. */
  readonly characters: string;
}

const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join('');
const STYLES: readonly Style[] = [
  { optional: 0, characters: `xX1_-${PRINTABLE}\n\t` },
  { optional: 1, characters: ` x${PRINTABLE}\n\t` },
  { optional: 1, characters: `xX1${PRINTABLE}\n\t` },
];

/** The first that really matches, else the first that was tried. */
export function textFor(regex: RegExp): string {
  const texts = STYLES.map((style) => readPattern(patternOf(regex), style).slice(0, MAX_LENGTH));
  const found = texts.find((text) => {
    const tried = withoutPauses(runWithin(MATCH_MILLISECONDS, () => matches(regex, text)));
    return tried.kind === 'done' && tried.value;
  });
  return found ?? texts[0] ?? '';
}

function readPattern(pattern: string, style: Style): string {
  let at = 0;
  const groups: string[] = [];

  const isNext = (text: string) => pattern.startsWith(text, at);
  const take = (expected: RegExp): RegExpExecArray | null => {
    const found = new RegExp(expected, `${expected.flags}y`);
    found.lastIndex = at;
    const match = found.exec(pattern);
    if (match !== null) at += match[0].length;
    return match;
  };

  function alternatives(): string {
    const first = sequence();
    while (isNext('|')) {
      at += 1;
      sequence();
    }
    return first;
  }

  function sequence(): string {
    let text = '';
    while (at < pattern.length && !isNext('|') && !isNext(')')) {
      const part = atom();
      text += part.repeat(repeats());
      // Enough to be cut; what follows is only read.
      if (text.length > MAX_LENGTH) text = text.slice(0, MAX_LENGTH);
    }
    return text;
  }

  function repeats(): number {
    const [, sign, from, comma] = take(/(?:([*+?])|\{(\d+)(,?)\d*\})\??/) ?? [];
    if (sign === '*' || sign === '?') return style.optional;
    if (from === undefined) return 1;
    const least = Math.min(Number(from), MAX_REPEATS);
    return least === 0 && comma === ',' ? style.optional : least;
  }

  function atom(): string {
    if (isNext('(')) return group();
    if (isNext('[')) return fitting(take(/\[\^?(?:\\[\s\S]|[^\]\\])*\]?/)?.[0] ?? '');
    if (isNext('\\')) return escaped();
    at += 1;
    const character = pattern[at - 1] ?? '';
    if (character === '.') return fitting('.');
    return character === '^' || character === '$' ? '' : character;
  }

  function group(): string {
    const [, kind = ''] = take(/\((?:\?(:|=|!|<=|<!|<[^>]*>))?/) ?? [];
    const isCaptured = kind === '' || /^<\w/.test(kind);
    const number = groups.length;
    if (isCaptured) groups.push('');
    const text = alternatives();
    at += 1;
    if (isCaptured) groups[number] = text;
    // What must not be there is left out.
    return kind === '!' || kind === '<!' ? '' : text;
  }

  function escaped(): string {
    const [, code] =
      take(/\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i)?.filter(Boolean) ?? [];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16) % 0x11_0000);
    const [, group] = take(/\\([1-9])/) ?? [];
    if (group !== undefined) return groups[Number(group) - 1] ?? '';
    const property = take(/\\[pP]\{[^}]*\}/);
    if (property !== null) return fitting(property[0]);
    const letter = pattern[at + 1] ?? '';
    at += 2;
    if ('bB'.includes(letter)) return '';
    if ('dDwWsS'.includes(letter)) return fitting(`\\${letter}`);
    return CONTROLS[letter] ?? letter;
  }

  /** A character of a class, which is matched alone and so cannot take long. */
  function fitting(characterClass: string): string {
    try {
      const one = new RegExp(`^${characterClass}$`, characterClass.startsWith('\\') ? 'u' : '');
      return [...style.characters].find((each) => one.test(each)) ?? '';
    } catch {
      return '';
    }
  }

  return alternatives();
}

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  0: '\0',
};
