// Everything that must be true of a run.

import { checkQuestions } from './check-questions.ts';
import { checkTeam } from './check-team.ts';
import { checkWork } from './check-work.ts';
import type { Epoch, Loss } from './epochs.ts';
import { type CallRecord, type History, isLoss, isNotice } from './history.ts';
import type { Violation } from './violation.ts';

/** Work is refused for good reasons, which the model knows; the team never refuses these. */
const NEVER_REFUSED = [
  'send_message',
  'check_inbox',
  'check_outbox',
  'update_workflow_state',
  'project_todowrite',
  'project_todoread',
  'ask_user_question',
  'start_workflow',
];

export function checkEpoch(epoch: Epoch): Violation[] {
  return [
    ...checkRefusals(epoch.history),
    ...checkTeam(epoch),
    ...checkQuestions(epoch),
    ...checkWork(epoch),
  ];
}

/**
 * A lost journal is not reported more often than it was lost: by each process once for each
 * stream it knew.
 */
export function checkNotices({ calls }: History, losses: readonly Loss[]): Violation[] {
  const said = new Map<string, CallRecord[]>();
  for (const call of calls) {
    if (!call.answer?.isError || !isLoss(call.answer.text)) continue;
    const [stream = 'team'] = /session '[0-9a-f]{8}'/.exec(call.answer.text) ?? [];
    const key = `${call.server} of ${stream}`;
    said.set(key, [...(said.get(key) ?? []), call]);
  }
  return [...said].flatMap(([key, notices]) => {
    const last = notices.at(-1) as CallRecord;
    const happened = losses.filter(({ from }) => from < (last.end as number)).length;
    if (notices.length <= happened) return [];
    const what = `${key}: ${notices.length} times said that the journal was lost, which it was ${happened} times`;
    return [{ what, calls: notices, trace: [] }];
  });
}

function checkRefusals({ calls }: History): Violation[] {
  return calls
    .filter(
      ({ tool, answer }) => answer?.isError && !isNotice(answer) && NEVER_REFUSED.includes(tool),
    )
    .map((call) => ({
      what: `${call.tool} failed: ${call.answer?.text}`,
      calls: [call],
      trace: [],
    }));
}
