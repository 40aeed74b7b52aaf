// What the reason of a submission means for its reviews. If it begins with the code in the review
// file, it is the verdict of a self-review on exactly these files, and a verdict "failed" never passes
// the gate. Any other reason is to skip the reviews, which `quality_gate.overrides` allows or not. If
// only a person may decide, the person is asked about exactly these files and this reason.

import type { OverrideRule } from '../../core/overrides.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import type { AcceptedMember } from '../../core/session/events.ts';
import { progressOf } from '../../core/session/progress.ts';
import { VERDICT_UNCLEAR, verdictWithCodes } from '../../core/session/self-review-verdict.ts';
import type { Session } from '../../core/session/state.ts';
import { onOneLine, shownUpTo } from '../../core/wording.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { GateMember, OverrideAnswer } from '../../gate/request.ts';
import { keyOf } from '../../gate/review/tasks.ts';
import type { CallContext } from '../call-context.ts';
import { askGrant } from '../person/ask-grant.ts';
import { grantCode, reviewCode, wasAskedFor } from './review-code.ts';

export interface OverrideQuestion {
  readonly session: Session;
  readonly arrival: number;
  readonly reason: string;
  readonly rule: OverrideRule;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly timeLeft: () => number;
}

export async function mayOverride(
  context: CallContext,
  asked: OverrideQuestion,
  members: readonly GateMember[],
): Promise<OverrideAnswer> {
  const { session, arrival, reason, rule, settings } = asked;
  const key = context.workspace.reviewsKey();
  if (settings.reviewer.kind === 'self') {
    const verdict = provenVerdict(key, asked, members);
    if (verdict === 'passed') return { kind: 'reviewed', verdict: reason };
    if (verdict === 'failed') return { kind: 'failed', feedback: reviewFailed(reason) };
    if (verdict === 'unclear') return { kind: 'refused', feedback: VERDICT_UNCLEAR };
  }
  if (rule === 'agent') return { kind: 'granted', reason, grant: null };
  if (rule === 'never') throw new Refused(noOverrides(settings));
  const steps = members.map(({ step }) => step.id).join(', ');
  const files = members.map(outputsShown).join('; ');
  const code = grantCode(key, session, arrival, members, reason);
  const question = `May the reviews of step ${steps} be skipped? ${session.jobName}/${session.workflowName}, session ${session.id}, outputs: ${shownUpTo(files, 500) || 'none'}. The code of this question is ${code}. The agent says: ${shownUpTo(reason, 2000)}`;
  const about = { session: session.id, arrival, grants: 'override' } as const;
  const { signal } = asked;
  const wait = { signal, timeLeft: asked.timeLeft() };
  const answer = await askGrant(context, settings, { question, about }, wait);
  switch (answer.kind) {
    case 'granted':
      return { kind: 'granted', reason, grant: answer.grant, used: answer.used };
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

/** Includes what the review said, for those who continue with the step or read its history. */
function reviewFailed(reason: string): string {
  return `The review did not pass. It said: ${shownUpTo(reason, MAX_REVIEW_CHARS)}\nFix the outputs, then have them reviewed again (call finished_step without quality_review_override_reason).`;
}

const MAX_REVIEW_CHARS = 4000;

/** The verdict of a self-review that was really requested; null if the reason is none. */
function provenVerdict(
  key: Buffer,
  { session, arrival, reason }: OverrideQuestion,
  members: readonly GateMember[],
): ReturnType<typeof verdictWithCodes> {
  const codes: string[] = [];
  for (const member of members) {
    const code = reviewCode(key, session, arrival, member);
    if (!wasAskedFor(session, member, code)) return null;
    codes.push(code);
  }
  return verdictWithCodes(codes, reason);
}

/** Each output with its files: a person agrees to these files as these outputs. */
function outputsShown({ outputs, files }: GateMember): string {
  const shown = (path: string) => `${path} (sha256 ${files[path]?.slice(0, 12)})`;
  return Object.entries(outputs)
    .map(([name, paths]) => `${name}: ${[paths].flat().map(shown).join(', ')}`)
    .map(onOneLine)
    .join('; ');
}

/** What the answer reports about skipped reviews and doubtful verdicts. */
export function overrideWarnings(session: Session, accepted: readonly AcceptedMember[]): string[] {
  return accepted.flatMap((member) => {
    const { step_id, files, override_reason: reason, override_grant: grant } = member;
    if (reason === undefined && member.self_review === undefined) return [];
    const { selfReview: asked = null, failedFiles = null } = progressOf(session, step_id) ?? {};
    return [
      ...(grant === undefined
        ? []
        : [
            `The reviews of step '${step_id}' were skipped, granted by ${grant.by} (${grant.question}).`,
          ]),
      ...(grant === undefined && reason !== undefined
        ? [`The reviews of step '${step_id}' were skipped by the agent: ${shownUpTo(reason, 200)}`]
        : []),
      ...(asked === null || keyOf(asked.files) === keyOf(files)
        ? []
        : [
            `The files of step '${step_id}' have changed since the review that its override refers to was requested.`,
          ]),
      ...(failedFiles !== null && keyOf(failedFiles) === keyOf(files)
        ? [`The review of step '${step_id}' was said to have FAILED for the same files before.`]
        : []),
    ];
  });
}

/** Also used before anything runs, if it is already clear that no reason could count. */
export function noOverrides({ reviewer }: Settings) {
  return refuse(
    'override_refused',
    'Reviews cannot be overridden here',
    reviewer.kind === 'self'
      ? 'call finished_step without quality_review_override_reason for a review file; a reason counts only if it begins with the code in that file and states the verdict on exactly these files.'
      : 'call finished_step again without quality_review_override_reason.',
  );
}
