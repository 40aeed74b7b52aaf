// The workflows that a workflow runs, with their places in the file: lint compares them with the
// definitions of other files, when this one is no longer at hand.

import type { Path, TextPosition } from '../../core/issue.ts';
import type { RunInput } from '../../core/workflow.ts';
import type { Target } from '../source/node.ts';
import { allEntries } from './entries/all-entries.ts';
import type { ParsedWorkflow } from './parsed-job.ts';

export interface PlacedRun {
  /** The workflow that runs it, and the name of the entry there. */
  readonly from: string;
  readonly name: string;
  readonly job: string;
  readonly workflow: string;
  /** The place of the workflow's name. */
  readonly path: Path;
  readonly at: TextPosition;
  /** Null if data is passed by name. */
  readonly inputs: readonly PlacedRunInput[] | null;
}

export interface PlacedRunInput {
  readonly input: RunInput;
  readonly path: Path;
  /** Where its name begins, and where its value does. */
  readonly nameAt: TextPosition;
  readonly at: TextPosition;
}

/** The position in the file. */
export type PlaceOf = (path: Path, at: Target) => TextPosition;

export function runsIn(
  { name: from, entries }: ParsedWorkflow,
  placeOf: PlaceOf,
): readonly PlacedRun[] {
  return allEntries(entries).flatMap(({ name, run }) => {
    if (name === null || run === null) return [];
    const { job, workflow } = run;
    const own = name.path.slice(0, -1);
    const path = [...own, 'workflow'];
    const inputs = run.inputs.map((input) => {
      const path = [...own, 'inputs', input.name];
      const at = placeOf('value' in input ? [...path, 'value'] : path, 'value');
      return { input, path, nameAt: placeOf(path, 'key'), at };
    });
    const at = placeOf(path, 'value');
    return [{ from: from.value, name: name.value, job, workflow, path, at, inputs }];
  });
}
