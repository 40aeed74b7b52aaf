// Reads JSON. `JSON.parse` decides what it means and whether it is valid, and for a valid file
// that is all. Positions are looked up only if there is something to report: JSON is YAML in flow
// style, so the lexer of the `yaml` package splits the text. The same pass finds duplicate keys
// and the position of the first syntax error.

import type { Lexer } from 'yaml';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';
import { shorten } from '../../core/conditions-problems.ts';
import { membersWrittenIn } from '../../core/json-size.ts';
import { onOneLine } from '../../core/wording.ts';
import { cut } from '../wording.ts';
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
  // JSON.parse drops a value of a duplicate key.
  return { value, fault: members < membersWrittenIn(text) ? 'duplicate keys' : null };
}

/** Counts members of all objects and levels of nesting, without recursion. */
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

/** Further ones are mostly consequences of the first. */
const MAX_FAULTS = 1000;

interface Token {
  /** Empty at the end of the text. */
  readonly source: string;
  readonly at: number;
}

/** Marks that the lexer adds before a plain scalar and around documents. */
const PLAIN = '\x1f';
const MARKS = new Set([PLAIN, '\x02', '\x18']);

function* tokensOf(lexer: Lexer, text: string): Generator<Token, undefined> {
  let at = 0;
  let isPlain = false;
  // Line breaks and tabs have a meaning in YAML and none in JSON. This is several times as fast
  // as `replaceAll`, which matters for a megabyte of line ends.
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
      // A plain scalar of YAML may contain spaces; in JSON it is several words.
      for (const { 0: source, index } of written.matchAll(/[^ \t\r\n]+/g)) {
        yield { source, at: at + index };
      }
    }
    at += lexeme.length;
  }
}

/** The values with their positions, and every fault. */
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
      throw notJson(`expected ${wanted}, ${found(text, at)}`, at);
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
    // Of duplicate keys the last one counts, as in JavaScript.
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
    if (source !== ':') throw notJson(`expected ":" after a key, ${found(text, at)}`, at);
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

  /** Reads the comma before an item, or the closing bracket. */
  const hasMore = (closing: string, isFirst: boolean): boolean => {
    if (isFirst && next.source !== closing) return true;
    const { source, at } = take();
    if (source === closing) return false;
    if (source !== ',') throw notJson(`expected "," or "${closing}", ${found(text, at)}`, at);
    if (next.source === closing) throw notJson(`trailing comma before "${closing}"`, at);
    return true;
  };

  const readDocument = async (): Promise<Node> => {
    if (next === end) throw notJson('the file is empty', 0);
    const root = await readValue();
    if (next === end) return root;
    throw notJson(`expected the end of the file, ${found(text, next.at)}`, next.at);
  };

  const positionOf = openPositions(text);
  try {
    return { root: await readDocument(), faults, positionOf };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { root: null, faults: [...faults, error.fault], positionOf };
  }
}

/** Thrown if reading cannot continue. */
class Stopped extends Error {
  constructor(readonly fault: SourceFault) {
    super(fault.message);
  }
}

/** Why a string is invalid: an escape, a character, or its missing end. */
function faultInString(source: string): { readonly message: string; readonly offset: number } {
  const wrong = /\\(?!["\\/bfnrt]|u[0-9a-f]{4})|[\u0000-\u001f]/i.exec(withoutEscapes(source));
  if (wrong === null) return { message: 'unterminated string', offset: 0 };
  const { 0: character, index: offset } = wrong;
  if (character === '\\') return { message: 'invalid escape', offset };
  if (character === '\n' || character === '\r') {
    return { message: 'a string must end on the line on which it begins', offset };
  }
  return { message: 'a control character in a string must be escaped', offset };
}

/** Replaces escaped backslashes by text of the same length, so that they escape nothing. */
function withoutEscapes(source: string): string {
  return source.replace(/\\\\/g, '""');
}

/** What is at an offset, with a hint for common mistakes. */
function found(text: string, at: number): string {
  if (at >= text.length) return 'found the end of the file';
  if (/^(?:\/\/|\/\*|#)/.test(text.slice(at, at + 2)))
    return 'found a comment; JSON has no comments';
  if (text[at] === "'") return 'found a single quote; JSON has only double quotes';
  const word = /[^\s,:[\]{}"]{1,40}|./suy;
  word.lastIndex = at;
  return `found ${onOneLine(cut(word.exec(text)?.[0] ?? '', 20))}`;
}
