// Reads an entry of a workflow in `job.yml`: an id, a list of ids of concurrent steps, or a map
// with one of the keys `loop`, `for_each`, `approve`, `run`. References between entries are checked
// in `entry-references.ts`.

import { nearest } from '../../core/nearest.ts';
import type { RunInput } from '../../core/workflow.ts';
import {
  closedMap,
  emptyText,
  id,
  type Located,
  list,
  namedValues,
  none,
  optional,
  type Read,
  required,
  text,
} from '../reader/fields.ts';
import { describeNode, entryOf, type Node, plainValue } from '../source/node.ts';
import { nameList, quote } from '../wording.ts';
import type { ParsedEntry, ParsedLoop, ParsedRef, ParsedUntil } from './parsed-job.ts';
import { readCheck, readCondition } from './step-shape.ts';

const MAX_LOOP_DEPTH = 3;
const MAX_PASSES = 100;
const [DEFAULT_PARALLEL, MAX_PARALLEL] = [4, 32];
const [DEFAULT_ITEMS, MAX_ITEMS] = [100, 1000];
const DEFAULT_REJECTIONS = 3;

function wholeNumber(min: number, max: number, fallback: number): Read<number> {
  return (node, path, to) => {
    const value = node.kind === 'scalar' ? node.value : null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    const wanted = `expected a whole number from ${min} to ${max}`;
    to.add('wrong_value', path, `${wanted}, found ${describeNode(node)}`);
    return fallback;
  };
}

const REFERENCE = /^([a-z][a-z0-9_]*)\.(.+)$/s;

const readRef: Read<ParsedRef> = (node, path, to) => {
  const written = text(node, path, to);
  const found = REFERENCE.exec(written.value);
  if (found === null && written.value !== '') {
    const named = quote(written.value, 60);
    to.add('wrong_value', path, `${named} is not an output: write step.output`);
  }
  return { written, step: found?.[1] ?? '', output: found?.[2] ?? '' };
};

const NO_REF = (path: Located['path']): ParsedRef => {
  return { written: emptyText(path), step: '', output: '' };
};

const UNTIL_KINDS = ['check', 'when', 'rules'];

const readUntilMap = closedMap({
  check: optional(readCheck, none),
  when: optional(readCondition, none),
  rules: optional((node: Node, path: Located['path']) => ({ node, path }), none),
  output: optional(readRef, none),
});

const readUntil: Read<ParsedUntil | null> = (node, path, to) => {
  const { check, when, rules, output } = readUntilMap(node, path, to);
  if (node.kind !== 'map') return null;
  const given = UNTIL_KINDS.filter((key) => entryOf(node, key));
  if (given.length !== 1) {
    const found = nameList(given) || 'none of them';
    to.add('wrong_type', path, `expected exactly one of ${nameList(UNTIL_KINDS)}, found ${found}`);
    return null;
  }
  if (rules === null && output !== null) {
    to.add('unknown_key', [...path, 'output'], "'output' belongs to 'rules'", 'key');
  }
  if (check !== null) return { kind: 'check', check };
  if (rules === null) return { kind: 'when', condition: when };
  const value = plainValue(rules.node);
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) {
    to.add(
      'wrong_length',
      rules.path,
      'expected at least 1 rule: without rules the loop would always be done',
    );
  }
  if (output === null) {
    to.add('missing_key', path, "missing required key 'output': the output that the rules judge");
  }
  return { kind: 'rules', output: output ?? NO_REF(path), rules };
};

const loopFields = {
  name: required(id, emptyText),
  until: required(readUntil, none),
  max: required(wholeNumber(1, MAX_PASSES, 1), () => 1),
};

const readLoop =
  (depth: number): Read<ParsedLoop> =>
  (node, path, to) => {
    const read = closedMap({
      ...loopFields,
      steps: required(list(readEntryAt(depth + 1), 1), none),
    });
    if (depth > MAX_LOOP_DEPTH) {
      to.add('too_deep', path, `loops nest at most ${MAX_LOOP_DEPTH} deep`);
      return { kind: 'loop', name: emptyText(path), entries: [], until: null, max: 1 };
    }
    const { name, steps, until, max } = read(node, path, to);
    return { kind: 'loop', name, entries: steps ?? [], until, max };
  };

const readForEach = closedMap({
  name: required(id, emptyText),
  items: required(readRef, NO_REF),
  step: required(id, emptyText),
  max_parallel: optional(wholeNumber(1, MAX_PARALLEL, DEFAULT_PARALLEL), () => DEFAULT_PARALLEL),
  max_items: optional(wholeNumber(1, MAX_ITEMS, DEFAULT_ITEMS), () => DEFAULT_ITEMS),
});

