// Selects the events of a run that matter to someone who was away: which steps were done, what was
// turned down and why, who stepped in, how it ended. Checks that began, notes and hashes appear only
// in the run's own history.

import type { Evidence, FailedMember, Judged, SessionEvent } from '../core/session/events.ts';
import type { Session } from '../core/session/state.ts';
import { isAtTerminal } from '../core/session/terminal-caller.ts';
import { counted } from '../core/wording.ts';
import type { AgentNames } from './agent-names.ts';
import {
  actorOf,
  gateWords,
  grantWords,
  historyText,
  linesInOne,
  named,
  takenOverWords,
} from './event-words.ts';
import { TURNED_DOWN } from './fold-run.ts';
import type { RunQuestion } from './run.ts';
import { closedText, firstLine } from './run-questions.ts';

export type RecentKind =
  | 'started'
  | 'accepted'
  | 'turned_down'
  | 'reviews_skipped'
  | 'gate_weakened'
  | 'asked'
  | 'answered'
  | 'dismissed'
  | 'sent_back'
  | 'taken_over'
  | 'reminded'
  | 'let_go'
  | 'unattended'
  | 'turn'
  | 'out_of_quota'
  | 'stop_asked'
  | 'stopped'
  | 'completed'
  | 'aborted';

export interface RecentEvent {
  readonly at: string;
  readonly kind: RecentKind;
  readonly step_id: string | null;
  /** The agent or the person; null: the only agent here, or deepwork itself. */
  readonly by: string | null;
  /** One line. */
  readonly text: string;
  /** What turned it down and with which words, or the reason that was given. */
  readonly why: string | null;
  /** Of a turn, as the client reports it; otherwise absent. */
  readonly cost_usd?: number | null;
}

/** `before` and `after`: the session without and with the event. */
export function recentEventsOf(
  before: Session | null,
  event: SessionEvent,
  after: Session,
  names: AgentNames,
): RecentEvent[] {
  const by = actorOf(event, after, names);
  const said = (kind: RecentKind, text: string, more: Partial<RecentEvent> = {}): RecentEvent => ({
    at: event.at,
    kind,
    step_id: null,
    by,
    text,
    why: null,
    ...more,
  });
  const isEnd = after.status === 'completed' && before?.status !== 'completed';
  const ended = isEnd ? [said('completed', 'Completed')] : [];
  const change = 'gate' in event.data ? event.data.gate : undefined;
  const gate =
    typeof change === 'object' && 'now' in change
      ? gateWords(change).map((text) => said('gate_weakened', text))
      : [];
  switch (event.type) {
    case 'started': {
      const from = isAtTerminal(after.owner) ? ' from a terminal' : '';
      return [said('started', `Started${by === null ? from : ` by ${historyText(by)}`}`)];
    }
    case 'judged':
      return [...gate, ...judged(event, said), ...ended];
    case 'rejected': {
      const { name, to } = event.data;
      if (to === undefined) return gate;
      const text = `Back to ${named([to])}, because '${name}' was rejected`;
      return [...gate, said('sent_back', text, { step_id: to })];
    }
    case 'went_back': {
      const { to, person, reason } = event.data;
      const why = reason === undefined ? null : historyText(reason);
      const text =
        person === undefined
          ? `The agent went back to ${named([to])}`
          : withReason(`${historyText(person)} sent it back to ${named([to])}`, why);
      return [...gate, said('sent_back', text, { step_id: to, why })];
    }
    case 'gate_weakened': {
      const words = gateWords({ weakened: event.data.weakened });
      return words.map((text) => said('gate_weakened', `${text}. No person has agreed yet`));
    }
    case 'adopted':
      return [said('taken_over', takenOverWords(event.data.owner, names))];
    case 'nudged':
      return [said('reminded', 'The agent wanted to stop and was sent back')];
    case 'let_go': {
      const reminders = counted(event.data.nudges, 'reminder');
      return [said('let_go', `Let go after ${reminders}, with the step still open`)];
    }
    case 'aborted': {
      const { explanation, person } = event.data;
      const why = historyText(explanation);
      const who = person ?? by;
      return [
        said('aborted', `Aborted${who === null ? '' : ` by ${historyText(who)}`}: ${why}`, { why }),
      ];
    }
    default:
      return [...gate, ...ended];
  }
}

type Said = (kind: RecentKind, text: string, more?: Partial<RecentEvent>) => RecentEvent;

function judged({ data }: Judged, said: Said): RecentEvent[] {
  const { accepted, failed = [], evidence = [] } = data;
  const found: RecentEvent[] = [];
  for (const member of accepted) {
    const { step_id, override_reason, override_grant } = member;
    if (override_reason !== undefined) {
      const why = historyText(override_reason);
      const text = `Reviews of ${named([step_id])} were skipped${grantWords(override_grant)}: ${why}`;
      found.push(said('reviews_skipped', text, { step_id, why }));
    }
    found.push(said('accepted', `${named([step_id])} accepted`, { step_id }));
  }
  // One refusal for each submission that was turned down, however many members failed.
  const refused = failed.find(({ stage }) => TURNED_DOWN.includes(stage));
  if (refused !== undefined) {
    const { step_id } = refused;
    const why = whyTurnedDown(refused, evidence);
    found.push(
      said('turned_down', `${named([step_id])} was turned down by ${why}`, { step_id, why }),
    );
  }
  return found;
}

function withReason(text: string, why: string | null): string {
  return why === null ? text : `${text}: ${why}`;
}

function whyTurnedDown(
  { step_id, stage, feedback }: FailedMember,
  evidence: readonly Evidence[],
): string {
  const kind = stage === 'checks' ? 'check' : stage === 'review' ? 'review' : null;
  const against = evidence.find(
    (each) => each.kind === kind && each.step_id === step_id && !each.passed,
  );
  const [who, words] =
    against === undefined
      ? [STAGES[stage] ?? 'the gate', feedback]
      : [
          kind === 'check' ? `check '${against.name}'` : `the review of ${against.name}`,
          against.said,
        ];
  return words.trim() === '' ? who : `${who}: ${historyText(linesInOne(words))}`;
}

const STAGES: Partial<Readonly<Record<FailedMember['stage'], string>>> = {
  rules: 'the rules',
  checks: 'a check',
  review: 'a review',
  self_review_failed: "the agent's own review",
};

/** That it was asked and, if it is closed, how. It need not belong to a run. */
export function recentOfQuestion(question: RunQuestion): RecentEvent[] {
  const { id, text, asked_by, asked_at, outcome } = question;
  const common = { step_id: null, why: null };
  const asked: RecentEvent = {
    ...common,
    at: asked_at,
    kind: 'asked',
    by: asked_by,
    text: `${asked_by === null ? 'The agent' : historyText(asked_by)} asked ${id}: ${historyText(firstLine(text))}`,
  };
  if (outcome === null) return [asked];
  const { at, by, kind } = outcome;
  return [asked, { ...common, at, kind, by, text: historyText(closedText(id, outcome)) }];
}
