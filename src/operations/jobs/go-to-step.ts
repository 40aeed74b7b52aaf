// go_to_step: returns to the current or an earlier step. Later progress is cleared;
// files on disk stay as they are.

import * as z from 'zod';
import { decideGoBack } from '../../core/session/decide.ts';
import type { Session } from '../../core/session/state.ts';
import type { BeginStep } from '../../engine/answer-types.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { definitionInUse } from '../../engine/definition-in-use.ts';
import { commitMove } from '../../engine/entries/commit-move.ts';
import { clearStack, follow } from '../../engine/entries/follow.ts';
import { requireInformed } from '../../engine/inform-agent.ts';
import { beginStep } from '../../engine/step/begin-step.ts';
import { placeWarnings } from '../../engine/step/place-warnings.ts';
import { requireGate } from '../../engine/submission/gate-in-use.ts';
import { optionalMember, TEXTS } from '../answer-schema.ts';
import { sessionParameter, textParameter } from '../parameters.ts';
import { BEGIN_STEP } from './begin-step-schema.ts';
import { defineJobTool, inTurn } from './define.ts';

const INPUT = z.strictObject({ step_id: textParameter('Step'), session_id: sessionParameter() });

export const goToStep = defineJobTool({
  name: 'go_to_step',
  description: 'Return to a step; files stay.',
  input: INPUT,
  answer: { begin_step: BEGIN_STEP, invalidated_steps: TEXTS, warnings: optionalMember(TEXTS) },
  readOnly: false,
  run: inTurn('go_to', goBack),
});

interface WentBack {
  readonly begin_step: BeginStep;
  readonly invalidated_steps: readonly string[];
  readonly warnings?: readonly string[];
}

async function goBack(context: CallContext, input: z.infer<typeof INPUT>): Promise<WentBack> {
  const { workspace, owner, afterAnswer } = context;
  const { stacks, clock, lostAnswers } = workspace;
  await clearStack(context);
  const claimed = await stacks.claim(owner, input.session_id ?? null);
  const { id, lastMove } = claimed;
  context.about?.(id);
  await requireInformed(context, claimed);
  const inUse = await definitionInUse(workspace, claimed);
  // A repeated call whose answer was lost.
  if (lastMove?.to === input.step_id && (await lostAnswers.isLost({ id, ...lastMove }))) {
    lostAnswers.expect({ id, ...lastMove }, afterAnswer);
    const lead = (await follow(context, claimed)) ?? { session: claimed, inUse };
    const begin_step = await beginStep(lead.session, lead.inUse);
    const invalidated_steps = lastMove.invalidated;
    return { begin_step, invalidated_steps, ...(await warningsFor(context, claimed)) };
  }
  const gate = await requireGate(context, claimed, inUse);
  let invalidated: readonly string[] = [];
  const { prepared, session } = await commitMove(
    context,
    {
      id,
      inUse,
      gate,
      decide(now, { facts }) {
        const command = {
          at: clock(),
          by: owner,
          stepId: input.step_id,
          inUse,
          facts,
          ...(gate.change !== null && { gate: gate.change }),
        };
        const decision = decideGoBack(now, command);
        if (decision.kind === 'commit' && decision.event.type === 'went_back') {
          invalidated = decision.event.data.invalidated;
        }
        return decision;
      },
    },
    (_, lead) => beginStep(lead.session, lead.inUse),
  );
  lostAnswers.expect(session, afterAnswer);
  return {
    begin_step: prepared,
    invalidated_steps: invalidated,
    ...(await warningsFor(context, session, gate.warnings)),
  };
}

/** Left out if there are none. */
async function warningsFor(context: CallContext, session: Session, given: readonly string[] = []) {
  const warnings = [...given, ...(await placeWarnings(context, session))];
  return warnings.length === 0 ? {} : { warnings };
}
