// Whether the reviews of a submission may be skipped, by `quality_gate.overrides`. Where
// only a person may decide, the person is asked about exactly these files and this reason.
// A self-review ends with a reason as well: under a strict rule that is no override if it
// is the verdict on exactly these files, which the code in the review file proves.

import type { OverrideRule } from '../core/overrides.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { type AcceptedMember, progressOf, type Session } from '../core/session/state.ts';
import { shownUpTo } from '../core/wording.ts';
import type { GateMember, OverrideAnswer } from '../gate/request.ts';
import { keyOf } from '../gate/review/tasks.ts';
import type { Settings } from '../workspace/settings.ts';
import { askGrant } from './ask-grant.ts';
import type { CallContext } from './operation.ts';

export interface OverrideQuestion {
  readonly session: Session;
  readonly visit: number;
  readonly reason: string;
  readonly rule: OverrideRule;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/** Begins the verdict of a self-review: equal only for the same files in the same visit. */
export function reviewCode(session: Session, visit: number, member: GateMember): string {
  const { step, files } = member;
  return keyOf(['self-review', session.id, visit, step.id, step.reviews, files]).slice(0, 8);
}

export async function mayOverride(
  context: CallContext,
  asked: OverrideQuestion,
  members: readonly GateMember[],
): Promise<OverrideAnswer> {
  const { session, visit, reason, rule, settings } = asked;
  if (rule === 'agent') return { kind: 'granted', grant: null };
  if (settings.reviewer.kind === 'self') {
    const codes = members.map((member) => reviewCode(session, visit, member));
    const isVerdict =
      codes.some((code) => reason.startsWith(code)) && codes.every((code) => reason.includes(code));
    if (isVerdict && /\bPASSED\b/.test(reason) && !/\bFAILED\b/.test(reason)) {
      return { kind: 'granted', grant: null };
    }
    if (isVerdict) {
      return {
        kind: 'refused',
        feedback:
          'The review did not pass. Fix what it found, then call finished_step again without quality_review_override_reason for a new review.',
      };
    }
  }
  if (rule === 'never') throw new Refused(noOverrides(settings));
  const steps = members.map(({ step }) => step.id).join(', ');
  const files = members.flatMap((member) => Object.keys(member.files)).join(', ');
  const code = keyOf([
    session.id,
    visit,
    reason,
    members.map((member) => [member.step.id, member.files]),
  ]).slice(0, 8);
  const question = `May the reviews of step ${steps} be skipped? ${session.jobName}/${session.workflowName}, session ${session.id}, files: ${shownUpTo(files, 500) || 'none'} (${code}). The agent says: ${shownUpTo(reason, 2000)}`;
  const answer = await askGrant(context, settings, question, asked.signal);
  switch (answer.kind) {
    case 'granted':
      return { kind: 'granted', grant: answer.grant, used: answer.used };
    case 'pending':
      return {
        kind: 'pending',
        feedback: `A person was asked whether the reviews of step ${steps} may be skipped (${answer.question}). Change nothing and call finished_step again with the same arguments to wait for the answer.`,
      };
    case 'refused':
      return {
        kind: 'refused',
        feedback: `${answer.by} refused to skip the reviews (${answer.question})${answer.words}. Call finished_step again without quality_review_override_reason.`,
      };
  }
}

/**
 * Where an agent may override, its reason may still be the verdict on other files than those
 * that it hands in: a review was asked for, and they changed since.
 */
export function staleReviews(session: Session, accepted: readonly AcceptedMember[]): string[] {
  return accepted.flatMap(({ step_id, files, override_reason: reason }) => {
    const asked = reason === undefined ? null : lastReviewAsked(session, step_id);
    if (asked === null || keyOf(asked.files) === keyOf(files)) return [];
    return [
      `The files of step '${step_id}' changed after the review that its override speaks of was asked for.`,
    ];
  });
}

function lastReviewAsked({ history, startedAt, progress }: Session, stepId: string) {
  const since = progressOf(progress, stepId)?.startedAt ?? startedAt;
  for (let at = history; at !== null && at.item.at >= since; at = at.earlier) {
    const { step_id, event } = at.item;
    if (step_id === stepId && event === 'self_review_requested') return at.item;
  }
  return null;
}

/** Said before anything runs, where it is clear already. */
export function noOverrides({ reviewer }: Settings) {
  return refuse(
    'override_refused',
    'Reviews cannot be overridden here',
    reviewer.kind === 'self'
      ? 'call finished_step without quality_review_override_reason for a review file; a reason counts only if it begins with the code in that file and states the verdict on exactly these files.'
      : 'call finished_step again without quality_review_override_reason.',
  );
}
