// Checks the references between the entries of a workflow: names are unique, and what an entry
// refers to exists and comes before it or is inside it.

import type { IssueCode } from '../../../core/issue.ts';
import { limitedHints } from '../../../core/nearest.ts';
import type { Located } from '../../reader/fields.ts';
import type { Report } from '../../reader/issues.ts';
import { quote } from '../../wording.ts';
import type { ParsedWorkflow } from '../parsed-job.ts';
import type { ParsedStep } from '../parsed-step.ts';
import { allEntries, stepIdsOf } from './all-entries.ts';
import type { ParsedEntry, ParsedRef, References } from './parsed-entry.ts';

/** An entry, and its number in file order; a loop comes before its own entries. */
interface Placed {
  readonly order: number;
  readonly entry: ParsedEntry;
}

export function checkEntries(
  { name, entries }: ParsedWorkflow,
  parsedSteps: ReadonlyMap<string, ParsedStep>,
  to: Report,
): void {
  const workflow = quote(name.value);
  const placed = allEntries(entries).map((entry, order): Placed => ({ entry, order }));
  const steps = byName(placed, (entry) => entry.steps);
  const names = byName(placed, namesOf);
  const stepIds = [...steps.keys()];
  reportDuplicates(workflow, placed, new Set(stepIds), to);
  const { didYouMean: meant } = limitedHints();

  const referencesOf = ({ order, entry }: Placed): References => {
    const who = `${entry.kind} ${quote(entry.name?.value ?? '')}`;
    const problem = (code: IssueCode, { path, at }: Located, message: string) =>
      to.add(code, path, `${who} ${message}`, at);

    /** The entry of the step that makes the output. */
    const sourceOf = ({ written, step }: ParsedRef): Placed | null => {
      if (step === '') return null;
      const source = steps.get(step);
      if (source !== undefined) return source;
      const other = `uses ${quote(step)}, which is not a step of workflow ${workflow}`;
      problem('unknown_step', written, `${other}${meant(step, stepIds)}`);
      return null;
    };

    const checkOutput = ({ written, step, output }: ParsedRef) => {
      const outputs = parsedSteps.get(step)?.outputs;
      const known = outputs?.map((each) => each.name.value) ?? [output];
      if (known.includes(output)) return;
      const other = `uses output ${quote(output)} of ${quote(step)}, which has no such output`;
      problem('unknown_output', written, `${other}${meant(output, known)}`);
    };

    return {
      problem,
      earlierOutput(ref) {
        const source = sourceOf(ref);
        if (source === null) return null;
        if (source.order >= order) {
          const late = `uses ${quote(ref.step)}, which does not come before it`;
          problem('wrong_order', ref.written, late);
          return null;
        }
        checkOutput(ref);
        return source.entry;
      },
      ownOutput(ref) {
        if (sourceOf(ref) === null) return;
        const isOwn = stepIdsOf(entry).some(({ value }) => value === ref.step);
        if (isOwn) checkOutput(ref);
        else {
          const other = `judges ${quote(ref.step)}, which is not in it`;
          problem('wrong_order', ref.written, other);
        }
      },
      earlierEntry(target) {
        if (target.value === '') return;
        const back = `goes back to ${quote(target.value)}, which`;
        const found = names.get(target.value);
        if (found === undefined) {
          const earlier = [...names].flatMap(([each, at]) => (at.order < order ? [each] : []));
          const hint = meant(target.value, earlier);
          problem('unknown_step', target, `${back} is not in workflow ${workflow}${hint}`);
        } else if (found.order >= order) {
          problem('wrong_order', target, `${back} does not come before it`);
        }
      },
    };
  };

  for (const each of placed) {
    if (to.full()) return;
    each.entry.check(referencesOf(each));
  }
}

/** The names by which an entry can be referred to: its own, and those of its steps. */
function namesOf({ name, steps }: ParsedEntry): readonly Located[] {
  return name === null ? steps : [name, ...steps];
}

/** The first entry with each name. */
function byName(
  placed: readonly Placed[],
  namesIn: (entry: ParsedEntry) => readonly Located[],
): ReadonlyMap<string, Placed> {
  const found = new Map<string, Placed>();
  for (const each of placed) {
    for (const { value } of namesIn(each.entry)) {
      if (value !== '' && !found.has(value)) found.set(value, each);
    }
  }
  return found;
}

/** Names of entries that another entry or a step has. Another check reports duplicate steps. */
function reportDuplicates(
  workflow: string,
  placed: readonly Placed[],
  stepIds: ReadonlySet<string>,
  to: Report,
): void {
  const seen = new Set<string>();
  for (const { name } of placed.map(({ entry }) => entry)) {
    if (name === null || name.value === '') continue;
    if (seen.has(name.value) || stepIds.has(name.value)) {
      const message = `Workflow ${workflow} uses the name ${quote(name.value)} twice`;
      to.add('duplicate_id', name.path, message, name.at);
    }
    seen.add(name.value);
  }
}
