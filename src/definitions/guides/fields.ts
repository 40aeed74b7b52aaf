// Reads the fields of a workflow or of one of its steps. A reader gives a value of the
// right type whatever stands there, and notes what is wrong, so that one pass over a file
// finds all of its problems.

import { isRecord, kindOf, quote } from '../../core/conditions-problems.ts';
import { didYouMean } from '../../core/nearest.ts';
import { countCodePoints } from '../../core/rules/text.ts';
import type { Path } from './json-places.ts';
import type { ProblemLog } from './problem-log.ts';

export interface Fields {
  /** Undefined if the field is not there. */
  get(name: string): unknown;
  /** The same, but it is a problem if the field is not there. */
  require(name: string): unknown;
  has(name: string): boolean;
  at(name: string): Path;
  id(): string;
  requiredText(name: string, length: Length): string;
  text(name: string, length: Length): string | undefined;
  texts(name: string, rule: Length & { readonly unique: boolean }): string[];
  boolean(name: string): boolean | undefined;
}

/** In code points; at least one, if nothing else is said. */
interface Length {
  readonly least?: number;
  readonly most: number;
}

/** Names of fields that other engines, or later versions of this one, know. */
const UNSUPPORTED = new Set([
  '$schema',
  'assessments',
  'body',
  'functionCalls',
  'functionDefinitions',
  'hasValidation',
  'loop',
  'modelTier',
  'outputContract',
  'promptBlocks',
]);

const ID = /^[a-z0-9-]+$/;
const FOREIGN_ID = /^[a-z0-9._-]+$/;
const ID_LENGTH = { least: 3, most: 64 };

/** Null if the value is no object at all. */
export function openFields(
  value: unknown,
  known: readonly string[],
  path: Path,
  what: string,
  log: ProblemLog,
): Fields | null {
  if (!isRecord(value)) {
    log.add(path, `${what} must be an object, got ${kindOf(value)}`);
    return null;
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const complaint = UNSUPPORTED.has(name)
      ? `Not supported: ${name}`
      : `Unknown field: ${quote(name)}${didYouMean(name, known)}`;
    log.add([...path, name], complaint, 'key');
  }

  const at = (name: string) => [...path, name];
  const has = (name: string) => Object.hasOwn(value, name);
  const get = (name: string) => (has(name) ? value[name] : undefined);
  const require = (name: string) => {
    if (!has(name)) log.add(path, `Missing field: ${name}`);
    return get(name);
  };
  const text = (name: string, length: Length) =>
    has(name) ? readText(get(name), at(name), `"${name}"`, length, log) : undefined;

  return {
    get,
    require,
    has,
    at,
    text,
    id() {
      const id = require('id');
      if (typeof id === 'string') {
        checkId(id, at('id'), log);
        return id;
      }
      if (has('id')) log.add(at('id'), `"id" must be a string, got ${kindOf(id)}`);
      return '';
    },
    requiredText(name, length) {
      require(name);
      return text(name, length) ?? '';
    },
    texts(name, rule) {
      return has(name) ? readTexts(get(name), at(name), name, rule, log) : [];
    },
    boolean(name) {
      const found = get(name);
      if (!has(name) || typeof found === 'boolean') return found as boolean | undefined;
      log.add(at(name), `"${name}" must be true or false, got ${kindOf(found)}`);
      return undefined;
    },
  };
}

function checkId(id: string, path: Path, log: ProblemLog): void {
  if (ID.test(id) || id === '') checkLength(id, path, '"id"', ID_LENGTH, log);
  else if (FOREIGN_ID.test(id)) log.add(path, `Not supported: ${/[._]/.exec(id)?.[0]} in ids`);
  else log.add(path, `"id" may only have a-z, 0-9 and "-", got ${quote(id)}`);
}

function readText(
  value: unknown,
  path: Path,
  what: string,
  length: Length,
  log: ProblemLog,
): string {
  if (typeof value !== 'string') {
    log.add(path, `${what} must be a string, got ${kindOf(value)}`);
    return '';
  }
  checkLength(value, path, what, length, log);
  return value;
}

function checkLength(
  text: string,
  path: Path,
  what: string,
  { least = 1, most }: Length,
  log: ProblemLog,
): void {
  const length = countCodePoints(text);
  if (length >= least && length <= most) return;
  log.add(path, `${what} must have ${least} to ${most} characters, got ${length}`);
}

function readTexts(
  value: unknown,
  path: Path,
  name: string,
  rule: Length & { readonly unique: boolean },
  log: ProblemLog,
): string[] {
  if (!Array.isArray(value)) {
    log.add(path, `"${name}" must be an array of strings, got ${kindOf(value)}`);
    return [];
  }
  const seen = new Set<string>();
  return value.map((item: unknown, index) => {
    const at = [...path, index];
    const text = readText(item, at, `Each of "${name}"`, rule, log);
    if (rule.unique && typeof item === 'string') {
      if (seen.has(text)) log.add(at, `"${name}" must not say the same twice: ${quote(text)}`);
      seen.add(text);
    }
    return text;
  });
}
