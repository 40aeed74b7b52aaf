// go_to_step: returns to the current or an earlier step. Later progress is cleared;
// files on disk stay as they are.

import * as z from 'zod';
import { decideGoBack } from '../core/session/decide.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import { listOf, OBJECT, TEXT } from '../engine/answer-schema.ts';
import { beginStep } from '../engine/begin-step.ts';
import type { CallContext } from '../engine/call-context.ts';
import { editionOf } from '../engine/definition-in-use.ts';
import { dismissAfterMove } from '../engine/ended-questions.ts';
import { requireGateForMove } from '../engine/gate-in-use.ts';
import { defineOperation, sessionParameter, text } from './operation.ts';

export const goToStep = defineOperation({
  name: 'go_to_step',
  description:
    'Return to the current or an earlier step. Files stay; progress from there on is cleared.',
  input: z.strictObject({ step_id: text('Which step'), session_id: sessionParameter() }),
  answer: { begin_step: OBJECT, invalidated_steps: listOf(TEXT) },
  readOnly: false,
  run: (context, input) => {
    const call = JSON.stringify(['go_to', context.owner.identity, input]);
    return context.workspace.answers.inTurn(call, context.afterAnswer, () =>
      goBack(context, input),
    );
  },
});

async function goBack(
  context: CallContext,
  input: { readonly step_id: string; readonly session_id?: string | null | undefined },
) {
  const { workspace, owner, afterAnswer } = context;
  const { store, stacks, clock, lostAnswers } = workspace;
  const claimed = await stacks.claim(owner, input.session_id ?? null);
  const { id, lastMove } = claimed;
  context.about?.(id);
  const edition = await editionOf(workspace, claimed);
  // The same call once more, because its answer was lost.
  if (lastMove?.to === input.step_id && (await lostAnswers.isLost({ id, ...lastMove }))) {
    lostAnswers.expect({ id, ...lastMove }, afterAnswer);
    const begin_step = await beginStep(claimed, edition);
    return { begin_step, invalidated_steps: lastMove.invalidated };
  }
  await requireGateForMove(context, claimed, edition);
  let invalidated: readonly string[] = [];
  const { prepared, session } = await store.commit(
    id,
    (now) => {
      if (now === null) return { kind: 'refused', refusal: noSuchSession(id) };
      const decision = decideGoBack(now, {
        at: clock(),
        by: owner,
        stepId: input.step_id,
        edition,
      });
      if (decision.kind === 'commit' && decision.event.type === 'went_back') {
        invalidated = decision.event.data.invalidated;
      }
      return decision;
    },
    (next) => beginStep(next, edition),
  );
  workspace.running.drop(id);
  await dismissAfterMove(workspace, session);
  lostAnswers.expect(session, afterAnswer);
  return { begin_step: prepared, invalidated_steps: invalidated };
}
