// Every submission of each step of a run, and what rules, checks, reviews and people said about it.

import { addTo } from '../core/groups.ts';
import type {
  AcceptedMember,
  Evidence,
  FailedMember,
  Judged,
  SessionEvent,
} from '../core/session/events.ts';
import { itemOf } from '../core/session/for-each.ts';
import type { Outputs } from '../core/session/state.ts';
import { TURNED_DOWN } from './fold-run.ts';
import type { StepSubmission } from './run.ts';

/** By step, oldest first. */
export function submissionsOf(
  events: readonly SessionEvent[],
): ReadonlyMap<string, StepSubmission[]> {
  const found = new Map<string, StepSubmission[]>();
  for (const [index, event] of events.entries()) {
    if (event.type !== 'judged') continue;
    const { accepted, failed = [] } = event.data;
    for (const member of [...accepted, ...failed]) {
      const submission = submissionOf(index + 1, event, member);
      const item = itemOf(member.step_id);
      for (const id of item === null ? [member.step_id] : [member.step_id, item.stepId]) {
        addTo(found, id, submission);
      }
    }
  }
  return found;
}

/** As they are counted everywhere (`fold-run.ts`): a request to have it reviewed is none. */
export function isTurnedDown({ accepted, waits }: StepSubmission): boolean {
  return !accepted && waits !== true;
}

type Member = AcceptedMember | FailedMember;

function submissionOf(seq: number, { at, data }: Judged, member: Member): StepSubmission {
  const isAccepted = !('stage' in member);
  const evidence = (data.evidence ?? []).filter(({ step_id }) => step_id === member.step_id);
  return {
    seq,
    at,
    accepted: isAccepted,
    ...(!isAccepted && !TURNED_DOWN.includes(member.stage) && { waits: true }),
    outputs: isAccepted ? listed(member.outputs) : sentOutputs(data.sent.outputs),
    files: member.files,
    said: [
      ...evidence.map(evidenceSaid),
      ...(isAccepted ? reviewSaid(member) : failedSaid(member, evidence)),
    ],
  };
}

type Said = StepSubmission['said'][number];

function evidenceSaid({ kind, name, passed, said }: Evidence): Said {
  return { kind, name, passed, text: said };
}

function reviewSaid(member: AcceptedMember): Said[] {
  const { self_review, override_reason: text, override_grant: grant } = member;
  if (self_review !== undefined) {
    return [{ kind: 'review', name: 'agent', passed: true, text: self_review }];
  }
  if (text === undefined) return [];
  return [{ kind: 'override', name: grant?.by ?? 'agent', passed: true, text }];
}

const KIND_OF: Readonly<Record<FailedMember['stage'], Said['kind']>> = {
  rules: 'rules',
  checks: 'check',
  review: 'review',
  self_review: 'review',
  self_review_failed: 'review',
  override_pending: 'override',
  override_refused: 'override',
};

/** The evidence already says why it failed; a request to review is not a failure. */
function failedSaid({ stage, feedback }: FailedMember, evidence: readonly Evidence[]): Said[] {
  if (evidence.some(({ passed }) => !passed) || feedback === '') return [];
  const waits = isAsked({ stage });
  const said = { kind: KIND_OF[stage], name: stage, passed: false, text: feedback };
  return [waits ? { ...said, waits } : said];
}

/** A review or a person has yet to judge it. */
function isAsked({ stage }: Pick<FailedMember, 'stage'>): boolean {
  return stage === 'self_review' || stage === 'override_pending';
}

function listed(outputs: Outputs): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, paths]) => [
      name,
      typeof paths === 'string' ? [paths] : paths,
    ]),
  );
}

/** As the agent sent them. Names and paths are valid, or nothing would have been judged. */
function sentOutputs(sent: unknown): Record<string, readonly string[]> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return {};
  return Object.fromEntries(
    Object.entries(sent).map(([name, paths]) => [
      name,
      (Array.isArray(paths) ? paths : [paths]).filter((each) => typeof each === 'string'),
    ]),
  );
}
