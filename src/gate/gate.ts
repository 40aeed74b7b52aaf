// The gate between "I am done" and done. The members of a submission go through the
// stages in order, cheapest first: rules on the text of their files, checks that the
// server runs, reviews. For each member the first stage that fails answers, with
// everything that failed in it. What ran is evidence, bound to the files it saw; what
// passed for the same files before is not run again.
//
// (The shape of the outputs was judged before, in `outputs.ts`: a call that names the
// wrong files is an error of the call and does not reach the gate.)

import { openRuleBudget } from '../core/rules/budget.ts';
import type { Grant } from '../core/session/gate.ts';
import type { AcceptedMember, Evidence, FailedMember } from '../core/session/state.ts';
import { checkKey, runCheck } from './checks.ts';
import { reporting } from './reporting.ts';
import type { GateMember, GateRequest } from './request.ts';
import { backgroundOf, changesIn } from './review/background.ts';
import { type Reviewed, reviewMembers } from './review/stage.ts';
import { applicableReviews } from './review/tasks.ts';
import { judgeRules } from './rules.ts';
import { selfReviewFeedback, selfReviewFile } from './self-review.ts';
import {
  type CriterionResult,
  type FailedReview,
  failure,
  tellResults,
  type Verdict,
} from './verdict.ts';

export async function judge(request: GateRequest): Promise<Verdict> {
  const failed: FailedMember[] = [];
  const failedCriteria: CriterionResult[] = [];
  const evidence: Evidence[] = [];

  const fail = (
    member: GateMember,
    stage: FailedMember['stage'],
    results: readonly CriterionResult[],
    feedback: string,
  ) => {
    failedCriteria.push(...results);
    failed.push(failure(member, stage, feedback, results));
  };

  const lawful: GateMember[] = [];
  const budget = openRuleBudget();
  for (const member of request.members) {
    const { broken, feedback } = await judgeRules(request.root, member, request.context, budget);
    if (broken.length > 0) fail(member, 'rules', broken, feedback);
    else lawful.push(member);
  }

  const checked: GateMember[] = [];
  for (const member of lawful) {
    const ran = await runChecks(request, member);
    evidence.push(...ran);
    const broken = ran.filter((each) => !each.passed).map(checkResult);
    if (broken.length > 0) fail(member, 'checks', broken, tellResults(broken));
    else checked.push(member);
  }

  const reviewed = await reviewStage(request, checked);
  failed.push(...reviewed.failed);
  return {
    accepted: reviewed.passed.map((member) =>
      accept(member, request.overrideReason, reviewed.grant ?? null),
    ),
    ...(reviewed.used && { overrideUsed: reviewed.used }),
    failed,
    evidence: [...evidence, ...reviewed.evidence],
    voided: reviewed.voided,
    faults: reviewed.faults,
    failedReviews: reviewed.failedReviews,
    failedCriteria: [...failedCriteria, ...reviewed.failedCriteria],
  };
}

async function runChecks(request: GateRequest, member: GateMember): Promise<Evidence[]> {
  const { root, signal } = request;
  const { checks } = member.step;
  if (checks.length === 0) return [];
  await request.requireTrust(member.step);
  const ran: Evidence[] = [];
  for (const [index, check] of checks.entries()) {
    if (request.passed.includes(checkKey(member, check))) continue;
    const label = `check ${index + 1} of ${checks.length}: ${check.name}`;
    ran.push(
      await reporting(request.progress, label, () => runCheck({ root, member, signal }, check)),
    );
  }
  return ran;
}

interface ReviewStage extends Reviewed {
  readonly failedCriteria: readonly CriterionResult[];
  /** A person who let the reviews be skipped. */
  readonly grant?: Grant | null;
  readonly used?: (() => Promise<void>) | undefined;
}

const STAGE_OF = {
  pending: 'override_pending',
  refused: 'override_refused',
  failed: 'self_review_failed',
} as const;

async function reviewStage(
  request: GateRequest,
  members: readonly GateMember[],
): Promise<ReviewStage> {
  const nothing = {
    failed: [] as FailedMember[],
    failedReviews: [] as FailedReview[],
    failedCriteria: [] as CriterionResult[],
    evidence: [],
    voided: [],
    faults: [],
  };
  const { reviewer } = request;
  const unreviewed = members.filter((member) => applicableReviews(member).length === 0);
  const toReview = members.filter((member) => applicableReviews(member).length > 0);
  if (reviewer.kind === 'off' || toReview.length === 0) return { ...nothing, passed: members };
  if (request.overrideReason !== null) {
    const answer = await request.mayOverride(toReview);
    if (answer.kind === 'granted') return { ...nothing, passed: members, ...answer };
    const stage = STAGE_OF[answer.kind];
    const [first, ...others] = toReview.map((member) =>
      failure(member, stage, answer.feedback, []),
    );
    // One question was asked about all of them: it is reported once.
    const failed = [
      ...(first ? [first] : []),
      ...others.map((each) => ({ ...each, feedback: '' })),
    ];
    return { ...nothing, passed: unreviewed, failed };
  }
  if (reviewer.kind === 'self') {
    const asked: FailedMember[] = [];
    for (const member of toReview) asked.push(await askForSelfReview(request, member));
    return { ...nothing, passed: unreviewed, failed: asked };
  }
  const reviewed = await reviewMembers(request, reviewer, toReview);
  return {
    ...reviewed,
    passed: [...unreviewed, ...reviewed.passed],
    failedCriteria: reviewed.failedReviews.flatMap((review) => criterionTexts(review, toReview)),
  };
}

async function askForSelfReview(request: GateRequest, member: GateMember): Promise<FailedMember> {
  const step = { ...member.step, reviews: applicableReviews(member) };
  const code = request.reviewCode?.(member) ?? null;
  const { name, text } = selfReviewFile(request.sessionId, step, member, {
    notes: request.notes,
    code,
    background: await backgroundOf(request, member),
    changes: await changesIn(
      request,
      Object.keys(member.files).map((path) => ({ path })),
    ),
  });
  const file = await request.place(name, text);
  const asked = failure(member, 'self_review', selfReviewFeedback(file, code), []);
  return code === null ? asked : { ...asked, code };
}

/** Failed criteria are told by their text; reviewers speak of them by name. */
function criterionTexts(review: FailedReview, members: readonly GateMember[]): CriterionResult[] {
  const texts = new Map(
    members.flatMap(({ step }) =>
      step.reviews.flatMap(({ criteria }) =>
        criteria.map(({ name, text }) => [name, text] as const),
      ),
    ),
  );
  return review.criteria_results
    .filter(({ passed }) => !passed)
    .map((result) => ({ ...result, criterion: texts.get(result.criterion) ?? result.criterion }));
}

function accept(
  member: GateMember,
  overrideReason: string | null,
  grant: Grant | null,
): AcceptedMember {
  return {
    step_id: member.step.id,
    outputs: member.outputs,
    files: member.files,
    ...(member.sharedNames.length > 0 && { shared_names: member.sharedNames }),
    ...(overrideReason !== null && { override_reason: overrideReason }),
    ...(grant !== null && applicableReviews(member).length > 0 && { override_grant: grant }),
  };
}

function checkResult({ name, said }: Evidence): CriterionResult {
  return { criterion: name, passed: false, feedback: said };
}
