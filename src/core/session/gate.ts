// What a run's gate demands, in a form that a session can keep and compare with later: a
// definition or a setting may be edited while the run is under way, and a gate that became
// weaker is something that a person should see.
//
// A demand that is gone, or that says something else, counts as weaker, because no one can tell
// from the texts alone whether it still catches what it caught before. One that was added is
// stricter and needs no word. The same holds for the workflows that a run starts on its way.

import { OVERRIDE_RULES, type OverrideRule } from '../overrides.ts';
import { ALWAYS, type Demands, type Digest, type GatePlace, mark } from './demands.ts';

export interface Gate {
  /** In the order of the workflow. */
  readonly places: readonly GatePlace[];
  /**
   * The places of the workflows that it runs, and of those that they run, as `job/workflow`; null
   * where one cannot be read. Left out where it runs none.
   */
  readonly runs?: NestedPlaces;
  readonly reviewer: string;
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
}

export type NestedPlaces = Readonly<Record<string, readonly GatePlace[] | null>>;

/** As older versions kept it: what steps demand, and then what other entries do. */
export interface OlderGate extends Omit<Gate, 'places' | 'runs'> {
  readonly steps: Readonly<Record<string, Demands>>;
}

export function readGate(kept: Gate | OlderGate): Gate {
  if ('places' in kept) return kept;
  const { steps, ...rest } = kept;
  return { ...rest, places: Object.entries(steps).map(([id, demands]) => ({ id, demands })) };
}

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
  /** Null: it holds for the whole run. */
  readonly step_id: string | null;
  /** In words. */
  readonly what: string;
}

/** Who agreed to something that only a person may, and in answer to which question. */
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
  const command = reviewer.command === undefined ? '' : ` ${mark(reviewer.command, digest)}`;
  return {
    places,
    ...(runs !== undefined && { runs }),
    reviewer: `${reviewer.runner ?? reviewer.kind}${command}`,
    overrides,
    maxAttempts,
  };
}

/** What of `before` does not hold in `now`; of steps that are done, too: work may go back. */
export function weakenings(before: Gate, now: Gate): Weakening[] {
  const found = weakerPlaces(before.places, now.places);
  const ofRun = (what: string) => found.push({ step_id: null, what });
  for (const [name, places] of Object.entries(before.runs ?? {})) {
    const present = now.runs?.[name];
    // One that nothing runs any more is missed where it was run.
    if (places === null || present === undefined) continue;
    if (present === null) ofRun(`${name}, which it runs, cannot be read`);
    else for (const each of weakerPlaces(places, present)) ofRun(`${name}: ${tellWeakening(each)}`);
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
    return present === demanded ? [] : (inWords(name, demanded, present) ?? []);
  });
  return was.at === undefined || isAround(was) === isAround(is)
    ? found
    : [...found, `it is in ${isAround(is)}, and was in ${isAround(was)}`];
}

/** A loop that something is pulled into, or out of, is left at another moment. */
function isAround({ loops = [] }: GatePlace): string {
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
export function tellWeakening({ step_id, what }: Weakening): string {
  return step_id === null ? what : `step '${step_id}': ${what}`;
}

/** Null: it is not weaker. */
function inWords(name: string, was: string, is: string | null): string | null {
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

/** Which way a limit is weaker: more passes before a person is asked, fewer items than were due. */
const LIMITS = new Map([
  ['max', 'more'],
  ['max_items', 'fewer'],
]);
const AS_TEXT = new Set(['items', 'step', 'run', 'on_reject']);
const PLURAL = new Set(['items', 'inputs']);

/** What moves to before the current step would never be done; what moves beside it, too early. */
function isReordered(before: readonly GatePlace[], now: ReadonlyMap<string, GatePlace>): boolean {
  let [entry, behind, reached] = [-1, -1, -1];
  for (const { id, at } of before) {
    const is = now.get(id)?.at;
    if (at === undefined || is === undefined) continue;
    if (at !== entry) [entry, behind] = [at, reached];
    if (is <= behind) return true;
    reached = Math.max(reached, is);
  }
  return false;
}

function isWeakerReviewer(before: string, now: string): boolean {
  if (before === now) return false;
  // Another reviewer that is not the author may be better or worse: no one can tell.
  return rank(now) < rank(before) || (rank(now) === 2 && rank(before) === 2);
}

function rank(reviewer: string): number {
  return reviewer === 'off' ? 0 : reviewer === 'self' ? 1 : 2;
}
