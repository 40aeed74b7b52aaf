// Self-review: if no reviewer is configured, the agent has its work judged by a subagent that
// has not seen it being made. The subagent's instructions are written to a file; they tell it
// not to trust the author.

import type { Review, Step } from '../core/workflow.ts';
import type { MemberOutputs } from './outputs.ts';
import { inputLines, outputLine, type Surroundings } from './review/payload.ts';
import { nameShown, plainText } from './review/quoted-text.ts';
import type { ReviewContext } from './review/review-context.ts';

export interface ReviewFile {
  readonly name: string;
  readonly text: string;
}

export interface SelfReviewed extends Surroundings {
  readonly notes: string | null;
  /** Ties a verdict to exactly these outputs and reviews. */
  readonly code: string;
}

export function selfReviewFile(
  sessionId: string,
  step: Step,
  member: MemberOutputs,
  { notes, code, reviewContext, changes }: SelfReviewed,
): ReviewFile {
  const sections = [
    `# Quality review: ${nameShown(step.name)}`,
    'You are an independent reviewer. You did not do this work. Judge only what is in the files, against the criteria below, and nothing else.',
    ...(reviewContext === null ? [] : taskSections(reviewContext)),
    ['## Outputs to read', ...outputLines(member)].join('\n'),
    ...step.reviews.map((review, index) => reviewSection(review, index, step.reviews.length)),
    ...(notes === null
      ? []
      : [`## Notes of the author\n\nClaims, not evidence:\n\n${quote(notes)}`]),
    ...(changes === null ? [] : [`## What changed\n\n${fenced(plainText(changes))}`]),
    [
      '## How to judge',
      '- Read every file listed above in full before you decide.',
      '- A criterion passes only if the files show that it is met. If you are in doubt, it fails.',
      '- For each failed criterion say what is wrong, where, and what would make it pass.',
      '- Do not change any file.',
    ].join('\n'),
    `## Your task\n\nBegin your answer with the code \`${code}\`, which stands for exactly these outputs and reviews. Give a verdict on each criterion by name, with a reason of one or two sentences. End with a line that says only PASSED if every criterion passed, otherwise FAILED.`,
  ];
  return {
    name: `quality_review_${sessionId}_${step.id}.md`,
    text: `${sections.join('\n\n')}\n`,
  };
}

/** Tells the agent what to do with the file. */
export function selfReviewFeedback(file: string): string {
  return [
    `Quality review required before this step can finish. The instructions are in ${file}.`,
    '1. Spawn a subagent (Task tool) that has not seen your work and let it follow that file.',
    '2. If it says FAILED, fix what it found and call finished_step again.',
    '3. If it says PASSED, call finished_step again with the same outputs and its verdict as the quality_review_override_reason. It counts as a verdict only if it begins with the code in that file and ends with a line that says only PASSED; if the outputs or their files change, the code changes, too.',
  ].join('\n');
}

/** The agent wrote the goal: quoted, it cannot add a heading or a verdict. */
function taskSections({ goal, description, inputs }: ReviewContext): string[] {
  const task = `## The task\n\nGoal of the run:\n\n${quote(goal)}\n\nThis step:\n\n${quote(description)}`;
  if (inputs.length === 0) return [task];
  const lines = inputLines(inputs).map((line) => line.replace(/\n */g, ' '));
  return [task, ['## Inputs it was given (read the files)', '', ...lines].join('\n')];
}

/** In a fence that its content cannot close. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return `${fence}diff\n${text}\n${fence}`;
}

function reviewSection(review: Review, index: number, count: number): string {
  const scope =
    review.runEach === 'step'
      ? 'all outputs together'
      : `each file of output \`${nameShown(review.runEach)}\`, on its own`;
  const lines = [
    count === 1 ? '## Review' : `## Review ${index + 1} of ${count}`,
    '',
    `Scope: ${scope}`,
    '',
    ...review.criteria.map(({ name, text }) => `- **${name}**: ${text}`),
  ];
  if (review.guidance !== null) lines.push('', `Guidance: ${review.guidance}`);
  return lines.join('\n');
}

function outputLines(member: MemberOutputs): string[] {
  const lines = Object.entries(member.outputs).flatMap(([name, paths]) =>
    (typeof paths === 'string' ? [paths] : paths).map((path) => outputLine(path, name)),
  );
  return ['', ...(lines.length > 0 ? lines : ['[No files provided]'])];
}

function quote(text: string): string {
  return plainText(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
