// Reads JSON as `JSON.parse` does, no more and no less, but remembers where everything
// stands, tells of keys that are written twice, and of an error exactly where it is.
// Files come from strangers: what is nested too deep is skipped over, so that no file can
// exhaust the stack, and a key called `__proto__` is a key like any other. Characters are
// compared by code, which is several times as fast: a file may be a megabyte of brackets.

import type { MemberPlace, Path, Place } from './json-places.ts';
import { readString, scanNumber, scanString, skipNested } from './json-scan.ts';
import { found, wordFor } from './json-words.ts';

export interface JsonSource {
  /** Undefined if the text is not JSON. What lies too deep is left out, and is a fault. */
  readonly value: unknown;
  readonly places: Place;
  readonly faults: readonly JsonFault[];
  /** False if a fault is graver than a key that is written twice. */
  readonly whole: boolean;
}

export interface JsonFault {
  readonly message: string;
  readonly path: Path;
  readonly at: number;
}

/** Lists and objects inside one another, the outermost counted as 1. */
const DEEPEST = 64;
const MAX_FAULTS = 1000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

export function readJson(text: string): JsonSource {
  const faults: JsonFault[] = [];
  const path: (string | number)[] = [];
  let whole = true;
  let at = 0;
  /** What was read last. Functions return its place, or null if reading ends there. */
  let value: unknown;

  const skipSpace = (): number => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      at += 1;
    }
  };

  const report = (message: string, where: number) => {
    if (faults.length < MAX_FAULTS) faults.push({ message, path: [...path], at: where });
  };

  const fail = (message: string, where = at): null => {
    whole = false;
    faults.length = Math.min(faults.length, MAX_FAULTS - 1);
    report(`Not JSON: ${message}`, where);
    return null;
  };

  const readValue = (): Place | null => {
    const code = skipSpace();
    if (code === OBJECT || code === LIST) {
      if (path.length >= DEEPEST) return skipTooDeep();
      return code === OBJECT ? readObject() : readList();
    }
    const start = at;
    if (code === QUOTE) {
      const end = scanString(text, start);
      if (typeof end === 'object') return fail(end.message, end.at);
      at = Math.abs(end);
      value = readString(text, start, end);
      return start;
    }
    const end = scanNumber(text, start);
    if (end !== null) {
      at = end;
      value = Number(text.slice(start, end));
      return start;
    }
    for (const [word, meant] of WORDS) {
      if (!text.startsWith(word, start)) continue;
      at += word.length;
      value = meant;
      return start;
    }
    return fail(`a value must stand here, ${found(text, at)}`);
  };

  const readObject = (): Place | null => {
    const start = at;
    const object: Record<string, unknown> = {};
    const members: MemberPlace[] = [];
    at += 1;
    if (skipSpace() === OBJECT_END) at += 1;
    else {
      for (;;) {
        const keyAt = at;
        const key = readKey(object);
        if (key === null) return null;
        path.push(key);
        const place = readValue();
        if (place === null) return null;
        path.pop();
        setOwn(object, key, value);
        members.push({ key, keyAt, place });
        const more = readSeparator(OBJECT_END);
        if (more === null) return null;
        if (!more) break;
      }
    }
    value = object;
    return { kind: 'object', at: start, members };
  };

  const readKey = (object: object): string | null => {
    if (text.charCodeAt(at) !== QUOTE) {
      return fail(`a key in double quotes must stand here, ${found(text, at)}`);
    }
    const end = scanString(text, at);
    if (typeof end === 'object') return fail(end.message, end.at);
    const key = readString(text, at, end);
    if (Object.hasOwn(object, key)) {
      path.push(key);
      report(`Duplicate key: ${wordFor(key)}`, at);
      path.pop();
    }
    at = Math.abs(end);
    if (skipSpace() !== COLON) return fail(`":" must follow a key, ${found(text, at)}`);
    at += 1;
    return key;
  };

  const readList = (): Place | null => {
    const start = at;
    const list: unknown[] = [];
    const items: Place[] = [];
    at += 1;
    if (skipSpace() === LIST_END) at += 1;
    else {
      for (;;) {
        path.push(list.length);
        const place = readValue();
        if (place === null) return null;
        path.pop();
        list.push(value);
        items.push(place);
        const more = readSeparator(LIST_END);
        if (more === null) return null;
        if (!more) break;
      }
    }
    value = list;
    return { kind: 'list', at: start, items };
  };

  /** True after a comma, false after the end of the list or object. */
  const readSeparator = (end: number): boolean | null => {
    const code = skipSpace();
    const comma = at;
    at += 1;
    if (code === end) return false;
    const closing = String.fromCharCode(end);
    if (code !== COMMA) {
      return fail(`"," or "${closing}" must stand here, ${found(text, comma)}`, comma);
    }
    if (skipSpace() === end) return fail(`no comma may stand before "${closing}"`, comma);
    return true;
  };

  const skipTooDeep = (): Place | null => {
    const start = at;
    if (whole) report(`Nested more than ${DEEPEST} deep`, start);
    whole = false;
    const end = skipNested(text, start);
    if (end === null) return fail('this has no end');
    at = end;
    value = null;
    return start;
  };

  const readDocument = (): Place | null => {
    if (Number.isNaN(skipSpace())) return fail('the file is empty', 0);
    const places = readValue();
    if (places === null) return null;
    skipSpace();
    return at < text.length ? fail(`nothing may follow the value, ${found(text, at)}`) : places;
  };

  const places = readDocument();
  if (places === null) return { value: undefined, places: 0, faults, whole };
  return { value, places, faults, whole };
}

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  // Assigning to it would set the prototype instead of a key.
  else {
    const described = { value, enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, key, described);
  }
}
