// abort_workflow: gives a session up, for a reason that stays on record.

import * as z from 'zod';
import { isBlank } from '../core/invisible.ts';
import { decideAbort } from '../core/session/decide.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import { currentStepId, workflowLabel } from '../core/session/state.ts';
import { stackItems } from '../sessions/stacks.ts';
import { defineOperation, optionalText, text } from './operation.ts';

export const abortWorkflow = defineOperation({
  name: 'abort_workflow',
  description: 'Give up a workflow that cannot be finished. The one below it on the stack resumes.',
  input: z.strictObject({
    explanation: text().refine((value) => !isBlank(value), { error: 'must not be blank' }),
    session_id: optionalText(),
  }),
  answer: ['aborted_workflow', 'aborted_step', 'explanation', 'resumed_workflow', 'resumed_step'],
  readOnly: false,
  async run({ workspace, owner }, input) {
    const { store, stacks, clock, running } = workspace;
    const { id } = await stacks.claim(owner, input.session_id ?? null);
    const { session } = await store.commit(
      id,
      (now) =>
        now === null
          ? { kind: 'refused', refusal: noSuchSession(id) }
          : decideAbort(now, { at: clock(), by: owner, explanation: input.explanation }),
      async () => null,
    );
    running.drop(id);
    const top = stackItems(await stacks.of(owner)).at(-1);
    return {
      aborted_workflow: workflowLabel(session),
      aborted_step: currentStepId(session),
      explanation: input.explanation,
      resumed_workflow: top?.workflow ?? null,
      resumed_step: top?.step ?? null,
    };
  },
});
