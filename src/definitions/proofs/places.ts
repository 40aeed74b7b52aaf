// Finds the location of a finding in a job.yml.

import type { Path } from '../../core/issue.ts';
import { allEntries } from '../jobs/entries/all-entries.ts';
import type { ParsedEntry } from '../jobs/entries/parsed-entry.ts';
import type { ParsedJob } from '../jobs/parsed-job.ts';
import type { ParsedStep } from '../jobs/parsed-step.ts';
import type { Target } from '../source/node.ts';
import type { FoundAt } from './finding.ts';

interface FilePlace {
  readonly path: Path;
  readonly target: Target;
}

const NOWHERE: FilePlace = { path: [], target: 'value' };

export function placeIn({ steps, workflows }: ParsedJob, at: FoundAt): FilePlace {
  if (at.kind === 'when' || at.kind === 'input') {
    const step = steps?.find(({ id }) => id.value === at.step);
    return step === undefined ? NOWHERE : placeInStep(step, at);
  }
  const workflow = workflows?.find(({ name }) => name.value === at.workflow);
  for (const entry of allEntries(workflow?.entries ?? [])) {
    const found = placeInEntry(entry, at);
    if (found !== null) return found;
  }
  return NOWHERE;
}

function placeInStep(
  { id, inputs, when }: ParsedStep,
  at: Extract<FoundAt, { kind: 'when' | 'input' }>,
): FilePlace {
  const own = id.path.slice(0, -1);
  if (at.kind === 'when') return conditionPlace([...own, 'when'], when?.source, at.variable);
  for (const input of inputs) {
    if (input.kind !== 'file' || input.fromStep.value !== at.from) continue;
    return { path: input.fromStep.path, target: input.fromStep.at };
  }
  return { path: own, target: 'value' };
}

/** Null if it is in another entry. */
function placeInEntry(
  { name, steps, until }: ParsedEntry,
  at: Exclude<FoundAt, { kind: 'when' | 'input' }>,
): FilePlace | null {
  if (at.kind === 'entry') {
    const named = [...(name === null ? [] : [name]), ...steps];
    const found = named.find(({ value }) => value === at.name);
    return found === undefined ? null : { path: found.path, target: found.at };
  }
  if (name === null || name.value !== ('loop' in at ? at.loop : at.name)) return null;
  const own = name.path.slice(0, -1);
  const inside = (...keys: Path): FilePlace => ({ path: [...own, ...keys], target: 'value' });
  switch (at.kind) {
    case 'until': {
      const condition = until?.kind === 'when' ? until.condition : null;
      return conditionPlace([...own, 'until', 'when'], condition?.source, at.variable);
    }
    case 'until_output':
      return inside('until', 'output');
    case 'items':
      return inside('items');
    case 'show':
      return inside('show', at.index);
    case 'run_input':
      return inside('inputs', at.input);
  }
}

/** The condition, or the first mention of a variable in it. */
function conditionPlace(path: Path, source: unknown, variable: string | null): FilePlace {
  const inside = variable === null ? null : mentionOf(source, variable);
  if (inside !== null) return { path: [...path, ...inside], target: 'value' };
  return { path, target: 'key' };
}

function mentionOf(source: unknown, variable: string): Path | null {
  if (typeof source !== 'object' || source === null) return null;
  for (const [key, value] of Object.entries(source)) {
    if (key === 'var' && value === variable) return [key];
    const isList = key === 'and' || key === 'or';
    const members: readonly unknown[] = isList && Array.isArray(value) ? value : [];
    for (const [index, member] of members.entries()) {
      const inside = mentionOf(member, variable);
      if (inside !== null) return [key, index, ...inside];
    }
    const inside = key === 'not' ? mentionOf(value, variable) : null;
    if (inside !== null) return [key, ...inside];
  }
  return null;
}
