// Readers for the values of a workflow file, in addition to those of `reader/fields.ts`, with the
// wording that guides use for problems.

import { kindOf, MAX_PROBLEMS, shorten } from '../../core/conditions-problems.ts';
import type { Path } from '../../core/issue.ts';
import { countCodePoints } from '../../core/rules/text.ts';
import {
  type ClosedMap,
  closedMap,
  type Field,
  type Read,
  readEach,
  type ValuesOf,
} from '../reader/fields.ts';
import type { Bounds, Report } from '../reader/issues.ts';
import type { Node } from '../source/node.ts';
import { isSemVer } from './semver.ts';

/** For the issues of one file. */
export const GUIDE_BOUNDS: Bounds = { maxIssues: MAX_PROBLEMS, maxLength: 500 };

/** Fields with which a guide of another engine, or of a later version, means something else. */
const UNSUPPORTED = new Set([
  'assessmentConsequences',
  'assessmentRefs',
  'assessments',
  'body',
  'functionCalls',
  'functionDefinitions',
  'functionReferences',
  'loop',
  'modelTier',
  'outputContract',
  'parallelDelegations',
  'promptBlocks',
  'promptFragments',
  'templateCall',
]);

/** What is not supported about a field: its name, or the kind of step that it asks for. */
export function unsupportedIn(key: string, value: unknown): string | null {
  if (UNSUPPORTED.has(key)) return key;
  return key === 'type' && (value === 'loop' || value === 'parallel') ? value : null;
}

/**
 * A workflow or a step; `what` names it in messages. Unknown fields are kept, because libraries of
 * others carry their own: `odd-fields.ts` names them for lint.
 */
export function guideMap<F extends Readonly<Record<string, Field<unknown>>>>(
  what: string,
  fields: F,
): ClosedMap<F> {
  const readFields = closedMap(fields, {
    noMap: (node) => `${what} must be an object, got ${kindOfNode(node)}`,
    missing: (name) => `Missing field: ${name}`,
  });
  const read: Read<ValuesOf<F>> = (node, path, to) => {
    const values = readFields(node, path, to);
    for (const { key, value } of node.kind === 'map' ? node.entries : []) {
      const unsupported = unsupportedIn(key, value.kind === 'scalar' ? value.value : null);
      if (unsupported === null) continue;
      to.add('not_supported', [...path, key], `Not supported: ${unsupported}`, 'key');
    }
    return values;
  };
  return Object.assign(read, { keys: readFields.keys });
}

/** The JSON name of its type. */
export function kindOfNode(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'object' : 'array';
  return kindOf(node.value);
}

/** The value of an absent optional field. */
export const absent = (): undefined => undefined;

/** How a message names a field, or each item of a list. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  return typeof last === 'number' ? `Each of "${path.at(-2)}"` : `"${last}"`;
}

/** Lengths are counted in code points. */
export function boundedText(max: number, min = 1): Read<string> {
  return (node, path, to) => {
    const value = stringAt(node, path, to);
    if (value !== null) checkLength(value, path, min, max, to);
    return value ?? '';
  };
}

function stringAt(node: Node, path: Path, to: Report): string | null {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value;
  to.add('wrong_type', path, `${nameOf(path)} must be a string, got ${kindOfNode(node)}`);
  return null;
}

function checkLength(value: string, path: Path, min: number, max: number, to: Report): void {
  const length = countCodePoints(value);
  if (length >= min && length <= max) return;
  const wanted = `${nameOf(path)} must have ${min} to ${max} characters`;
  to.add('wrong_length', path, `${wanted}, got ${length}`);
}

export const guideId: Read<string> = (node, path, to) => {
  const value = stringAt(node, path, to);
  if (value === null) return '';
  if (/^(?:[a-z0-9][a-z0-9._-]*)?$/.test(value)) checkLength(value, path, 3, 64, to);
  else {
    const allowed = '"id" may only have a-z, 0-9, ".", "_" and "-", and begins with a-z or 0-9';
    to.add('wrong_value', path, `${allowed}, got ${shorten(value)}`);
  }
  return value;
};

export const semanticVersion: Read<string> = (node, path, to) => {
  const value = node.kind === 'scalar' ? node.value : null;
  if (typeof value === 'string' && isSemVer(value)) return value;
  const found = typeof value === 'string' ? shorten(value) || 'an empty one' : kindOfNode(node);
  const wanted = '"version" must be a semantic version such as 1.0.0';
  to.add('wrong_value', path, `${wanted}, got ${found}`);
  return '';
};

export const flag: Read<boolean | undefined> = (node, path, to) => {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  to.add('wrong_type', path, `${nameOf(path)} must be true or false, got ${kindOfNode(node)}`);
  return undefined;
};

export function boundedTexts(max: number): Read<string[]> {
  return (node, path, to) => {
    if (node.kind === 'list') return readEach(node.items, boundedText(max), path, to);
    const found = kindOfNode(node);
    to.add('wrong_type', path, `${nameOf(path)} must be an array of strings, got ${found}`);
    return [];
  };
}

export function uniqueTexts(max: number): Read<string[]> {
  return (node, path, to) => {
    const items = boundedTexts(max)(node, path, to);
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      if (seen.has(item)) {
        const message = `${nameOf(path)} must not contain duplicates: ${shorten(item)}`;
        to.add('duplicate_value', [...path, index], message);
      }
      seen.add(item);
    }
    return items;
  };
}
