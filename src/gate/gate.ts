// The gate between "I am done" and done. Each member of a submission goes through the
// stages in order, cheapest first: rules on the text of its files, then reviews. The
// first stage that fails answers, with everything that failed in it.
//
// (The shape of the outputs was judged before, in `outputs.ts`: a call that names the
// wrong files is an error of the call and does not reach the gate.)

import type { AcceptedMember, Context, FailedMember } from '../core/session/state.ts';
import type { Review, Step } from '../core/workflow.ts';
import type { MemberOutputs } from './outputs.ts';
import { judgeRules } from './rules.ts';
import { selfReviewFeedback, selfReviewFile } from './self-review.ts';
import type { CriterionResult, FailedReview, Verdict } from './verdict.ts';

export interface GateMember extends MemberOutputs {
  readonly step: Step;
  /** Output names that other members of the entry declare too. */
  readonly sharedNames: readonly string[];
}

export interface GateRequest {
  readonly root: string;
  readonly sessionId: string;
  readonly members: readonly GateMember[];
  readonly notes: string | null;
  /** Not blank; skips reviews and nothing else. */
  readonly overrideReason: string | null;
  readonly context: Context;
  readonly reviews: 'off' | 'self';
  /** Puts a file where the agent can read it; answers with its path. */
  readonly place: (name: string, text: string) => Promise<string>;
}

export async function judge(request: GateRequest): Promise<Verdict> {
  const accepted: AcceptedMember[] = [];
  const failed: FailedMember[] = [];
  const failedReviews: FailedReview[] = [];
  const failedCriteria: CriterionResult[] = [];
  for (const member of request.members) {
    const broken = await judgeRules(request.root, member, request.context);
    if (broken.length > 0) {
      failedCriteria.push(...broken);
      failed.push(failure(member, 'rules', feedbackOf(broken), broken));
      continue;
    }
    if (needsSelfReview(request, member)) {
      failed.push(await askForSelfReview(request, member));
      continue;
    }
    accepted.push({
      step_id: member.step.id,
      outputs: member.outputs,
      shared_names: member.sharedNames,
      files: member.files,
      override_reason: request.overrideReason,
    });
  }
  return { accepted, failed, failedReviews, failedCriteria };
}

/** Reviews that have something to look at: an optional output that was not given has not. */
export function applicableReviews(step: Step, member: MemberOutputs): readonly Review[] {
  return step.reviews.filter(
    ({ runEach }) => runEach === 'step' || Object.hasOwn(member.outputs, runEach),
  );
}

function needsSelfReview(request: GateRequest, member: GateMember): boolean {
  return (
    request.reviews === 'self' &&
    request.overrideReason === null &&
    applicableReviews(member.step, member).length > 0
  );
}

async function askForSelfReview(request: GateRequest, member: GateMember): Promise<FailedMember> {
  const reviews = applicableReviews(member.step, member);
  const step = { ...member.step, reviews };
  const { name, text } = selfReviewFile(request.sessionId, step, member, request.notes);
  const file = await request.place(name, text);
  return failure(member, 'self_review', selfReviewFeedback(file), []);
}

function failure(
  member: GateMember,
  stage: FailedMember['stage'],
  feedback: string,
  details: readonly CriterionResult[],
): FailedMember {
  return {
    step_id: member.step.id,
    stage,
    feedback,
    files: member.files,
    details: details.map((detail) => ({ ...detail })),
  };
}

function feedbackOf(results: readonly CriterionResult[]): string {
  return results
    .map(({ criterion, feedback }) => (feedback === null ? criterion : `${criterion} (${feedback})`))
    .join('; ');
}
