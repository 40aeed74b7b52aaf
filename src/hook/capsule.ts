// The capsule: all that an agent needs to go on with a run after it lost its context, in at most
// 8,000 characters. It says what `get_active_workflow` says, in the order in which it is needed.
// The place in the workflow and the next call are never cut. If there is more to say
// than fits, the longest sections are cut first; the instructions get what they leave, and a minimum.

import { openStepId } from '../core/session/progress.ts';
import { type Session, workflowLabel } from '../core/session/state.ts';
import { completedSteps } from '../core/session/view.ts';
import { shownUpTo } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import { reportsToGive, surroundings } from './capsule-entries.ts';
import { type Section, writeSections } from './capsule-sections.ts';
import { expectedOutputs, nextCall } from './next-call.ts';

const MAX_CAPSULE = 8000;
/** Instructions are cut no further, whatever else there is to say. */
const MIN_INSTRUCTIONS = 2000;

export function writeCapsule(
  session: Session,
  workflow: Workflow,
  begin: BeginStep,
  below: readonly Session[],
): string {
  const place = `step ${session.position.entryIndex + 1} of ${workflow.entries.length}`;
  const first = [
    'deepwork: you are in the middle of a workflow. Go on with it; do not start over.',
    `Workflow: ${workflowLabel(session)}, ${place}: '${openStepId(session)}' (session ${session.id})`,
  ].join('\n');
  const last = `Next call, when the step is done: ${nextCall(begin)}`;
  const before: Section[] = [
    { max: 800, write: (max) => `Goal: ${shownUpTo(session.goal, max)}` },
    { max: 1200, write: (max) => common(begin, max) },
    { max: 300, write: (max) => nestedIn(below, max) },
    { max: 1000, write: (max) => done(session, max) },
    ...surroundings(begin),
    { max: 1200, write: (max) => inputs(begin, max) },
  ];
  const after: Section[] = [
    { max: 1200, write: (max) => toHandIn(begin, max) },
    { max: 300, write: (max) => checks(begin, max) },
    { max: 1000, write: (max) => criteria(begin, max) },
    ...reportsToGive(begin),
    { max: 300, write: (max) => others(begin, max) },
    { max: 1200, write: (max) => feedback(session, max) },
  ];
  const instructions = begin.step_instructions.trim();
  const room = MAX_CAPSULE - first.length - last.length - TITLES;
  const kept = Math.min(instructions.length, MIN_INSTRUCTIONS);
  const [textBefore, textAfter] = writeSections([before, after], room - kept);
  const left = room - textBefore.length - textAfter.length;
  const shown = cutInstructions(instructions, left, session.id);
  const text = `${first}\n${textBefore}\n\n${TITLE}\n${shown}\n\n${textAfter}\n${last}`;
  return text.slice(0, MAX_CAPSULE);
}

const TITLE = 'Instructions of this step:';
/** With the line breaks around it. */
const TITLES = TITLE.length + 7;

function nestedIn(below: readonly Session[], max: number): string {
  if (below.length === 0) return '';
  const names = below.map((each) => `${workflowLabel(each)} (session ${each.id})`).reverse();
  return shownUpTo(`It is nested in ${names.join(', in ')}; that one goes on afterwards.`, max);
}

function done(session: Session, max: number): string {
  const steps = completedSteps(session).map(({ stepId, outputs }) => {
    const paths = Object.values(outputs).flat();
    return `- ${stepId}${paths.length === 0 ? '' : `: ${paths.join(', ')}`}`;
  });
  if (steps.length === 0) return '';
  // The newest steps matter most.
  const kept: string[] = [];
  let length = 0;
  for (const line of steps.toReversed()) {
    length += line.length + 1;
    if (length > max) break;
    kept.unshift(line);
  }
  const left = steps.length - kept.length;
  return ['Done so far:', ...(left > 0 ? [`- ${left} earlier steps`] : []), ...kept].join('\n');
}

function inputs({ step_inputs }: BeginStep, max: number): string {
  const given = step_inputs.flatMap(({ name, path, value = null }) => {
    const what = path ?? value;
    return what === null ? [] : [`- ${name}: ${[what].flat().join(', ')}`];
  });
  return given.length === 0 ? '' : `Inputs of this step:\n${shownUpTo(given.join('\n'), max)}`;
}

function toHandIn(begin: BeginStep, max: number): string {
  return `To hand in:\n${shownUpTo(expectedOutputs(begin).join('\n') || '(no outputs)', max)}`;
}

function checks({ step_checks = [] }: BeginStep, max: number): string {
  if (step_checks.length === 0) return '';
  return `Checks that the server runs on it: ${shownUpTo(step_checks.join(', '), max)}`;
}

function common({ common_job_info }: BeginStep, max: number): string {
  const text = common_job_info.trim();
  return text === '' ? '' : `For every step: ${shownUpTo(text, max)}`;
}

function criteria({ step_reviews }: BeginStep, max: number): string {
  const lines = step_reviews.flatMap(({ quality_criteria }) =>
    Object.entries(quality_criteria).map(([name, text]) => `- ${name}: ${text}`),
  );
  return lines.length === 0 ? '' : `Reviewers judge it by:\n${shownUpTo(lines.join('\n'), max)}`;
}

function others({ concurrent_steps }: BeginStep, max: number): string {
  if (concurrent_steps.length === 0) return '';
  const ids = concurrent_steps.map(({ step_id }) => step_id).join(', ');
  return `To be done beside it: ${shownUpTo(ids, max)}. get_active_workflow has their instructions.`;
}

function feedback({ position }: Session, max: number): string {
  return position.feedback === null ? '' : `Last feedback: ${shownUpTo(position.feedback, max)}`;
}

function cutInstructions(text: string, room: number, sessionId: string): string {
  if (text.length <= room) return text;
  const note = `\n… (cut; get_active_workflow {"session_id":"${sessionId}"} gives all of it)`;
  const head = text.slice(0, Math.max(0, room - note.length));
  const line = head.lastIndexOf('\n');
  return `${line > room / 2 ? head.slice(0, line) : head}${note}`;
}
