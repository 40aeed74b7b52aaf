// Finds the location of a finding in a job.yml.

import type { Path } from '../../core/issue.ts';
import type { ParsedEntry, ParsedJob, ParsedStep } from '../jobs/parsed-job.ts';
import { stepIdsOf } from '../jobs/workflow-entry.ts';
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
  const name = at.kind === 'until' || at.kind === 'until_output' ? at.loop : at.name;
  for (const entry of everyEntry(workflow?.entries ?? [])) {
    if (entry.kind === 'loop' && at.kind === 'until' && entry.name.value === name) {
      const until = entry.until?.kind === 'when' ? entry.until.condition : null;
      const path = [...entry.name.path.slice(0, -1), 'until', 'when'];
      return conditionPlace(path, until?.source, at.variable);
    }
    const found = placeInEntry(entry, name, at);
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

function placeInEntry(entry: ParsedEntry, name: string, at: FoundAt): FilePlace | null {
  if (at.kind === 'entry') {
    const named = entry.kind === 'steps' ? entry.steps : [entry.name, ...stepIdsOf(entry)];
    const found = named.find(({ value }) => value === name);
    return found === undefined ? null : { path: found.path, target: found.at };
  }
  if (entry.kind === 'steps' || entry.name.value !== name) return null;
  if (at.kind === 'run_input') {
    const path = [...entry.name.path.slice(0, -1), 'inputs', at.input];
    return { path, target: 'value' };
  }
  const ref =
    (at.kind === 'items' && entry.kind === 'for_each' && entry.items) ||
    (at.kind === 'show' && entry.kind === 'approve' && entry.show[at.index]) ||
    (at.kind === 'until_output' &&
      entry.kind === 'loop' &&
      entry.until?.kind === 'rules' &&
      entry.until.output);
  return ref ? { path: ref.written.path, target: ref.written.at } : null;
}

function* everyEntry(entries: readonly ParsedEntry[]): Iterable<ParsedEntry> {
  for (const entry of entries) {
    yield entry;
    if (entry.kind === 'loop') yield* everyEntry(entry.entries);
  }
}

/** The condition, or the first mention of a variable in it. */
function conditionPlace(path: Path, source: unknown, variable: string | undefined): FilePlace {
  const inside = variable === undefined ? null : mentionOf(source, variable);
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
