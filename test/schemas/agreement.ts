// Holds a schema against the loader of its format, on thousands of damaged definitions.
// Each must be refused by both or by neither, as far as its shape goes: an editor that
// marks a good file is as useless as one that lets a bad file pass.

import { random } from '../support/random.ts';
import type { Judge } from './compiled-schema.ts';
import type { Json } from './json.ts';
import { keysOf, mutate } from './mutations.ts';

/** What a loader says against a definition, sorted by what a schema could know of it. */
export interface LoaderVerdict {
  /** A schema must say the same. */
  readonly sayable: readonly string[];
  /** A schema may say the same of some cases. */
  readonly partlySayable: readonly string[];
}

export interface Comparison {
  readonly judge: Judge;
  readonly definitions: readonly Json[];
  /** Definitions to take parts and keys from, beside the compared ones. */
  readonly donors: readonly Json[];
  readonly runs: number;
  readonly seed: number;
  readonly load: (value: Json, definition: Json) => Promise<LoaderVerdict>;
  /** Where the schema is stricter on purpose. */
  readonly leavesAlone?: (value: Json) => boolean;
}

export interface Outcome {
  readonly disagreements: string[];
  readonly accepted: number;
  readonly refused: number;
}

const MOST_TOLD = 5;

export async function compare(comparison: Comparison): Promise<Outcome> {
  const { judge, definitions, runs, seed, load, leavesAlone } = comparison;
  const donors = [...definitions, ...comparison.donors];
  const material = { donors, keys: keysOf(donors) };
  const dice = random(seed);
  const disagreements: string[] = [];
  let accepted = 0;
  let refused = 0;
  for (let run = 0; run < runs && disagreements.length < MOST_TOLD; run += 1) {
    const definition = definitions[run % definitions.length] as Json;
    const value = mutate(definition, dice, material);
    const complaints = judge.complaintsAbout(value);
    if (leavesAlone?.(value)) {
      if (complaints.length === 0) disagreements.push(`Not refused: ${JSON.stringify(value)}`);
      continue;
    }
    const verdict = await load(value, definition);
    if (complaints.length > 0) refused += 1;
    else accepted += 1;
    const told = disagreementOf(complaints, verdict);
    if (told !== null) disagreements.push(`${told}\n${JSON.stringify(value)}`);
  }
  return { disagreements, accepted, refused };
}

function disagreementOf(complaints: readonly string[], verdict: LoaderVerdict): string | null {
  const { sayable, partlySayable } = verdict;
  if (complaints.length === 0) {
    return sayable.length > 0 ? `Only the loader refuses: ${sayable.join('; ')}` : null;
  }
  if (sayable.length > 0 || partlySayable.length > 0) return null;
  return `Only the schema refuses: ${complaints.join('; ')}`;
}
