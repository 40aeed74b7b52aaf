// The capsule: all that an agent needs to go on with a run after it lost its context, in at most
// 8,000 characters. It says what `get_active_workflow` says, in the order in which it is needed.
// Instructions fill the space that is left; where they are cut, the capsule says how to get the rest.

import { openStepId } from '../core/session/progress.ts';
import { type Session, workflowLabel } from '../core/session/state.ts';
import { completedSteps } from '../core/session/view.ts';
import { shownUpTo } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import { reportsToGive, surroundings } from './capsule-entries.ts';
import { expectedOutputs, nextCall } from './next-call.ts';

const MAX_CAPSULE = 8000;
const MAX_GOAL = 800;
const MAX_FEEDBACK = 1200;
const MAX_OUTPUTS = 1200;
const MAX_CHECKS = 300;
const MAX_CRITERIA = 1000;
const MAX_COMMON = 1200;
const MAX_DONE = 1000;
const MAX_BELOW = 300;

export function writeCapsule(
  session: Session,
  workflow: Workflow,
  begin: BeginStep,
  below: readonly Session[],
): string {
  const place = `step ${session.position.entryIndex + 1} of ${workflow.entries.length}`;
  const before = [
    'deepwork: you are in the middle of a workflow. Go on with it; do not start over.',
    `Workflow: ${workflowLabel(session)}, ${place}: '${openStepId(session)}' (session ${session.id})`,
    `Goal: ${shownUpTo(session.goal, MAX_GOAL)}`,
    ...common(begin),
    ...nestedIn(below),
    ...done(session),
    ...surroundings(begin),
    ...inputs(begin),
  ].join('\n');
  const after = [
    'To hand in:',
    shownUpTo(expectedOutputs(begin).join('\n') || '(no outputs)', MAX_OUTPUTS),
    ...checks(begin),
    ...criteria(begin),
    ...reportsToGive(begin),
    ...others(begin),
    ...(session.position.feedback === null
      ? []
      : [`Last feedback: ${shownUpTo(session.position.feedback, MAX_FEEDBACK)}`]),
    `Next call, when the step is done: ${nextCall(begin)}`,
  ].join('\n');
  const room = MAX_CAPSULE - before.length - after.length - 100;
  const instructions = cutInstructions(begin.step_instructions.trim(), room, session.id);
  return `${before}\n\nInstructions of this step:\n${instructions}\n\n${after}`.slice(
    0,
    MAX_CAPSULE,
  );
}

function nestedIn(below: readonly Session[]): string[] {
  if (below.length === 0) return [];
  const names = below.map((each) => `${workflowLabel(each)} (session ${each.id})`).reverse();
  return [
    shownUpTo(`It is nested in ${names.join(', in ')}; that one goes on afterwards.`, MAX_BELOW),
  ];
}

function done(session: Session): string[] {
  const steps = completedSteps(session).map(({ stepId, outputs }) => {
    const paths = Object.values(outputs).flat();
    return `- ${stepId}${paths.length === 0 ? '' : `: ${paths.join(', ')}`}`;
  });
  if (steps.length === 0) return [];
  // The newest steps matter most.
  const kept: string[] = [];
  let length = 0;
  for (const line of steps.toReversed()) {
    length += line.length + 1;
    if (length > MAX_DONE) break;
    kept.unshift(line);
  }
  const left = steps.length - kept.length;
  return ['Done so far:', ...(left > 0 ? [`- ${left} earlier steps`] : []), ...kept];
}

function inputs({ step_inputs }: BeginStep): string[] {
  const given = step_inputs.flatMap(({ name, path, value = null }) => {
    const what = path ?? value;
    return what === null ? [] : [`- ${name}: ${[what].flat().join(', ')}`];
  });
  return given.length === 0
    ? []
    : ['Inputs of this step:', shownUpTo(given.join('\n'), MAX_OUTPUTS)];
}

function checks({ step_checks = [] }: BeginStep): string[] {
  if (step_checks.length === 0) return [];
  return [`Checks that the server runs on it: ${shownUpTo(step_checks.join(', '), MAX_CHECKS)}`];
}

function common({ common_job_info }: BeginStep): string[] {
  const text = common_job_info.trim();
  return text === '' ? [] : [`For every step: ${shownUpTo(text, MAX_COMMON)}`];
}

function criteria({ step_reviews }: BeginStep): string[] {
  const lines = step_reviews.flatMap(({ quality_criteria }) =>
    Object.entries(quality_criteria).map(([name, text]) => `- ${name}: ${text}`),
  );
  return lines.length === 0
    ? []
    : ['Reviewers judge it by:', shownUpTo(lines.join('\n'), MAX_CRITERIA)];
}

function others({ concurrent_steps }: BeginStep): string[] {
  if (concurrent_steps.length === 0) return [];
  const ids = concurrent_steps.map(({ step_id }) => step_id).join(', ');
  return [
    `To be done beside it: ${shownUpTo(ids, 300)}. get_active_workflow has their instructions.`,
  ];
}

function cutInstructions(text: string, room: number, sessionId: string): string {
  if (text.length <= room) return text;
  const note = `\n… (cut; get_active_workflow {"session_id":"${sessionId}"} gives all of it)`;
  const head = text.slice(0, Math.max(0, room - note.length));
  const line = head.lastIndexOf('\n');
  return `${line > room / 2 ? head.slice(0, line) : head}${note}`;
}
