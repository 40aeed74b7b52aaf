// Looks for places in the instructions of a job that nothing fills, where these stand: in files
// beside the job.yml, or in its own text.

import { resolve } from 'node:path';
import { limitedHints } from '../core/nearest.ts';
import { placeOf } from '../core/places.ts';
import {
  type Job,
  type Output,
  type OutputRef,
  ownSteps,
  type Step,
  stepsOf,
  type Workflow,
} from '../core/workflow.ts';
import { openInstructions } from './jobs/instructions.ts';
import type { LintedFile } from './lint-report.ts';
import { type OddPlaceholder, oddPlaceholders, type TextUse } from './placeholders.ts';
import { type IssueLog, NO_ISSUES, openIssueLog } from './reader/issues.ts';
import { entryOf, type Node } from './source/node.ts';
import { openPositions } from './source/positions.ts';

const MAX_WARNINGS = 50;

/** Those of its files of which there is something to say. */
export async function lintInstructionFiles(job: Job): Promise<readonly LintedFile[]> {
  const byFile = new Map<string, { readonly written: string; readonly uses: TextUse[] }>();
  for (const { instructions } of job.steps) {
    if (instructions.kind !== 'file') continue;
    byFile.set(resolve(job.dir, instructions.file), { written: instructions.file, uses: [] });
  }
  for (const workflow of job.workflows) {
    for (const step of stepsOf(workflow)) {
      if (step.instructions.kind !== 'file') continue;
      byFile.get(resolve(job.dir, step.instructions.file))?.uses.push(useOf(workflow, step));
    }
  }
  const linted: LintedFile[] = [];
  const hints = limitedHints();
  for (const [file, { written, uses }] of byFile) {
    const found = await openInstructions(job.dir, written);
    if (found.kind !== 'text') continue;
    const places = oddPlaceholders(found.text, uses, hints);
    if (places.length === 0) continue;
    const log = openIssueLog({ maxIssues: MAX_WARNINGS });
    for (const { offset, message } of places) log.add('unknown_placeholder', [], message, offset);
    const positionOf = openPositions(found.text);
    const warnings = log.close({ root: null, faults: [], positionOf });
    linted.push({ kind: 'instructions', file, problems: NO_ISSUES, warnings });
  }
  return linted;
}

/** The same for a job whose workflows hold their steps, with the instructions as texts. */
export function lintInstructionTexts(job: Job, root: Node, text: string): IssueLog {
  const log = openIssueLog({ maxIssues: MAX_WARNINGS });
  const hints = limitedHints();
  const written = entryOf(root, 'workflows')?.value;
  for (const { key, value } of written?.kind === 'map' ? written.entries : []) {
    const workflow = job.workflows.find(({ name }) => name === key);
    const steps = entryOf(value, 'steps')?.value;
    if (workflow === undefined || steps?.kind !== 'list') continue;
    for (const [index, step] of steps.items.entries()) {
      if (log.full()) return log;
      const node = entryOf(step, 'instructions')?.value;
      const id = entryOf(step, 'name')?.value;
      if (node?.kind !== 'scalar' || id?.kind !== 'scalar') continue;
      const use = { ...useOf(workflow, null), step: String(id.value) };
      const path = ['workflows', key, 'steps', index, 'instructions'];
      const places = oddPlaceholders(String(node.value), [use], hints);
      const end = steps.items[index + 1]?.at ?? text.length;
      for (const [place, offset] of inSource(places, text.slice(0, end), node.at)) {
        log.add('unknown_placeholder', path, place.message, offset);
      }
    }
  }
  return log;
}

/** Where each stands in the file; at the beginning of the text where it is written in escapes. */
function inSource(
  places: readonly OddPlaceholder[],
  text: string,
  from: number,
): readonly (readonly [OddPlaceholder, number])[] {
  let after = from;
  return places.map((place) => {
    let at = text.indexOf(place.written, after);
    while (at > 0 && text[at - 1] === '$') at = text.indexOf(place.written, at + 1);
    if (at === -1) return [place, from];
    after = at + place.written.length;
    return [place, at];
  });
}

function outputOf(workflow: Workflow, { step, output }: OutputRef): Output | undefined {
  const entry = placeOf(workflow, step)?.entry;
  const source = entry && ownSteps(entry).find(({ id }) => id === step);
  return source?.outputs.find(({ name }) => name === output);
}

function useOf(workflow: Workflow, step: Step | null): TextUse {
  const entry = placeOf(workflow, step?.id ?? '')?.entry;
  const forEach = entry?.kind === 'for_each' ? entry : undefined;
  const output = forEach && outputOf(workflow, forEach.items);
  return {
    workflow: workflow.name,
    step: step?.id ?? '',
    inputs: (workflow.inputs ?? []).map(({ name }) => name),
    items:
      forEach === undefined ? null : { forEach: forEach.name, arePaths: output?.type === 'files' },
  };
}
