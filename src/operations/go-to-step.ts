// go_to_step: returns to the current or an earlier step. Later progress is cleared;
// files on disk stay as they are.

import * as z from 'zod';
import { decideGoBack } from '../core/session/decide.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import { beginStep } from './begin-step.ts';
import { editionOf } from './edition.ts';
import { defineOperation, optionalText, text } from './operation.ts';

export const goToStep = defineOperation({
  name: 'go_to_step',
  description:
    'Return to the current or an earlier step and redo from there. Files stay; progress from that step on is cleared.',
  input: z.strictObject({ step_id: text(), session_id: optionalText() }),
  answer: ['begin_step', 'invalidated_steps'],
  readOnly: false,
  async run({ workspace, owner }, input) {
    const { store, stacks, clock } = workspace;
    const { id, ...claimed } = await stacks.claim(owner, input.session_id ?? null);
    const edition = await editionOf(workspace, { id, ...claimed });
    let invalidated: readonly string[] = [];
    const { prepared } = await store.commit(
      id,
      (now) => {
        if (now === null) return { kind: 'refused', refusal: noSuchSession(id) };
        const decision = decideGoBack(now, {
          at: clock(),
          by: owner,
          stepId: input.step_id,
          edition,
        });
        if (decision.kind === 'event' && decision.event.type === 'went_back') {
          invalidated = decision.event.data.invalidated;
        }
        return decision;
      },
      (session) => beginStep(session, edition),
    );
    workspace.running.drop(id);
    return { begin_step: prepared, invalidated_steps: invalidated };
  },
});
