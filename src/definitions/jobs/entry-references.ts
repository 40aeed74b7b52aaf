// Checks the references between the entries of a workflow: names are unique, and what an entry
// refers to exists, is of the right kind, and comes before it or is inside it.

import type { IssueCode } from '../../core/issue.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { Located } from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import type { ParsedEntry, ParsedRef, ParsedStep, ParsedWorkflow } from './parsed-job.ts';
import { leafEntriesOf, stepIdsOf } from './workflow-entry.ts';

interface Named {
  readonly order: number;
  readonly entry: ParsedEntry;
}

/** Every name of a workflow, with the order of its entry; a loop comes before its own entries. */
type Names = ReadonlyMap<string, Named>;

/** Finding the nearest name is slow, and a hostile file has thousands of unknown ones. */
const MAX_HINTS = 20;

export function checkEntries(
  { name, entries }: ParsedWorkflow,
  steps: ReadonlyMap<string, ParsedStep>,
  to: Report,
): void {
  const workflow = quote(name.value);
  const names = namesIn(workflow, entries, to);
  const stepIds = entries.flatMap(stepIdsOf).map(({ value }) => value);
  let hints = MAX_HINTS;
  const meant = (word: string, known: readonly string[]) =>
    hints-- > 0 ? didYouMean(word, known) : '';
  const problem = (code: IssueCode, { path, at }: Located, message: string) =>
    to.add(code, path, message, at);

  /** The entry of the referenced step; null if it is invalid, which is reported. */
  const sourceOf = (who: string, { written, step }: ParsedRef): Named | null => {
    if (step === '') return null;
    const source = names.get(step);
    if (source !== undefined && stepIdsOf(source.entry).some(({ value }) => value === step)) {
      return source;
    }
    problem(
      'unknown_step',
      written,
      `${who} uses ${quote(step)}, which is not a step of workflow ${workflow}${meant(step, stepIds)}`,
    );
    return null;
  };

  const checkOutput = (who: string, { written, step, output }: ParsedRef) => {
    const outputs = steps.get(step)?.outputs;
    const known = outputs?.map((each) => each.name.value) ?? [output];
    if (known.includes(output)) return;
    problem(
      'unknown_output',
      written,
      `${who} uses output ${quote(output)} of ${quote(step)}, which has no such output${meant(output, known)}`,
    );
  };

  const checkEarlier = (who: string, ref: ParsedRef, order: number): Named | null => {
    const source = sourceOf(who, ref);
    if (source === null) return null;
    if (source.order >= order) {
      problem(
        'wrong_order',
        ref.written,
        `${who} uses ${quote(ref.step)}, which does not come before it`,
      );
      return null;
    }
    checkOutput(who, ref);
    return source;
  };

  const check = (entry: ParsedEntry) => {
    if (entry.kind === 'steps') return;
    const who = `${entry.kind} ${quote(entry.name.value)}`;
    const order = names.get(entry.name.value)?.order ?? 0;
    switch (entry.kind) {
      case 'loop': {
        for (const inner of entry.entries) check(inner);
        if (entry.until?.kind !== 'rules') return;
        const { output } = entry.until;
        if (sourceOf(who, output) === null) return;
        if (stepIdsOf(entry).some(({ value }) => value === output.step)) checkOutput(who, output);
        else
          problem(
            'wrong_order',
            output.written,
            `${who} judges ${quote(output.step)}, which is not in it`,
          );
        return;
      }
      case 'for_each': {
        const source = checkEarlier(who, entry.items, order);
        if (source?.entry.kind !== 'for_each') return;
        const message = `${who} takes its items from ${quote(entry.items.step)}, which itself runs once for each item`;
        problem('wrong_value', entry.items.written, message);
        return;
      }
      case 'approve': {
        for (const ref of entry.show) checkEarlier(who, ref, order);
        const goTo = entry.onReject?.goTo;
        if (goTo === undefined || goTo.value === '') return;
        const target = names.get(goTo.value);
        if (target === undefined) {
          const earlier = [...names].flatMap(([each, at]) => (at.order < order ? [each] : []));
          problem(
            'unknown_step',
            goTo,
            `${who} goes back to ${quote(goTo.value)}, which is not in workflow ${workflow}${meant(goTo.value, earlier)}`,
          );
        } else if (target.order >= order) {
          problem(
            'wrong_order',
            goTo,
            `${who} goes back to ${quote(goTo.value)}, which does not come before it`,
          );
        }
        return;
      }
      case 'run':
        return;
    }
  };
  for (const entry of entries) {
    if (to.full()) return;
    check(entry);
  }
}

function namesIn(workflow: string, entries: readonly ParsedEntry[], to: Report): Names {
  const names = new Map<string, Named>();
  let order = 0;
  const addEntry = (entry: ParsedEntry) => {
    order += 1;
    const here = { order, entry };
    if (entry.kind !== 'steps') add(entry.name, here, true);
    if (entry.kind === 'loop') for (const inner of entry.entries) addEntry(inner);
    else for (const id of stepIdsOf(entry)) add(id, here, false);
  };
  const isStep = new Set(entries.flatMap(stepIdsOf).map(({ value }) => value));
  const add = (name: Located, here: Named, isEntry: boolean) => {
    if (name.value === '') return;
    // Another check reports duplicate steps.
    if (isEntry && (names.has(name.value) || isStep.has(name.value))) {
      const message = `Workflow ${workflow} uses the name ${quote(name.value)} twice`;
      to.add('duplicate_id', name.path, message, name.at);
    }
    if (!names.has(name.value)) names.set(name.value, here);
  };
  for (const entry of entries) addEntry(entry);
  return names;
}

/** The index of each step's entry in `leafEntriesOf`. */
export function orderOfSteps(entries: readonly ParsedEntry[]): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  for (const [index, entry] of leafEntriesOf(entries).entries()) {
    for (const { value } of stepIdsOf(entry)) if (!order.has(value)) order.set(value, index);
  }
  return order;
}