const readOnReject = closedMap({
  go_to: required(id, emptyText),
  max: optional(wholeNumber(1, MAX_PASSES, DEFAULT_REJECTIONS), () => DEFAULT_REJECTIONS),
});

const readApprove = closedMap({
  name: required(id, emptyText),
  question: required(text, emptyText),
  show: optional(list(readRef), none),
  on_reject: optional(readOnReject, none),
});

const readValue = closedMap({ value: required<unknown>((node) => plainValue(node), none) });

const readRunInput: Read<{ from: string } | { value: unknown }> = (node, path, to) => {
  if (node.kind === 'map') return { value: readValue(node, path, to).value };
  return { from: text(node, path, to).value };
};

const readRun = closedMap({
  name: required(id, emptyText),
  job: required(text, emptyText),
  workflow: required(id, emptyText),
  inputs: optional(namedValues(readRunInput), none),
});

const READERS: Readonly<Record<string, (depth: number) => Read<ParsedEntry>>> = {
  loop: readLoop,
  for_each: () => (node, path, to) => {
    const { max_parallel, max_items, ...fields } = readForEach(node, path, to);
    return { kind: 'for_each', ...fields, maxParallel: max_parallel, maxItems: max_items };
  },
  approve: () => (node, path, to) => {
    const { name, question, show, on_reject } = readApprove(node, path, to);
    const onReject = on_reject && { goTo: on_reject.go_to, max: on_reject.max };
    return { kind: 'approve', name, question: question.value, show: show ?? [], onReject };
  },
  run: () => (node, path, to) => {
    const { name, job, workflow, inputs } = readRun(node, path, to);
    const given = (inputs ?? []).map(
      ({ name, value }): RunInput => ({ name: name.value, ...value }),
    );
    return { kind: 'run', name, job: job.value, workflow: workflow.value, inputs: given };
  },
};

const KINDS = Object.keys(READERS);

/** Replaces an entry that could not be read. */
const NO_ENTRY: ParsedEntry = { kind: 'steps', steps: [] };

function readEntryAt(depth: number): Read<ParsedEntry> {
  return (node, path, to) => {
    if (node.kind === 'list') return { kind: 'steps', steps: list(id, 1)(node, path, to) ?? [] };
    if (node.kind !== 'map') return { kind: 'steps', steps: [id(node, path, to)] };
    const [only, ...others] = node.entries;
    const read = only && others.length === 0 ? READERS[only.key] : undefined;
    if (only !== undefined && read !== undefined && KINDS.includes(only.key)) {
      return read(depth)(only.value, [...path, only.key], to);
    }
    const meant = only && others.length === 0 ? nearest(only.key, KINDS) : null;
    if (only !== undefined && meant !== null) {
      const key = [...path, only.key];
      to.add(
        'unknown_key',
        key,
        `unknown key ${quote(only.key, 60)}; did you mean '${meant}'?`,
        'key',
      );
    } else {
      const keys = nameList(node.entries.map(({ key }) => key)) || 'none';
      const wanted = `expected a map with exactly one of ${nameList(KINDS)}`;
      to.add('wrong_type', path, `${wanted}, found ${keys}`);
    }
    return NO_ENTRY;
  };
}

export const readEntry: Read<ParsedEntry> = readEntryAt(1);

/** Every allowed key of an entry, by the object that contains it. */
export const ENTRY_KEYS = {
  loop: [...Object.keys(loopFields), 'steps'],
  until: readUntilMap.keys,
  for_each: readForEach.keys,
  approve: readApprove.keys,
  on_reject: readOnReject.keys,
  run: readRun.keys,
};

/** The ids of the steps of an entry, including those inside a loop, in file order. */
export function stepIdsOf(entry: ParsedEntry): readonly Located[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps;
    case 'for_each':
      return [entry.step];
    case 'loop':
      return entry.entries.flatMap(stepIdsOf);
    case 'approve':
    case 'run':
      return [];
  }
}

/** The entries where work is done: loops are replaced by their entries. */
export function leafEntriesOf(entries: readonly ParsedEntry[]): readonly ParsedEntry[] {
  return entries.flatMap((entry) =>
    entry.kind === 'loop' ? leafEntriesOf(entry.entries) : [entry],
  );
}

/** At any depth, outer ones first. */
export function loopsIn(entries: readonly ParsedEntry[]): readonly ParsedLoop[] {
  return entries.flatMap((entry) =>
    entry.kind === 'loop' ? [entry, ...loopsIn(entry.entries)] : [],
  );
}
