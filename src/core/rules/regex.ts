// Compiles the regular expressions of rules and schemas. Anyone may have written them, and
// they run under a deadline. Two things have to be done here, because the deadline does not
// cover them: V8 compiles a pattern in one go, so its length is bounded, and V8 checks for
// interrupts only when a match backtracks, so every pattern gets a prefix that makes it do so.

import { engineMessage } from './run-within.ts';

const MAX_PATTERN_LENGTH = 8192;
/** Makes every match backtrack once. */
const PREFIX = '(?!(?!))(?:';

export type CompiledRegex =
  | { readonly kind: 'regex'; readonly regex: RegExp }
  | { readonly kind: 'problem'; readonly field: 'pattern' | 'flags'; readonly message: string };

const INLINE_FLAGS = /^\(\?([A-Za-z]+)\)/;

/** A rule's regex: leading groups such as `(?i)`, common in other languages, become flags. */
export function compileRegex(written: string, flags: string): CompiledRegex {
  if (!areFlags(flags)) {
    const message = `Invalid flags: ${flags.slice(0, 20)} (known are d, g, i, m, s, u, v, y, once each)`;
    return { kind: 'problem', field: 'flags', message };
  }
  const all = new Set(flags);
  let pattern = written;
  for (let group = INLINE_FLAGS.exec(pattern); group; group = INLINE_FLAGS.exec(pattern)) {
    const [text, letters = ''] = group;
    const foreign = [...letters].find((letter) => !'ims'.includes(letter));
    if (foreign !== undefined) {
      const message = `Invalid regular expression: inline flag "${foreign}" is none of i, m, s`;
      return { kind: 'problem', field: 'pattern', message };
    }
    for (const letter of letters) all.add(letter);
    pattern = pattern.slice(text.length);
  }
  return compile(pattern, [...all].join(''));
}

/** A JSON Schema pattern: in Unicode mode if possible; many real ones are not valid in it. */
export function compileSchemaPattern(pattern: string): CompiledRegex {
  const unicode = compile(pattern, 'u');
  return unicode.kind === 'regex' ? unicode : compile(pattern, '');
}

/** Whether a regex matches; resets sticky and global ones first. */
export function matches(regex: RegExp, text: string): boolean {
  regex.lastIndex = 0;
  return regex.test(text);
}

/** The pattern of a compiled regex, without the prefix. */
export function patternOf({ source }: RegExp): string {
  return source.slice(PREFIX.length, -1);
}

function compile(pattern: string, flags: string): CompiledRegex {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const message = `Invalid regular expression: longer than ${MAX_PATTERN_LENGTH} characters`;
    return { kind: 'problem', field: 'pattern', message };
  }
  try {
    new RegExp(pattern, flags);
    return { kind: 'regex', regex: new RegExp(`${PREFIX}${pattern})`, flags) };
  } catch (error) {
    const message = `Invalid regular expression: ${engineMessage(error)}`;
    return { kind: 'problem', field: 'pattern', message };
  }
}

function areFlags(flags: string): boolean {
  try {
    new RegExp('', flags);
    return true;
  } catch {
    return false;
  }
}
