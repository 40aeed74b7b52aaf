// validate_step_outputs: whether finished_step would accept these outputs. Checks names, files and
// rules; runs nothing, changes nothing, takes over nothing.

import * as z from 'zod';
import { inSlices } from '../../async/slices.ts';
import { openPatternBudget } from '../../core/pattern-budget.ts';
import { openRuleBudget } from '../../core/rules/time-budget.ts';
import {
  nothingSubmitted,
  type ReadSubmission,
  readSubmission,
  type SubmissionReading,
} from '../../core/session/read-submission.ts';
import { notHandedIn } from '../../core/session/refusals.ts';
import type { Json, Session } from '../../core/session/state.ts';
import { describeSteering, mustInformAgent } from '../../core/session/steering.ts';
import { definitionInUse } from '../../engine/definition-in-use.ts';
import { findMemberFiles } from '../../engine/submission/inspect-members.ts';
import { applicableReviews } from '../../gate/review/tasks.ts';
import { judgeRules } from '../../gate/rules.ts';
import { describeResults } from '../../gate/verdict.ts';
import { FLAG, TEXTS } from '../answer-schema.ts';
import { optionalText, outputsParameter, sessionParameter } from '../parameters.ts';
import { defineJobTool } from './define.ts';

export const validateStepOutputs = defineJobTool({
  name: 'validate_step_outputs',
  description: 'Try outputs on the current step; runs no check or review.',
  input: z.strictObject({
    outputs: outputsParameter('As for finished_step'),
    session_id: sessionParameter(),
    step_id: optionalText('Default: current'),
  }),
  answer: { valid: FLAG, problems: TEXTS, not_run: TEXTS },
  readOnly: true,
  async run({ workspace, owner, signal, about }, input) {
    const { stacks, paths } = workspace;
    const session = await stacks.look(owner, input.session_id ?? null);
    about?.(session.id);
    const { steering } = session;
    // A caller that does not know what a person did means another step, or another run.
    if (steering !== null && mustInformAgent(session)) {
      return { valid: false, problems: [describeSteering(steering)], not_run: [] };
    }
    const inUse = await definitionInUse(workspace, session);
    const reading = readSubmission(
      // The call is about the current step, so the last accepted call does not count as a repeat.
      { ...session, lastAccepted: null },
      inUse,
      { outputs: input.outputs as Json, notes: null, stepId: input.step_id ?? null },
      openPatternBudget(),
    );
    const submitted = await inSlices(reading);
    if (submitted.kind !== 'run') {
      const problem = problemOf(session, submitted);
      return { valid: false, problems: [problem], not_run: [] };
    }
    const open = nothingSubmitted(session, submitted);
    if (open !== null) return { valid: false, problems: [open], not_run: [] };
    const { members, problems } = await findMemberFiles(paths.work, submitted, signal);
    const budget = openRuleBudget();
    const place = { root: paths.work, env: workspace.env };
    for (const member of members) {
      const { broken } = await judgeRules(place, member, session.context, budget);
      problems.push(...broken.map((result) => describeResults([result])));
    }
    const not_run = members.flatMap((member) => [
      ...member.step.checks.map((check) => check.name),
      ...applicableReviews(member).flatMap(({ criteria }) => criteria.map(({ name }) => name)),
    ]);
    return { valid: problems.length === 0, problems, not_run };
  },
});

function problemOf(
  session: Session,
  submitted: Exclude<SubmissionReading, ReadSubmission>,
): string {
  if (submitted.kind === 'refused') return submitted.refusal.message;
  return submitted.kind === 'waits' ? notHandedIn(session).message : 'already accepted';
}
