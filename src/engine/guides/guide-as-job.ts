// A guide as something a session can run: each step takes one file, `output`, whose text
// is validated as workflow_validate would.

import path from 'node:path';
import type { Guide, GuideStep } from '../../core/guide.ts';
import type { Job, Step } from '../../core/workflow.ts';
import { GUIDE_OUTPUT } from './find-guide.ts';

export function guideAsJob(guide: Guide): Job {
  const steps = guide.steps.map((step) => stepOf(guide, step));
  return {
    name: guide.id,
    version: guide.version,
    summary: guide.summary ?? guide.description,
    description: null,
    commonInfo: commonInfo(guide),
    dir: path.dirname(guide.file),
    hash: guide.hash,
    steps,
    workflows: [
      { name: guide.id, summary: guide.description, entries: steps.map((step) => [step]) },
    ],
  };
}

function stepOf(guide: Guide, step: GuideStep): Step {
  return {
    id: step.id,
    name: step.title,
    description: step.title,
    instructionsFile: '',
    inputs: [],
    outputs: [
      {
        name: GUIDE_OUTPUT,
        type: 'file',
        description: 'A file of its own with what this step produced',
        required: step.criteria !== null,
        rules: step.criteria,
      },
    ],
    reviews: [],
    checks: [],
    when: step.runCondition ?? null,
    guide: { workflowId: guide.id, step },
  };
}

/** What holds for the whole guide, told with every step. */
function commonInfo(guide: Guide): string {
  const { preconditions, metaGuidance } = guide.source as Readonly<
    Record<string, readonly string[] | undefined>
  >;
  return [
    guide.description,
    ...section('Preconditions', preconditions),
    ...section('Guidance', metaGuidance),
  ].join('\n\n');
}

function section(title: string, items: readonly string[] | undefined): string[] {
  if (items === undefined || items.length === 0) return [];
  return [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`];
}
