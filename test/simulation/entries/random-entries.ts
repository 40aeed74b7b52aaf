// Random workflows with entries of every kind, and random histories of them.

import type { Random } from '../../support/random.ts';
import type { PlainStep } from '../definitions.ts';
import type { EntryCall, Fact, Found } from './entry-calls.ts';
import type { PlainEntry } from './plain-entries.ts';

interface Writing {
  readonly dice: Random;
  next: number;
  /** Steps before this place that can be referred to; those of items only be shown. */
  readonly before: string[];
  readonly shown: string[];
  /** Everything that an approval can go back to. */
  readonly names: string[];
}

export function randomEntries(dice: Random): PlainEntry[] {
  const writing = { dice, next: 0, before: [], shown: [], names: [] };
  return list(writing, 0, dice.between(1, 4));
}

function list(writing: Writing, depth: number, length: number): PlainEntry[] {
  return Array.from({ length }, () => entry(writing, depth));
}

function name(writing: Writing, letter: string): string {
  writing.next += 1;
  return `${letter}${writing.next}`;
}

function entry(writing: Writing, depth: number): PlainEntry {
  const { dice, before, shown, names } = writing;
  const kind = dice.weighted({
    steps: 5,
    loop: depth < 3 ? 4 : 0,
    for_each: before.length > 0 ? 3 : 0,
    approve: 2,
    run: 1,
  });
  switch (kind) {
    case 'steps': {
      const steps = Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => step(writing, 's'));
      for (const { id } of steps) for (const known of [before, shown, names]) known.push(id);
      return { kind, steps };
    }
    case 'loop': {
      const own = name(writing, 'l');
      names.push(own);
      const first = shown.length;
      const entries = list(writing, depth + 1, dice.between(1, 3));
      const inside = shown.slice(first);
      const until = dice.weighted({ check: 3, when: 1, rules: inside.length > 0 ? 2 : 0 });
      const max = dice.between(1, 3);
      if (until !== 'rules') return { kind, name: own, entries, until: { kind: until }, max };
      return { kind, name: own, entries, until: { kind: until, step: dice.pick(inside) }, max };
    }
    case 'for_each': {
      const own = name(writing, 'f');
      const items = dice.pick(before);
      const each = step(writing, 'e');
      shown.push(each.id);
      names.push(own, each.id);
      return { kind, name: own, items, step: each, parallel: dice.between(1, 3) };
    }
    case 'approve': {
      const goTo = names.length > 0 && dice.chance(0.7) ? dice.pick(names) : null;
      const back = goTo === null ? null : { goTo, max: dice.between(1, 2) };
      const own = name(writing, 'a');
      const show = shown.length > 0 ? dice.some(shown, 0.4) : [];
      names.push(own);
      return { kind, name: own, show, back };
    }
    case 'run': {
      const own = name(writing, 'r');
      names.push(own);
      return { kind, name: own };
    }
  }
}

const OUTPUT = (output: string) => ({ name: output, type: 'file', required: true }) as const;

function step(writing: Writing, letter: string): PlainStep {
  const { dice } = writing;
  const id = name(writing, letter);
  const green = { var: 'green' };
  const when = dice.chance(0.2) ? (dice.chance(0.5) ? green : { not: green }) : null;
  return { id, outputs: [OUTPUT('x')], when, reviewed: false };
}

export function randomFound(dice: Random, entries: readonly PlainEntry[]): Found {
  const untils: Record<string, Fact> = {};
  const items: Record<string, number> = {};
  const look = (found: readonly PlainEntry[]) => {
    for (const each of found) {
      if (each.kind === 'loop') {
        untils[each.name] = dice.weighted({ done: 4, not_yet: 5, cannot_tell: 1 });
        look(each.entries);
      }
      if (each.kind === 'for_each') items[each.name] = dice.pick([0, 1, 2, 2, 3, 5]);
    }
  };
  look(entries);
  return { untils, items };
}

/** `kind` of the entry where the session stands, by the reference. */
export function randomEntryCall(
  dice: Random,
  entries: readonly PlainEntry[],
  place: { readonly waits: 'approve' | 'run' | 'loop' | null; readonly names: readonly string[] },
): EntryCall {
  const found = randomFound(dice, entries);
  const { waits } = place;
  const kind = dice.weighted({
    submit: waits === null ? 60 : 3,
    wait: waits === null || waits === 'run' ? 3 : 50,
    nested_ends: waits === 'run' ? 40 : 1,
    go_to: 10,
    late: 5,
    rebuild: 3,
  });
  switch (kind) {
    case 'submit': {
      const which = Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => dice.between(0, 7));
      return {
        kind,
        which: dice.chance(0.5) ? [0, 1, 2, 3, 4] : which,
        qualified: dice.chance(0.5),
        failing: dice.chance(0.2) ? which : [],
        content: dice.between(0, 2),
        green: dice.chance(0.3) ? dice.chance(0.5) : null,
        found,
      };
    }
    case 'wait':
      return {
        kind,
        approves: dice.pick([null, true, true, false, false]),
        loop: dice.pick([null, 'one_more', 'one_more', 'go_on', 'go_on', 'abort'] as const),
        words: dice.pick([null, 'do better']),
        edited: dice.chance(0.2) ? 10 : 0,
        found,
      };
    case 'nested_ends':
      return { kind, completed: dice.chance(0.7), found };
    case 'go_to':
      return { kind, name: dice.chance(0.05) ? 'nowhere' : dice.pick(place.names), found };
    default:
      return { kind };
  }
}
