// Reads JSON. What it means, and whether it is JSON at all, is for `JSON.parse` to say, and for
// a sound file that is all. Only if there is something to report, places are looked for: JSON
// is YAML in flow style, so the lexer of the `yaml` package takes the text apart. The same pass
// finds keys that are written twice, and the place where a text stops being JSON.

import type { Lexer } from 'yaml';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';
import { shorten } from '../../core/conditions-problems.ts';
import { membersWrittenIn } from '../../core/json-size.ts';
import { cut, onOneLine } from '../wording.ts';
import type { MapEntry, Node, ScalarNode } from './node.ts';
import { openPositions } from './positions.ts';
import { loadYaml, MAX_DEPTH, type Source, type SourceFault } from './source.ts';

export interface ParsedJson {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  /** `broken`: not JSON, or nested too deep; the faults of `readJson` say which. */
  readonly fault: 'broken' | 'duplicate keys' | null;
}

export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { value: undefined, fault: 'broken' };
  }
  const { members, depth } = measure(value);
  if (depth > MAX_DEPTH) return { value, fault: 'broken' };
  // Of a key that is written twice one value is dropped.
  return { value, fault: members < membersWrittenIn(text) ? 'duplicate keys' : null };
}

/** Members of all objects, and levels of nesting; level by level, since it may be deep. */
function measure(value: unknown): { readonly members: number; readonly depth: number } {
  const isNested = (each: unknown): each is object => typeof each === 'object' && each !== null;
  let members = 0;
  let depth = 0;
  let level = [value].filter(isNested);
  while (level.length > 0) {
    const inside: object[] = [];
    for (const each of level) {
      const values = Array.isArray(each) ? each : Object.values(each);
      if (values !== each) members += values.length;
      for (const child of values) if (isNested(child)) inside.push(child);
    }
    level = inside;
    depth += 1;
  }
  return { members, depth };
}

/** More are consequences of the first ones. */
const MAX_FAULTS = 1000;

interface Token {
  /** Empty at the end of the text. */
  readonly source: string;
  readonly at: number;
}

/** What the lexer says before a plain scalar, and around documents: it is no part of the text. */
const PLAIN = '\x1f';
const MARKS = new Set([PLAIN, '\x02', '\x18']);

function* tokensOf(lexer: Lexer, text: string): Generator<Token, undefined> {
  let at = 0;
  let isPlain = false;
  // YAML is particular about lines and tabs; to JSON one blank is like the other. This is
  // several times as fast as `replaceAll`, which counts where a megabyte is all line ends.
  const blanked = ['\n', '\r', '\t'].reduce((all, blank) => all.split(blank).join(' '), text);
  for (const lexeme of lexer.lex(blanked)) {
    if (!isPlain && MARKS.has(lexeme)) {
      isPlain = lexeme === PLAIN;
      continue;
    }
    isPlain = false;
    const written = text.slice(at, at + lexeme.length);
    if (written.startsWith('"')) yield { source: written, at };
    else {
      // A plain scalar of YAML may go on over blanks; in JSON it is several words.
      for (const { 0: source, index } of written.matchAll(/[^ \t\r\n]+/g)) {
        yield { source, at: at + index };
      }
    }
    at += lexeme.length;
  }
}

