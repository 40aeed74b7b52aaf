// Whether the reviews of a submission may be skipped, by `quality_gate.overrides`. Where
// only a person may decide, the person is asked about exactly these files and this reason.
// A self-review ends with a reason as well, which is its verdict: one that says no ends
// nothing, whoever may override. Under a strict rule it is no override only if it is about
// exactly these files, which the code in the review file proves.

import type { OverrideRule } from '../core/overrides.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { type AcceptedMember, progressOf, type Session } from '../core/session/state.ts';
import { shownUpTo } from '../core/wording.ts';
import { onOneLine } from '../definitions/wording.ts';
import type { Settings } from '../environment/settings.ts';
import type { GateMember, OverrideAnswer } from '../gate/request.ts';
import { keyOf } from '../gate/review/tasks.ts';
import { askGrant } from './ask-grant.ts';
import type { CallContext } from './call-context.ts';
import { grantCode, reviewCode, wasAskedFor } from './review-code.ts';
import { VERDICT_UNCLEAR, verdictOn } from './review-verdict.ts';

export interface OverrideQuestion {
  readonly session: Session;
  readonly visit: number;
  readonly reason: string;
  readonly rule: OverrideRule;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

export async function mayOverride(
  context: CallContext,
  asked: OverrideQuestion,
  members: readonly GateMember[],
): Promise<OverrideAnswer> {
  const { session, visit, reason, rule, settings } = asked;
  if (settings.reviewer.kind === 'self') {
    const verdict = rule === 'agent' ? verdictIn(reason) : provenVerdict(asked, members);
    if (verdict === 'passed') return { kind: 'granted', grant: null };
    if (verdict === 'failed') return { kind: 'failed', feedback: REVIEW_FAILED };
    if (verdict === 'unclear') return { kind: 'refused', feedback: VERDICT_UNCLEAR };
  }
  if (rule === 'agent') return { kind: 'granted', grant: null };
  if (rule === 'never') throw new Refused(noOverrides(settings));
  const steps = members.map(({ step }) => step.id).join(', ');
  const files = members.map(outputsShown).join('; ');
  const code = grantCode(session, visit, members, reason);
  const question = `May the reviews of step ${steps} be skipped? ${session.jobName}/${session.workflowName}, session ${session.id}, outputs: ${shownUpTo(files, 500) || 'none'} (${code}). The agent says: ${shownUpTo(reason, 2000)}`;
  const about = { session: session.id, visit };
  const answer = await askGrant(context, settings, { question, about }, asked.signal);
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

const REVIEW_FAILED =
  'The review failed: fix the outputs, then let them be reviewed again (call finished_step without quality_review_override_reason).';
/** As the review file asks for it, or alone on its line: a test that failed is no verdict. */
const SAYS_PASSED = /\bPASSED\b|^[^\w\n]*[Pp]assed[^\w\n]*$/m;
const SAYS_FAILED = /\bFAILED\b|^[^\w\n]*[Ff]ailed[^\w\n]*$/m;

/**
 * What a reason says as the verdict of a self-review, about whatever files. Null: it is no
 * verdict, or two; one that speaks of both words may tell of a review that was repeated.
 */
function verdictIn(reason: string): 'passed' | 'failed' | null {
  const passed = SAYS_PASSED.test(reason);
  const failed = SAYS_FAILED.test(reason);
  if (passed === failed) return null;
  return passed ? 'passed' : 'failed';
}

/** Of a review that was really asked for: a code that nobody had to repeat proves nothing. */
function provenVerdict(
  { session, visit, reason }: OverrideQuestion,
  members: readonly GateMember[],
): ReturnType<typeof verdictOn> {
  const codes: string[] = [];
  for (const member of members) {
    const code = reviewCode(session, visit, member);
    if (!wasAskedFor(session, member, code)) return null;
    codes.push(code);
  }
  return verdictOn(codes, reason);
}

/** Each output with its files: what a person lets pass is what they become. */
function outputsShown({ outputs }: GateMember): string {
  return Object.entries(outputs)
    .map(([name, paths]) => `${name}: ${typeof paths === 'string' ? paths : paths.join(', ')}`)
    .map(onOneLine)
    .join('; ');
}

/** What the answer tells of reviews that were skipped. */
export function overrideWarnings(
  session: Session,
  skipped: readonly AcceptedMember[],
  { reviewer }: Settings,
): string[] {
  if (reviewer.kind === 'off') return [];
  return skipped.flatMap((member) => {
    const { step_id, files, override_reason: reason = '', override_grant: grant } = member;
    const asked = progressOf(session.progress, step_id)?.selfReview ?? null;
    return [
      ...(grant === undefined
        ? []
        : [
            `The reviews of step '${step_id}' were skipped, granted by ${grant.by} (${grant.question}).`,
          ]),
      // Its own review is what an agent is told to end with a reason: with the verdict.
      ...(grant === undefined && (reviewer.kind !== 'self' || verdictIn(reason) !== 'passed')
        ? [`The reviews of step '${step_id}' were skipped by the agent: ${shownUpTo(reason, 200)}`]
        : []),
      ...(asked === null || keyOf(asked.files) === keyOf(files)
        ? []
        : [
            `The files of step '${step_id}' changed after the review that its override speaks of was asked for.`,
          ]),
    ];
  });
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
