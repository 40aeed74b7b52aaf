// The reference's own reading of the contract on outputs: which members of an entry a call submits,
// and what is wrong with its names. Deliberately verbose; it shares nothing with the code it checks.

import path from 'node:path';
import type { Output, Step } from '../../src/core/workflow.ts';
import type { Value } from './calls.ts';
import { No } from './model.ts';

/** The values of each submitted member, by output name, in the order of the members. */
export type Given = Map<string, Record<string, Value>>;

export interface Declared {
  readonly step: Step;
  readonly output: Output;
  /** The name that the caller has to use. */
  readonly shown: string;
}

/** Items differ only in their number, so theirs is always part of the name. */
export function declaredBy(members: readonly Step[]): Declared[] {
  const declared: Declared[] = [];
  for (const step of members) {
    for (const output of step.outputs) {
      let owners = 0;
      for (const other of members) {
        if (other.outputs.some((each) => each.name === output.name)) owners += 1;
      }
      const isShared = owners > 1 || step.id.includes('#');
      const shown = isShared ? `${step.id}.${output.name}` : output.name;
      declared.push({ step, output, shown });
    }
  }
  return declared;
}

export function sharedNames(members: readonly Step[], id: string): string[] {
  return declaredBy(members)
    .filter(({ step, output, shown }) => step.id === id && shown !== output.name)
    .map(({ output }) => output.name);
}

/** Throws what is wrong with the names. */
export function sortOut(
  members: readonly Step[],
  done: (id: string) => boolean,
  sent: Value,
  stepId: string | null,
): Given {
  const declared = declaredBy(members);
  const names = declared.map((each) => each.shown);
  const pairs = Array.isArray(sent)
    ? matchList(sent, declared)
    : readMap(sent, declared, names, stepId);
  if (pairs === null) throw new No('outputs_unmatched', ...names);

  const spokenOf = new Set(pairs.map(([{ step }]) => step.id));
  if (members.length === 1) for (const { id } of members) spokenOf.add(id);
  if (stepId !== null) spokenOf.add(stepId);
  const given: Given = new Map();
  for (const { id } of members) {
    if (!spokenOf.has(id)) continue;
    const own = pairs.filter(([{ step }]) => step.id === id);
    // From pairs: a name may be `__proto__`.
    given.set(id, Object.fromEntries(own.map(([{ output }, value]) => [output.name, value])));
  }
  const ids = members.map(({ id }) => id);
  const owing = given.size > 0 ? [...given.keys()] : ids.filter((id) => !done(id));
  const missing = declared
    .filter(({ step, output }) => output.required && owing.includes(step.id))
    .filter(({ step, output }) => !Object.hasOwn(given.get(step.id) ?? {}, output.name))
    .map(({ shown }) => shown);
  if (missing.length > 0) throw new No('outputs_missing', missing.sort().join(', '));
  return given;
}

/** Whether every value has the declared shape; a required list is never empty. */
export function fits(members: readonly Step[], given: Given): boolean {
  for (const { id, outputs } of members) {
    for (const { name, type, required } of outputs) {
      const values = given.get(id) ?? {};
      if (!Object.hasOwn(values, name)) continue;
      const value = values[name];
      if (type === 'file' && typeof value !== 'string') return false;
      if (type === 'files') {
        if (!Array.isArray(value)) return false;
        if (value.some((each) => typeof each !== 'string')) return false;
        if (value.length === 0 && required) return false;
      }
    }
  }
  return true;
}

type Pair = [Declared, Value];

/** A path is meant for an output if it or its last part is the name, or is below it. */
function matchList(sent: readonly Value[], declared: readonly Declared[]): Pair[] | null {
  const pairs: Pair[] = [];
  const only = declared.length === 1 ? declared[0] : undefined;
  if (sent.length === 0) return pairs;
  if (only !== undefined) {
    if (only.output.type === 'files') return [[only, [...sent]]];
    return sent.length === 1 ? [[only, sent[0] as Value]] : null;
  }
  for (const each of sent) {
    if (typeof each !== 'string') return null;
    const plain = path.posix.normalize(each);
    const meant = declared.filter(({ output: { name } }) =>
      name.endsWith('/')
        ? plain.startsWith(name)
        : plain === name || path.posix.basename(plain) === name,
    );
    const target = meant[0];
    if (target === undefined || meant.length > 1) return null;
    const before = pairs.find(([declaration]) => declaration === target);
    if (before === undefined) {
      pairs.push([target, target.output.type === 'files' ? [each] : each]);
    } else if (target.output.type === 'file') return null;
    else before[1] = [...(before[1] as Value[]), each];
  }
  return pairs;
}

function readMap(
  sent: Value,
  declared: readonly Declared[],
  names: readonly string[],
  stepId: string | null,
): Pair[] {
  const pairs: Pair[] = [];
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(sent ?? {}) as [string, Value][]) {
    let meant = declared.filter((each) => each.shown === name);
    if (meant.length === 0) {
      meant = declared.filter((each) => each.output.name === name);
      const own = meant.filter((each) => each.step.id === stepId);
      if (own.length > 0) meant = own;
    }
    if (meant.length === 0) {
      meant = declared.filter((each) => `${each.step.id}.${each.output.name}` === name);
    }
    if (meant.length > 1) {
      throw new No('output_ambiguous', name, meant.map((each) => each.shown).join(', '));
    }
    const target = meant[0];
    if (target === undefined) unknown.push(name);
    else if (value !== null) pairs.push([target, value]);
  }
  if (unknown.length > 0) throw new No('outputs_unknown', unknown.sort().join(', '), ...names);
  return pairs;
}

/** Order of names does not matter, and null counts as absent. */
export function sameOutputs(one: Value, other: Value): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    return JSON.stringify(one) === JSON.stringify(other);
  }
  const given = (outputs: Value) =>
    Object.entries(outputs ?? {})
      .filter(([, value]) => value !== null)
      .map((pair) => JSON.stringify(pair))
      .sort();
  return JSON.stringify(given(one)) === JSON.stringify(given(other));
}
