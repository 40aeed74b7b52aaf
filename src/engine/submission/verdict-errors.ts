// Recorded verdicts that are an error for the caller: the reviewer gave none, or no attempt is
// left. If the reviewer is at fault, the error says where the reviewer is configured.

import { refusedWith } from '../../core/refusal.ts';
import { progressOf } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { NO_VERDICT } from '../../gate/review/answer.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Workspace } from '../workspace.ts';
import { describeReviewerSource } from './reviewer-source.ts';

const LACKS_VERDICTS =
  'Where the reviewer gave no verdict, the reviewer is at fault, not the outputs: criteria_results in its answer must have a result for each criterion.';

function lacksVerdicts({ failedReviews }: Verdict): boolean {
  return failedReviews.some((review) =>
    review.criteria_results.some(({ feedback }) => feedback === NO_VERDICT),
  );
}

/** Empty if the reviewer worked as it should. */
export async function describeReviewerFault(
  workspace: Workspace,
  verdict: Verdict,
  settings: Settings,
): Promise<string> {
  const lacking = lacksVerdicts(verdict);
  if (verdict.faults.length === 0 && !lacking) return '';
  const where = await describeReviewerSource(workspace, settings);
  return lacking ? `${LACKS_VERDICTS} ${where}` : where;
}

/** Called after the outcome is recorded; refuses if it is an error for the caller. */
export function refuseFailedVerdict(
  session: Session,
  verdict: Verdict,
  maxAttempts: number,
  where: string,
): void {
  const { accepted, failed, faults } = verdict;
  if (faults.length > 0 && accepted.length === 0 && failed.length === 0) {
    throw refusedWith(
      'reviewer_failed',
      faults.join('; '),
      `no attempt was used up. ${where} Fix it, or ask your user to; then call finished_step again with the same outputs.`,
    );
  }
  const exhausted = failed.filter(
    ({ stage, step_id }) =>
      stage === 'review' && (progressOf(session, step_id)?.attempts ?? 0) >= maxAttempts,
  );
  if (exhausted.length === 0) return;
  const feedback = exhausted.map((member) => member.feedback).join('; ');
  throw refusedWith(
    'quality_gate_failed',
    `Quality gate failed after ${maxAttempts} attempts. Feedback: ${feedback}`,
    `${lacksVerdicts(verdict) ? `${where} Otherwise ` : ''}fix the outputs and call finished_step again, or ask your user whether to override (quality_review_override_reason), go_to_step or abort_workflow.`,
  );
}
