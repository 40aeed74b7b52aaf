// Recorded verdicts that are an error for the caller: the reviewer gave none, or no attempt is
// left. If the reviewer is at fault, the error says where the reviewer is configured.

import { refusedWith } from '../../core/refusal.ts';
import { progressOf } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import { shown } from '../../core/wording.ts';
import { findProgram } from '../../environment/process/program.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { adapterFor } from '../../gate/review/adapters/table.ts';
import { NO_VERDICT } from '../../gate/review/answer.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Workspace } from '../workspace.ts';

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

/** Where the reviewer is configured: people who read that it failed need to know what to change. */
async function describeReviewerSource(
  workspace: Workspace,
  { reviewer }: Settings,
): Promise<string> {
  const { paths, config, env } = workspace;
  switch (reviewer.kind) {
    case 'runner': {
      const { name, argv } = adapterFor(reviewer);
      const [program = ''] = argv('') ?? [];
      const found = findProgram(program, paths.root, env);
      const at = found === null ? `no ${program} was found on PATH` : `${found}, found on PATH`;
      return `The reviewer is the ${name} (${at}), chosen by the option --external-runner ${reviewer.runner} (externalRunner).`;
    }
    case 'command': {
      const command = `The reviewer is '${shown(reviewer.command)}'`;
      if (reviewer.from === 'option') {
        return `${command}, given by the option --quality-gate (agentReviewCommand).`;
      }
      const { agentReviewCommand } = await config();
      return agentReviewCommand === reviewer.command
        ? `${command}, named by quality_gate.agent_review_command in ${paths.config}.`
        : `${command}, which ${paths.config} named when the project was trusted (quality_gate.agent_review_command); deepwork trust --path ${paths.root} shows what it names now.`;
    }
    default:
      return '';
  }
}
