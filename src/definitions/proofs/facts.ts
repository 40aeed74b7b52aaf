// The facts that a walk over every path through a workflow collects: for each condition, whether
// it can hold and which values its variables can have; for each step, whether it is reached and
// with which inputs. The first path on which a fact was observed is kept as its proof.

import type { Condition } from '../../core/conditions.ts';
import { readVariable, sameValue } from '../../core/conditions-values.ts';
import type { Values } from '../../core/proof.ts';
import type { Trail } from './path-events.ts';
import type { Tracked } from './tracked.ts';

export interface ConditionFacts {
  held: Trail | null;
  failed: Trail | null;
  /** By variable: a path on which it was not set. */
  readonly unset: Map<string, Trail>;
  /** The variables that were set on some path. */
  readonly set: Set<string>;
  /** The values that its variables had, up to a limit. */
  readonly values: Map<string, unknown[]>;
}

export interface SourceFacts {
  /** A path on which the source step was not done, or the variable not set. */
  missing: Trail | null;
  /** On some path it was. */
  there: boolean;
}

export interface WorkflowFacts {
  /** By step. */
  readonly whens: Map<string, ConditionFacts>;
  /** By loop. */
  readonly untils: Map<string, ConditionFacts>;
  /** By step or entry: the first path that reaches it. */
  readonly reached: Map<string, Trail>;
  /** By step, then by the step that a file is taken from. */
  readonly inputs: Map<string, Map<string, SourceFacts>>;
  /** By run, then by the variable that it reads, for those that were asked about. */
  readonly runs: Map<string, Map<string, SourceFacts>>;
  /** By approval: the steps shown there that some path had done. */
  readonly shown: Map<string, Set<string>>;
  /** By `for_each`, or by loop with rules: a path that cannot continue there without an output. */
  readonly stuck: Map<string, Trail>;
  /** A path to the end, if there is one. */
  ended: Trail | null;
  /** False if there were too many paths to walk; then all facts are incomplete. */
  complete: boolean;
}

export function noFacts(): WorkflowFacts {
  return {
    whens: new Map(),
    untils: new Map(),
    reached: new Map(),
    inputs: new Map(),
    runs: new Map(),
    shown: new Map(),
    stuck: new Map(),
    ended: null,
    complete: true,
  };
}

export const MAX_VALUES = 100;

interface Evaluation {
  readonly condition: Condition;
  readonly context: Values;
  readonly trail: Trail;
  readonly isHeld: boolean;
  /** Whether the condition may find this variable not set. */
  readonly isExcused: (variable: string) => boolean;
  readonly allAlike: Tracked['allAlike'];
}

export function noteEvaluation(
  facts: Map<string, ConditionFacts>,
  name: string,
  { condition, context, trail, isHeld, isExcused, allAlike }: Evaluation,
): void {
  const none = { held: null, failed: null, unset: new Map(), set: new Set<string>() };
  const known: ConditionFacts = facts.get(name) ?? { ...none, values: new Map() };
  facts.set(name, known);
  if (isHeld) known.held ??= trail;
  else known.failed ??= trail;
  for (const variable of condition.variables) {
    const value = readVariable(variable, context);
    noteValues(known, variable.name, value, allAlike);
    if (value !== undefined) known.set.add(variable.name);
    else if (!known.unset.has(variable.name) && !isExcused(variable.name)) {
      known.unset.set(variable.name, trail);
    }
  }
}

function noteValues(
  { values }: ConditionFacts,
  name: string,
  value: unknown,
  allAlike: Tracked['allAlike'],
): void {
  const seen = values.get(name) ?? [];
  values.set(name, seen);
  if (seen.length >= MAX_VALUES || seen.some((each) => sameValue(each, value))) return;
  for (const each of allAlike(name, value)) {
    if (!seen.some((other) => sameValue(other, each))) seen.push(each);
  }
}

export function noteSource(
  facts: Map<string, Map<string, SourceFacts>>,
  reader: string,
  from: string,
  isThere: boolean,
  trail: Trail,
): void {
  const sources = facts.get(reader) ?? new Map<string, SourceFacts>();
  facts.set(reader, sources);
  const known = sources.get(from) ?? { missing: null, there: false };
  sources.set(from, known);
  if (isThere) known.there = true;
  else known.missing ??= trail;
}
