// What each place of a workflow demands, in file order: steps, loops, lists, approvals and nested
// runs. Each demand has a name and a value that changes with what is demanded: the text itself if
// it is short, else a hash.

import type { Entry, RunEntry, Step, Until, Workflow } from '../workflow.ts';

/** By name, such as `check 'lint'`. */
export type Demands = Readonly<Record<string, string>>;

/** A step or an entry, by the name that `go_to_step` takes. */
export interface GatePlace {
  readonly id: string;
  readonly demands: Demands;
  /** Concurrent places have the same number. */
  readonly at: number;
  /** The loops around it, outermost first; absent if there are none. */
  readonly loops?: readonly string[];
}

export type Digest = (text: string) => string;

export const ALWAYS = 'always';
const MAX_PLAIN_LENGTH = 120;

export function demandsOf(workflow: Workflow, digest: Digest): readonly GatePlace[] {
  const places: GatePlace[] = [];
  let at = 0;
  const add = (id: string, demands: Iterable<[string, string]>, loops: readonly string[]) =>
    places.push({
      id,
      demands: Object.fromEntries(demands),
      at,
      ...(loops.length > 0 && { loops }),
    });
  const walk = (entries: readonly Entry[], loops: readonly string[]) => {
    for (const entry of entries) {
      at += 1;
      if (entry.kind !== 'steps') add(entry.name, entryDemands(entry, digest), loops);
      switch (entry.kind) {
        case 'steps':
          for (const step of entry.steps) add(step.id, stepDemands(step, digest), loops);
          break;
        case 'for_each':
          add(entry.step.id, stepDemands(entry.step, digest), loops);
          break;
        case 'loop':
          walk(entry.entries, [...loops, entry.name]);
      }
    }
  };
  walk(workflow.entries, []);
  return places;
}

/** The key of a nested workflow in `Gate.runs`. */
export function runName({ job, workflow }: Pick<RunEntry, 'job' | 'workflow'>): string {
  return `${job}/${workflow}`;
}

/** The demands of an entry itself, without those of its steps. */
function entryDemands(
  entry: Exclude<Entry, { kind: 'steps' }>,
  digest: Digest,
): readonly [string, string][] {
  switch (entry.kind) {
    case 'approve':
      return [
        ['approval', digest(JSON.stringify(entry.show))],
        ['question', digest(entry.question)],
        ['on_reject', JSON.stringify(entry.onReject)],
      ];
    case 'loop': {
      const { until, max } = entry;
      const ends =
        until.kind === 'check' ? abbreviated(until.check.run, digest) : digest(textOf(until));
      return [
        ['until', ends],
        ['max', String(max)],
      ];
    }
    case 'for_each':
      return [
        ['items', `${entry.items.step}.${entry.items.output}`],
        ['step', entry.step.id],
        ['max_items', String(entry.maxItems)],
      ];
    case 'run':
      return [
        ['run', runName(entry)],
        ['inputs', digest(JSON.stringify([entry.inputs, entry.byName ?? null]))],
      ];
    default:
      // A new kind: any change of it counts until it says here what matters.
      return [['entry', digest(JSON.stringify(entry))]];
  }
}

function textOf(until: Exclude<Until, { kind: 'check' }>): string {
  if (until.kind === 'when') return JSON.stringify(until.condition.source);
  return JSON.stringify([until.output, until.criteria.source]);
}

function* stepDemands(step: Step, digest: Digest): Iterable<[string, string]> {
  yield ['condition', step.when === null ? ALWAYS : digest(JSON.stringify(step.when.source))];
  for (const { name, required, rules, lint } of step.outputs) {
    if (required) yield [`output '${name}'`, 'required'];
    if (lint) yield [`lint of output '${name}'`, lint];
    if (rules !== null) yield [`rules of output '${name}'`, digest(JSON.stringify(rules.source))];
  }
  for (const { name, type, enum: values, pattern, required } of step.reports ?? []) {
    if (!required) continue;
    yield [`report '${name}'`, digest(JSON.stringify([type, values, pattern?.source]))];
  }
  for (const { name, run } of step.checks) yield [`check '${name}'`, abbreviated(run, digest)];
  const seen = new Map<string, number>();
  for (const { runEach, criteria, guidance } of step.reviews) {
    const count = (seen.get(runEach) ?? 0) + 1;
    seen.set(runEach, count);
    const review = `review of '${runEach}'${count === 1 ? '' : ` (${count})`}`;
    yield [review, 'required'];
    if (guidance !== null) yield [`guidance of the ${review}`, digest(guidance)];
    for (const { name, text } of criteria) {
      yield [`criterion '${name}' of the ${review}`, digest(text)];
    }
  }
}

/** The text itself if it is short and on one line, else its beginning and its hash. */
export function abbreviated(text: string, digest: Digest): string {
  const line = text.replaceAll('\n', '↵');
  if (line === text && text.length <= MAX_PLAIN_LENGTH) return text;
  return `${line.slice(0, 60)}… #${digest(text)}`;
}
