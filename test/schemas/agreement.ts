// Compares a schema with the loader of its format. Each definition must be refused by both or by
// neither, as far as its shape is concerned: an editor that marks a valid file is as useless as
// one that accepts an invalid one.

import type { Judge } from './compiled-schema.ts';
import type { Json } from './json.ts';

/** The loader's problems with a definition, sorted by what a schema could know. */
export interface LoaderVerdict {
  /** A schema must report the same. */
  readonly sayable: readonly string[];
  /** A schema may report some of them. */
  readonly partlySayable: readonly string[];
}

export interface Comparison {
  readonly judge: Judge;
  readonly definitions: Iterable<Json>;
  readonly load: (definition: Json) => Promise<LoaderVerdict>;
  /** Where the schema is deliberately stricter: it must refuse, whatever the loader does. */
  readonly isStricter?: (definition: Json) => boolean;
}

export interface Outcome {
  readonly disagreements: string[];
  /** By the schema. */
  readonly accepted: number;
  readonly refused: number;
}

const MAX_REPORTED = 5;

export async function compare(comparison: Comparison): Promise<Outcome> {
  const { judge, definitions, load, isStricter } = comparison;
  const disagreements: string[] = [];
  let accepted = 0;
  let refused = 0;
  for (const definition of definitions) {
    const complaints = judge.complaintsAbout(definition);
    if (complaints.length > 0) refused += 1;
    else accepted += 1;
    const verdict = isStricter?.(definition)
      ? { sayable: ['not for new files'], partlySayable: [] }
      : await load(definition);
    const told = disagreementOf(complaints, verdict);
    if (told !== null) disagreements.push(`${told}\n${JSON.stringify(definition)}`);
    if (disagreements.length >= MAX_REPORTED) break;
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
