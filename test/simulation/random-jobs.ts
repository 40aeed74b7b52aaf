// Random workflows, and random edits of them while sessions run. Names are drawn from small pools so
// that steps share them, and some are names that break careless code.

import type { Random } from '../support/random.ts';
import type { PlainCondition, PlainJob, PlainOutput, PlainStep } from './definitions.ts';

const OUTPUT_NAMES = ['report.md', 'data', 'out/', 'notes', 'log.txt', 'constructor', '__proto__'];
const STEP_IDS = ['plan', 'draft', 'check', 'constructor', 'merge', 'polish', 'ship', 'valueof'];

/** Conditions on three facts that calls may give, and one that is never given. */
const CONDITIONS: readonly PlainCondition[] = [
  { var: 'fast' },
  { not: { var: 'fast' } },
  { var: 'mode', equals: 'deep' },
  { not: { var: 'mode', equals: 'deep' } },
  { var: 'n', gte: 2 },
  { var: 'never' },
];

export function randomJobs(dice: Random): PlainJob[] {
  return Array.from({ length: dice.between(1, 3) }, (_, index) => randomJob(dice, index));
}

function randomJob(dice: Random, index: number): PlainJob {
  const ids = unusedIds(index, new Set());
  const conditions = dice.pick([0, 0, 0.2, 0.5, 1]);
  const entries = Array.from({ length: dice.between(1, 6) }, () => {
    const width = dice.chance(0.45) ? dice.between(2, 4) : 1;
    return Array.from({ length: width }, () => randomStep(dice, ids, conditions));
  });
  const name = `job_${index}`;
  return { name, workflow: 'flow', inUse: `${name} edition 0`, entries };
}

function randomStep(dice: Random, ids: Iterator<string>, conditions: number): PlainStep {
  const names = dice.some(OUTPUT_NAMES, dice.pick([0.1, 0.2, 0.4]));
  return {
    id: ids.next().value as string,
    outputs: names.map((name) => randomOutput(dice, name)),
    when: dice.chance(conditions) ? dice.pick(CONDITIONS) : null,
    reviewed: dice.chance(0.5),
  };
}

function randomOutput(dice: Random, name: string): PlainOutput {
  const many = name.endsWith('/') ? 0.9 : 0.25;
  return { name, type: dice.chance(many) ? 'files' : 'file', required: dice.chance(0.6) };
}

/** The same job with something changed in its file; `before` are its earlier versions. */
export function randomEdit(dice: Random, job: PlainJob, before: readonly PlainJob[]): PlainJob {
  const inUse = `${job.name} edition ${before.length + 1}`;
  const used = new Set(
    [job, ...before].flatMap(({ entries }) => entries.flat()).map(({ id }) => id),
  );
  const ids = unusedIds(0, used);
  const entries = job.entries.map((entry) => [...entry]);
  const position = dice.between(0, entries.length - 1);
  const entry = entries[position] ?? [];
  switch (
    dice.weighted({ remove: 4, add_member: 3, add_entry: 1, rename: 1, restore: 3, change: 1 })
  ) {
    case 'remove': {
      if (entries.flat().length === 1) break;
      entry.splice(dice.between(0, entry.length - 1), 1);
      if (entry.length === 0) entries.splice(position, 1);
      break;
    }
    case 'add_member':
      entry.splice(dice.between(0, entry.length), 0, randomStep(dice, ids, 0.3));
      break;
    case 'add_entry':
      entries.splice(position, 0, [randomStep(dice, ids, 0.3)]);
      break;
    case 'rename':
      return { ...job, inUse, workflow: job.workflow === 'flow' ? 'flow_renamed' : 'flow' };
    case 'restore':
      if (before.length > 0) return dice.pick(before);
      break;
    case 'change': {
      const at = dice.between(0, entry.length - 1);
      const step = entry[at] as PlainStep;
      const outputs = dice.some(OUTPUT_NAMES, 0.3).map((name) => randomOutput(dice, name));
      entry[at] = { ...step, outputs };
      break;
    }
  }
  return { ...job, inUse, entries };
}

function* unusedIds(from: number, used: ReadonlySet<string>): Generator<string> {
  for (let round = from; ; round++) {
    for (const id of STEP_IDS) {
      const name = round === 0 ? id : `${id}_${round}`;
      if (!used.has(name)) yield name;
    }
  }
}
