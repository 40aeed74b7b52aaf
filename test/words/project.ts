// The scripted project: a job `work` with a workflow `main`, whose steps differ from record to record.

import { type StepSpec, writeJob } from '../support/project.ts';
import { script } from '../support/reviewer.ts';
import { newStage, type Stage } from './stage.ts';

export interface Work {
  readonly entries?: readonly unknown[];
  readonly steps?: Readonly<Record<string, StepSpec>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Other jobs, each with one workflow `main`. */
  readonly jobs?: Readonly<Record<string, Pick<Work, 'entries' | 'steps' | 'inputs'>>>;
  /** What a stand-in reviewer answers. */
  readonly reviews?: readonly Parameters<typeof script>[1][];
}

export const START = { goal: 'Announce the release', job_name: 'work', workflow_name: 'main' };

/** Two steps with a file each, the second reviewed. */
const STEPS = {
  draft: { outputs: { notes: 'file' } },
  publish: {
    outputs: { page: 'file' },
    reviews: [
      {
        run_each: 'page',
        quality_criteria: { clear: 'It is clear', short: 'It is short' },
        additional_review_guidance: 'Mind the tone.',
      },
    ],
  },
} satisfies Record<string, StepSpec>;

const FILES = {
  'notes.md': 'Three bugs are fixed.\n',
  'page.md': 'Release 1.2\n\nThree bugs are fixed.\n',
};

export function newWork(spec: Work = {}): Stage {
  const { steps = STEPS, entries = Object.keys(steps), inputs, jobs = {}, reviews } = spec;
  const team = { question_wait_seconds: 1 };
  const quality_gate = { answer_within: 1000, ...(spec.config?.quality_gate as object) };
  const stage = newStage({ team, ...spec.config, quality_gate }, { ...FILES, ...spec.files });
  const all = { work: { steps, entries, ...(inputs && { inputs }) }, ...jobs };
  for (const [
    name,
    { steps: own = {}, entries: order = Object.keys(own), inputs },
  ] of Object.entries(all)) {
    const workflow = { name: 'main', summary: `All of ${name}`, steps: order };
    writeJob(stage, name, own, {}, { workflows: [{ ...workflow, ...(inputs && { inputs }) }] });
  }
  if (reviews !== undefined) script(stage, ...reviews);
  return stage;
}
