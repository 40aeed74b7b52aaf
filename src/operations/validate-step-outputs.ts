// validate_step_outputs: would finished_step take these? Looks at names, files and
// rules, runs nothing, changes nothing, adopts nothing.

import * as z from 'zod';
import { openRuleBudget } from '../core/rules/budget.ts';
import { hear, nothingSubmitted } from '../core/session/decide.ts';
import type { Json } from '../core/session/state.ts';
import { FLAG, listOf, TEXT } from '../engine/answer-schema.ts';
import { editionOf } from '../engine/definition-in-use.ts';
import { lookAtMembers } from '../engine/inspect-members.ts';
import { applicableReviews } from '../gate/review/tasks.ts';
import { judgeRules } from '../gate/rules.ts';
import { tellResults } from '../gate/verdict.ts';
import { defineOperation, optionalText, outputsParameter, sessionParameter } from './operation.ts';

export const validateStepOutputs = defineOperation({
  name: 'validate_step_outputs',
  description: 'Try outputs against the current step. Runs no check or review.',
  input: z.strictObject({
    outputs: outputsParameter('As for finished_step'),
    session_id: sessionParameter(),
    step_id: optionalText('Default: the current step'),
  }),
  answer: { valid: FLAG, problems: listOf(TEXT), not_run: listOf(TEXT) },
  readOnly: true,
  async run({ workspace, owner, signal, about }, input) {
    const { stacks, paths } = workspace;
    const session = await stacks.look(owner, input.session_id ?? null);
    about?.(session.id);
    const { workflow } = await editionOf(workspace, session);
    const heard = hear(
      // What was accepted before does not count: the question is about the current step.
      { ...session, lastAccepted: null },
      workflow,
      { outputs: input.outputs as Json, notes: null, stepId: input.step_id ?? null },
    );
    if (heard.kind !== 'run') {
      const problem = heard.kind === 'refused' ? heard.refusal.message : 'already accepted';
      return { valid: false, problems: [problem], not_run: [] };
    }
    const open = nothingSubmitted(session, heard);
    if (open !== null) return { valid: false, problems: [open], not_run: [] };
    const { members, problems } = await lookAtMembers(paths.root, heard, signal);
    const budget = openRuleBudget();
    for (const member of members) {
      const { broken } = await judgeRules(paths.root, member, session.context, budget);
      problems.push(...broken.map((result) => tellResults([result])));
    }
    const not_run = members.flatMap((member) => [
      ...member.step.checks.map((check) => check.name),
      ...applicableReviews(member).flatMap(({ criteria }) => criteria.map(({ name }) => name)),
    ]);
    return { valid: problems.length === 0, problems, not_run };
  },
});
