// The workflows that a workflow runs, with their places in the file: lint compares them with the
// definitions of other files, when this one is no longer at hand.

import type { Path, TextPosition } from '../../core/issue.ts';
import type { Target } from '../source/node.ts';
import { allEntries } from './entries/all-entries.ts';
import type { ParsedWorkflow, WrittenRun, WrittenRunInput } from './parsed-job.ts';

export interface PlacedRun extends WrittenRun {
  readonly at: TextPosition;
  readonly inputs: readonly PlacedRunInput[] | null;
}

export interface PlacedRunInput extends WrittenRunInput {
  /** Where its name begins, and where its value does. */
  readonly nameAt: TextPosition;
  readonly at: TextPosition;
}

export function runsIn({ name: from, entries }: ParsedWorkflow): readonly WrittenRun[] {
  return allEntries(entries).flatMap(({ name, run }) => {
    if (name === null || run === null) return [];
    const { job, workflow } = run;
    const own = name.path.slice(0, -1);
    const inputs = run.inputs.map((input) => ({ input, path: [...own, 'inputs', input.name] }));
    const path = [...own, 'workflow'];
    return [{ from: from.value, name: name.value, job, workflow, path, inputs }];
  });
}

export function placeRun(
  run: WrittenRun,
  place: (path: Path, at: Target) => TextPosition,
): PlacedRun {
  const inputs = run.inputs?.map(({ input, path }) => {
    const value = 'value' in input ? [...path, 'value'] : path;
    return { input, path, nameAt: place(path, 'key'), at: place(value, 'value') };
  });
  return { ...run, at: place(run.path, 'value'), inputs: inputs ?? null };
}
