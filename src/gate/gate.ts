// The gate that a finished step has to pass. The members of a submission go through the
// stages in order, cheapest first: rules on the text of their files, checks that the server
// runs, reviews. Each member gets the result of its first failing stage, with everything that
// failed there. Results are evidence, bound to the files they saw; what passed before for the
// same files is not run again.
//
// (The shape of the outputs is validated earlier, in `outputs.ts`: a call that names the
// wrong files is an error of the call and does not reach the gate.)

import { openRuleBudget } from '../core/rules/time-budget.ts';
import type { AcceptedMember, Evidence, FailedMember } from '../core/session/events.ts';
import { checkKey, runCheck } from './checks.ts';
import { type CriterionResult, failedCriterion } from './criterion-result.ts';
import { reporting } from './reporting.ts';
import type { GateMember, GateRequest, OverrideAnswer } from './request.ts';
import { changesIn, reviewContextOf } from './review/review-context.ts';
import { type Reviewed, reviewMembers } from './review/stage.ts';
import { applicableReviews } from './review/tasks.ts';
import { judgeRules } from './rules.ts';
import { selfReviewFeedback, selfReviewFile } from './self-review.ts';
import { describeResults, type FailedReview, failure, type Verdict } from './verdict.ts';

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

  const withinRules: GateMember[] = [];
  const budget = openRuleBudget();
  for (const member of request.members) {
    const { broken, feedback } = await judgeRules(request, member, request.context, budget);
    if (broken.length > 0) fail(member, 'rules', broken, feedback);
    else withinRules.push(member);
  }

  const checked: GateMember[] = [];
  const began = once(() => request.checksBegin(stepsToCheck(request, withinRules)));
  for (const member of withinRules) {
    const ran = await runChecks(request, member, began);
    evidence.push(...ran);
    const broken = ran
      .filter((each) => !each.passed)
      .map(({ name, said }) => failedCriterion(name, said));
    // An answer has both, and what was printed is long: it is in the feedback alone.
    const inShort = broken.map((each) => ({ ...each, feedback: firstLine(each.feedback ?? '') }));
    if (broken.length > 0) fail(member, 'checks', inShort, describeResults(broken));
    else checked.push(member);
  }

  const reviewed = await reviewStage(request, checked);
  failed.push(...reviewed.failed);
  return {
    accepted: reviewed.passed.map((member) => accept(member, reviewed.override)),
    ...(reviewed.override?.kind === 'granted' && { overrideUsed: reviewed.override.used }),
    failed,
    evidence: [...evidence, ...reviewed.evidence],
    voided: reviewed.voided,
    faults: reviewed.faults,
    failedReviews: reviewed.failedReviews,
    failedCriteria: [...failedCriteria, ...reviewed.failedCriteria],
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string;
}

function stepsToCheck({ passed }: GateRequest, members: readonly GateMember[]): string[] {
  return members
    .filter((member) => member.step.checks.some((each) => !passed.includes(checkKey(member, each))))
    .map(({ step }) => step.id);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= act();
    return done;
  };
}

async function runChecks(
  request: GateRequest,
  member: GateMember,
  began: () => Promise<void>,
): Promise<Evidence[]> {
  const { root, env, signal, inputs = {} } = request;
  const { checks } = member.step;
  if (checks.length === 0) return [];
  await request.requireTrust(member.step);
  const ran: Evidence[] = [];
  for (const [index, check] of checks.entries()) {
    if (request.passed.includes(checkKey(member, check))) continue;
    await began();
    const label = `check ${index + 1} of ${checks.length}: ${check.name}`;
    ran.push(
      await reporting(request.progress, label, () =>
        runCheck({ root, env, member, signal, inputs }, check),
      ),
    );
  }
  return ran;
}

interface ReviewStage extends Reviewed {
  readonly failedCriteria: readonly CriterionResult[];
  /** What took the place of the reviews. */
  readonly override?: Override;
}

type Override = Extract<OverrideAnswer, { kind: 'granted' | 'reviewed' }>;

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
    if (answer.kind === 'granted' || answer.kind === 'reviewed') {
      return { ...nothing, passed: members, override: answer };
    }
    const stage = STAGE_OF[answer.kind];
    // One question covers all of them, so it is reported once.
    const failed = toReview.map((member, index) =>
      failure(member, stage, index === 0 ? answer.feedback : '', []),
    );
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
  const code = request.reviewCode(member);
  const { name, text } = selfReviewFile(request.sessionId, step, member, {
    notes: request.notes,
    code,
    reviewContext: await reviewContextOf(request, member),
    changes: await changesIn(
      request,
      Object.keys(member.files).map((path) => ({ path })),
    ),
  });
  const file = await request.place(name, text);
  return { ...failure(member, 'self_review', selfReviewFeedback(file), []), code };
}

/** Reports failed criteria by their text; reviewers refer to them by name. */
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

function accept(member: GateMember, override: Override | undefined): AcceptedMember {
  const { reports = {} } = member;
  const isReviewed = applicableReviews(member).length > 0;
  return {
    step_id: member.step.id,
    outputs: member.outputs,
    files: member.files,
    ...(Object.keys(reports).length > 0 && { reports }),
    ...(member.sharedNames.length > 0 && { shared_names: member.sharedNames }),
    ...(isReviewed && override !== undefined && insteadOfReviews(override)),
  };
}

function insteadOfReviews(override: Override): Partial<AcceptedMember> {
  if (override.kind === 'reviewed') return { self_review: override.verdict };
  const { reason, grant } = override;
  return { override_reason: reason, ...(grant !== null && { override_grant: grant }) };
}
