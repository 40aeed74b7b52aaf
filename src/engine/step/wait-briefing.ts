// What an agent gets at an entry where it has nothing to do itself: a person decides, or a nested
// session has to end first.

import { handedInBy } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import type { ApproveEntry, Entry, RunEntry } from '../../core/workflow.ts';
import type { StepBriefing } from '../answer-types.ts';

/** Null at an entry that has something to do. */
export function waitBriefing(session: Session, entry: Entry): StepBriefing | null {
  switch (entry.kind) {
    case 'approve':
      return {
        ...nothingToDo(entry),
        step_inputs: shown(session, entry),
        step_instructions: approvalText(entry),
      };
    case 'run': {
      const { at } = session.position;
      const id = at?.kind === 'run' ? at.session : '';
      const { runAborted } = session.position;
      const step_instructions =
        runAborted === undefined ? nestedText(entry, id) : abortedText(entry, runAborted);
      return { ...nothingToDo(entry), step_instructions };
    }
    default:
      return null;
  }
}

function nothingToDo({ name }: ApproveEntry | RunEntry): StepBriefing {
  const none = { step_inputs: [], step_expected_outputs: [], step_reports: [], step_reviews: [] };
  return { step_id: name, ...none, step_quality_criteria: [], step_instructions: '' };
}

/** The files that the person is asked about, as they were handed in. */
function shown(session: Session, { show }: ApproveEntry): StepBriefing['step_inputs'] {
  const handedIn = handedInBy(session);
  return show.map((ref) => {
    const paths = handedIn(ref).flatMap((each) => each.paths);
    const path = paths.length === 1 ? (paths[0] ?? null) : paths;
    const described = { name: ref.output, description: null, from_step: ref.step };
    return { ...described, path: paths.length === 0 ? null : path };
  });
}

function approvalText({ question, onReject }: ApproveEntry): string {
  return [
    `A person has to approve before the work goes on. The question is: ${question}`,
    'Do not work on anything meanwhile, and do not change the files that are shown: a change voids the question. Call finished_step with outputs {} to wait; while it answers needs_work with the reason waiting_for_person, call it again.',
    ...(onReject === null ? [] : [`If it is rejected, the work goes back to '${onReject.goTo}'.`]),
  ].join('\n\n');
}

function nestedText({ job, workflow }: RunEntry, id: string): string {
  return `Workflow '${job}/${workflow}' runs as session ${id}. This entry is complete when that session is: go on with its steps; get_active_workflow shows them. If no such session is active, call finished_step with outputs {} to go on here.`;
}

function abortedText({ name, job, workflow }: RunEntry, reason: string): string {
  return `Workflow '${job}/${workflow}' was run here and aborted: ${reason}\n\nCall go_to_step with step '${name}' to start it again, or with an earlier step, or abort_workflow.`;
}
