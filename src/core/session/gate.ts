// What a run's gate demands, in a form that a session can store and compare later: a definition or
// a setting may be edited during the run, and a person should see if the gate became weaker.
//
// A demand that was removed or changed counts as weaker, because the text alone does not show
// whether it still catches what it caught before. An added demand is stricter and is not reported.
// The same holds for nested workflows.

import { OVERRIDE_RULES, type OverrideRule } from '../overrides.ts';
import { ALWAYS, abbreviated, type Digest, type GatePlace } from './demands.ts';

export interface Gate {
  /** In file order. */
  readonly places: readonly GatePlace[];
  /**
   * The places of all nested workflows, by `job/workflow`; null for one that cannot be read.
   * Absent if there are none.
   */
  readonly runs?: NestedPlaces;
  readonly reviewer: string;
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
}

export type NestedPlaces = Readonly<Record<string, readonly GatePlace[] | null>>;

export interface GateSettings {
  readonly reviewer: {
    readonly kind: 'off' | 'self' | 'runner' | 'command';
    readonly runner?: string;
    readonly command?: string;
  };
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
}

/** One thing that is weaker than it was. */
export interface Weakening {
  /** Null: it concerns the whole run. */
  readonly step_id: string | null;
  /** For people. */
  readonly what: string;
}

/** The person who agreed to something, and the question that was answered. */
export interface Grant {
  readonly question: string;
  readonly by: string;
  readonly route: string;
}

export function gateOf(
  { places, runs }: Pick<Gate, 'places' | 'runs'>,
  settings: GateSettings,
  digest: Digest,
): Gate {
  const { reviewer, overrides, maxAttempts } = settings;
  const command = reviewer.command === undefined ? '' : ` ${abbreviated(reviewer.command, digest)}`;
  return {
    places,
    ...(runs !== undefined && { runs }),
    reviewer: `${reviewer.runner ?? reviewer.kind}${command}`,
    overrides,
    maxAttempts,
  };
}

/** What is weaker in `now` than in `before`, including completed steps: work may go back. */
export function weakenings(before: Gate, now: Gate): Weakening[] {
  const found = weakerPlaces(before.places, now.places);
  const ofRun = (what: string) => found.push({ step_id: null, what });
  for (const [name, places] of Object.entries(before.runs ?? {})) {
    const present = now.runs?.[name];
    // One that is no longer run is reported at the entry that ran it.
    if (places === null || present === undefined) continue;
    if (present === null) ofRun(`${name}, which it runs, cannot be read`);
    else
      for (const each of weakerPlaces(places, present))
        ofRun(`${name}: ${describeWeakening(each)}`);
  }
  if (isWeakerReviewer(before.reviewer, now.reviewer)) {
    ofRun(`reviewer: ${before.reviewer} → ${now.reviewer}`);
  }
  if (OVERRIDE_RULES.indexOf(now.overrides) < OVERRIDE_RULES.indexOf(before.overrides)) {
    ofRun(`overrides: ${before.overrides} → ${now.overrides}`);
  }
  if (now.maxAttempts > before.maxAttempts) {
    ofRun(`attempts at a review: ${before.maxAttempts} → ${now.maxAttempts}`);
  }
  return found;
}

function weakerPlaces(before: readonly GatePlace[], now: readonly GatePlace[]): Weakening[] {
  const present = new Map(now.map((place) => [place.id, place]));
  const found = before.flatMap((place) =>
    weakerAt(place, present.get(place.id)).map((what) => ({ step_id: place.id, what })),
  );
  if (!isReordered(before, present)) return found;
  return [...found, { step_id: null, what: 'the steps are in another order' }];
}

function weakerAt(was: GatePlace, is: GatePlace | undefined): string[] {
  if (is === undefined) return [`the ${kindOf(was)} was removed`];
  const found = Object.entries(was.demands).flatMap(([name, demanded]) => {
    const present = Object.hasOwn(is.demands, name) ? (is.demands[name] as string) : null;
    return present === demanded ? [] : (describeChange(name, demanded, present) ?? []);
  });
  return loopsAround(was) === loopsAround(is)
    ? found
    : [...found, `it is in ${loopsAround(is)}, and was in ${loopsAround(was)}`];
}

/** Moving a step into or out of a loop changes when that loop ends. */
function loopsAround({ loops = [] }: GatePlace): string {
  return loops.length === 0 ? 'no loop' : `loop '${loops.join('/')}'`;
}

function kindOf({ demands }: GatePlace): string {
  const has = (name: string) => Object.hasOwn(demands, name);
  if (has('approval')) return 'approval';
  if (has('until')) return 'loop';
  if (has('items')) return 'for_each';
  return has('run') ? 'run' : 'step';
}

export function isSameGate(one: Gate, other: Gate): boolean {
  return (
    one.reviewer === other.reviewer &&
    one.overrides === other.overrides &&
    one.maxAttempts === other.maxAttempts &&
    (one.places === other.places || JSON.stringify(one.places) === JSON.stringify(other.places)) &&
    (one.runs === other.runs || JSON.stringify(one.runs) === JSON.stringify(other.runs))
  );
}

/** For a sentence: `step 'write': check 'lint' was removed`. */
export function describeWeakening({ step_id, what }: Weakening): string {
  return step_id === null ? what : `step '${step_id}': ${what}`;
}

/** Null if it is not weaker. */
function describeChange(name: string, was: string, is: string | null): string | null {
  if (name === 'condition') return is === ALWAYS ? null : 'its condition was changed';
  if (is !== null && LIMITS.has(name)) {
    const isWeaker =
      LIMITS.get(name) === 'more' ? Number(is) > Number(was) : Number(is) < Number(was);
    return isWeaker ? `${name}: ${was} → ${is}` : null;
  }
  const isText = AS_TEXT.has(name) || name.startsWith('check ');
  const verb = PLURAL.has(name) || name.startsWith('rules ') ? 'were' : 'was';
  if (is !== null) return `${name} ${verb} changed${isText ? `: ${was} → ${is}` : ''}`;
  if (name.startsWith('output ')) return `${name} is no longer required`;
  return `${name} ${verb} removed${isText ? ` (was: ${was})` : ''}`;
}

/** In which direction a limit is weaker: more passes before a person is asked, fewer items. */
const LIMITS = new Map([
  ['max', 'more'],
  ['max_items', 'fewer'],
]);
const AS_TEXT = new Set(['items', 'step', 'run', 'on_reject']);
const PLURAL = new Set(['items', 'inputs']);

/** A step moved before the current one would never be done; one moved beside it, too early. */
function isReordered(before: readonly GatePlace[], now: ReadonlyMap<string, GatePlace>): boolean {
  let [entry, behind, reached] = [-1, -1, -1];
  for (const { id, at } of before) {
    const is = now.get(id)?.at;
    if (is === undefined) continue;
    if (at !== entry) [entry, behind] = [at, reached];
    if (is <= behind) return true;
    reached = Math.max(reached, is);
  }
  return false;
}

function isWeakerReviewer(before: string, now: string): boolean {
  if (before === now) return false;
  // A different independent reviewer may be better or worse: that cannot be determined.
  return rank(now) < rank(before) || (rank(now) === 2 && rank(before) === 2);
}

function rank(reviewer: string): number {
  return reviewer === 'off' ? 0 : reviewer === 'self' ? 1 : 2;
}