/** The values with their places, and every fault. */
export async function readJson(text: string): Promise<Source> {
  const { Lexer } = await loadYaml();
  const tokens = tokensOf(new Lexer(), text);
  const end: Token = { source: '', at: text.length };
  const faults: SourceFault[] = [];
  const path: (string | number)[] = [];
  let next = tokens.next().value ?? end;

  const take = (): Token => {
    const token = next;
    next = tokens.next().value ?? end;
    return token;
  };

  const notJson = (message: string, at: number): Stopped => {
    return new Stopped({ code: 'not_json', path: [...path], message: `Not JSON: ${message}`, at });
  };

  const readScalar = (wanted: string, { source, at }: Token): ScalarNode['value'] => {
    try {
      return JSON.parse(source);
    } catch {
      const wrong = source.startsWith('"') ? faultInString(source) : null;
      if (wrong !== null) throw notJson(wrong.message, at + wrong.offset);
      throw notJson(`${wanted} must stand here, ${found(text, at)}`, at);
    }
  };

  const readValue = async (): Promise<Node> => {
    if (sliceIsOver()) await nextSlice();
    const token = take();
    const { source, at } = token;
    if (source !== '{' && source !== '[') {
      const value = readScalar('a value', token);
      return { kind: 'scalar', at, value, written: source, plain: source[0] !== '"' };
    }
    if (path.length === MAX_DEPTH) {
      const message = `Nested more than ${MAX_DEPTH} deep`;
      throw new Stopped({ code: 'over_limit', path: [...path], message, at });
    }
    return source === '{' ? readMap(at) : readList(at);
  };

  const readMap = async (at: number): Promise<Node> => {
    // Of a key that is written twice the last one counts, as everywhere in JavaScript.
    const entries = new Map<string, MapEntry>();
    while (hasMore('}', entries.size === 0)) {
      const { key, keyAt } = readKey();
      path.push(key);
      if (entries.has(key) && faults.length < MAX_FAULTS) {
        const message = `Duplicate key: ${onOneLine(shorten(key))}`;
        faults.push({ code: 'duplicate_key', path: [...path], message, at: keyAt });
      }
      entries.set(key, { key, keyAt, value: await readValue() });
      path.pop();
    }
    return { kind: 'map', at, entries: [...entries.values()] };
  };

  const readKey = () => {
    const token = take();
    const isText = token.source.startsWith('"');
    const key = readScalar('a key in double quotes', isText ? token : { ...token, source: '' });
    const { source, at } = take();
    if (source !== ':') throw notJson(`":" must follow a key, ${found(text, at)}`, at);
    return { key: String(key), keyAt: token.at };
  };

  const readList = async (at: number): Promise<Node> => {
    const items: Node[] = [];
    while (hasMore(']', items.length === 0)) {
      path.push(items.length);
      items.push(await readValue());
      path.pop();
    }
    return { kind: 'list', at, items };
  };

  /** Reads what stands before an item, or the end of them all. */
  const hasMore = (closing: string, isFirst: boolean): boolean => {
    if (isFirst && next.source !== closing) return true;
    const { source, at } = take();
    if (source === closing) return false;
    if (source !== ',')
      throw notJson(`"," or "${closing}" must stand here, ${found(text, at)}`, at);
    if (next.source === closing) throw notJson(`no comma may stand before "${closing}"`, at);
    return true;
  };

  const readDocument = async (): Promise<Node> => {
    if (next === end) throw notJson('the file is empty', 0);
    const root = await readValue();
    if (next === end) return root;
    throw notJson(`nothing may follow the value, ${found(text, next.at)}`, next.at);
  };

  const positionOf = openPositions(text);
  try {
    return { root: await readDocument(), faults, positionOf };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { root: null, faults: [...faults, error.fault], positionOf };
  }
}

/** Reading cannot go on. */
class Stopped extends Error {
  constructor(readonly fault: SourceFault) {
    super(fault.message);
  }
}

/** Why a string is none: an escape or a character that must not be there, or its end is missing. */
function faultInString(source: string): { readonly message: string; readonly offset: number } {
  const wrong = /\\(?!["\\/bfnrt]|u[0-9a-f]{4})|[\u0000-\u001f]/i.exec(withoutEscapes(source));
  if (wrong === null) return { message: 'this string has no end', offset: 0 };
  const { 0: character, index: offset } = wrong;
  if (character === '\\') return { message: 'there is no such escape', offset };
  if (character === '\n' || character === '\r') {
    return { message: 'a string must end on the line on which it begins', offset };
  }
  return { message: 'a control character in a string must be escaped', offset };
}

/** Of the same length, so that an escaped backslash escapes nothing. */
function withoutEscapes(source: string): string {
  return source.replace(/\\\\/g, '""');
}

/** What stands at an offset, with a hint where the mistake is a common one. */
function found(text: string, at: number): string {
  if (at >= text.length) return 'but the file ends';
  if (/^(?:\/\/|\/\*|#)/.test(text.slice(at, at + 2))) return 'but JSON has no comments';
  if (text[at] === "'") return 'but JSON knows only double quotes';
  const word = /[^\s,:[\]{}"]{1,40}|./suy;
  word.lastIndex = at;
  return `but found ${onOneLine(cut(word.exec(text)?.[0] ?? '', 20))}`;
}
