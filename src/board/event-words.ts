// Each event of a run in words: who did what, what each rule, check and review said of which
// bytes. The first line says what happened, the lines after it the details. Texts of agents are
// cut to a readable length here; `data` has them whole.

import type {
  Evidence,
  FailedMember,
  GateChange,
  Judged,
  MoveFields,
  SessionEvent,
} from '../core/session/events.ts';
import { describeWeakening, type Grant } from '../core/session/gate.ts';
import { progressOf } from '../core/session/progress.ts';
import { currentStepId, type Owner, type Session } from '../core/session/state.ts';
import { isAtTerminal } from '../core/session/terminal-caller.ts';
import type { VariableValues } from '../core/variables.ts';
import { counted, lastLines, shownUpTo, singleSpaced } from '../core/wording.ts';
import type { AgentNames } from './agent-names.ts';
import type { ShownEvent } from './run.ts';

const MAX_TEXT = 600;
const MAX_FILES = 10;
const SHORT_HASH = 8;

/** `before` and `after`: the session without and with the event. */
export function eventInWords(
  before: Session | null,
  event: SessionEvent,
  after: Session,
  names: AgentNames,
): ShownEvent {
  return {
    seq: after.seq,
    at: event.at,
    type: event.type,
    step_id: stepOf(before, event, after),
    by: actorOf(event, after, names),
    text: wordsFor(before, event, after, names).join('\n'),
    data: event.data as unknown as ShownEvent['data'],
  };
}

/** The agent that acted, or the person; null: it needs no name, or a client's hook wrote this. */
export function actorOf(event: SessionEvent, after: Session, names: AgentNames): string | null {
  if (event.type === 'nudged' || event.type === 'let_go') return null;
  if ('person' in event.data && event.data.person !== undefined) return event.data.person;
  const by: Owner | undefined = 'by' in event.data ? event.data.by : undefined;
  return names.ofOwner(by ?? after.owner);
}

function stepOf(before: Session | null, event: SessionEvent, after: Session): string | null {
  switch (event.type) {
    case 'checking':
    case 'checks_stopped':
    case 'reviewing':
      return event.data.step_ids[0] ?? null;
    case 'judged': {
      const { accepted, failed = [], voided = [] } = event.data;
      return (accepted[0] ?? failed[0])?.step_id ?? voided[0] ?? currentStepId(after);
    }
    case 'gate_weakened':
      return event.data.weakened[0]?.step_id ?? null;
    case 'went_back':
      return event.data.to;
    case 'asked':
    case 'approved':
    case 'rejected':
    case 'run_ended':
      return event.data.name;
    case 'loop_answered':
      return event.data.loop;
    default:
      return currentStepId(before ?? after);
  }
}

function wordsFor(
  before: Session | null,
  event: SessionEvent,
  after: Session,
  names: AgentNames,
): string[] {
  switch (event.type) {
    case 'started': {
      const { goal, skipped, inputs = {}, parent_session_id: parent } = event.data;
      const nested = parent === null ? '' : `, nested in ${parent}`;
      const first = `Started at ${named(openMembers(after))}${nested}`;
      return [
        first,
        `Goal: ${historyText(goal)}`,
        ...valuesWords('Inputs', inputs),
        ...skips(skipped),
      ];
    }
    case 'checking':
      return [`Checks of ${named(event.data.step_ids)} began`];
    case 'checks_stopped':
      return [`The gate of ${named(event.data.step_ids)} was cut short; nothing was judged`];
    case 'reviewing': {
      const { step_ids } = event.data;
      const attempts = step_ids.map((id) => (progressOf(after, id)?.attempts ?? 0) + 1);
      return [`Review ${Math.max(...attempts)} of ${named(step_ids)} began`];
    }
    case 'judged':
      return judgedWords(before ?? after, event, after);
    case 'asked':
      return [`A person was asked about '${event.data.name}' (${event.data.question})`];
    case 'approved': {
      const { name, answer, files } = event.data;
      const who =
        answer === undefined
          ? 'Approved before, with the same files'
          : `${historyText(answer.by)} approved it`;
      return [
        `${who}: '${name}'${onwardWords(event.data, after)}`,
        ...gateWords(event.data.gate),
        ...movedWords(event.data),
        ...filesWords(files),
      ];
    }
    case 'rejected': {
      const { name, answer, words, to, files } = event.data;
      const who =
        answer === undefined
          ? 'Rejected before, with the same files'
          : `${historyText(answer.by)} rejected it`;
      const back = to === undefined ? '' : `; back to ${named([to])}`;
      return [
        `${who}: '${name}'${back}`,
        ...(words === null ? [] : [`Said: ${historyText(words)}`]),
        ...gateWords(event.data.gate),
        ...filesWords(files),
      ];
    }
    case 'loop_answered': {
      const { loop, choice, words, answer } = event.data;
      const what = choice === 'one_more' ? 'wants one more pass of' : 'accepts the result of';
      const first = `${historyText(answer.by)} ${what} loop '${loop}'${onwardWords(event.data, after)}`;
      return [
        first,
        ...(words === null ? [] : [`Said: ${historyText(words)}`]),
        ...gateWords(event.data.gate),
        ...movedWords(event.data),
      ];
    }
    case 'run_ended': {
      const { name, session, aborted } = event.data;
      if (aborted !== undefined)
        return [`Run ${session} of '${name}' was aborted: ${historyText(aborted)}`];
      const done = `Run ${session} of '${name}' is complete${onwardWords(event.data, after)}`;
      return [done, ...gateWords(event.data.gate), ...movedWords(event.data)];
    }
    case 'gate_weakened':
      return [
        'The gate became weaker during the run, and no person has agreed yet',
        ...event.data.weakened.map((each) => historyText(describeWeakening(each))),
      ];
    case 'went_back': {
      const { from, to, invalidated, person, reason = '' } = event.data;
      const isSame = from === to;
      const others = isSame ? invalidated.filter((id) => id !== to) : invalidated;
      const again = others.length === 0 ? '' : `; to be done again: ${others.join(', ')}`;
      const where = `from ${named([from])} to ${named([to])}`;
      if (person === undefined) {
        const went = isSame ? `Began ${named([to])} again` : `Went back ${where}`;
        return [`${went}${again}`, ...gateWords(event.data.gate)];
      }
      const sent = isSame ? `told the agent to do ${named([to])} again` : `sent it back ${where}`;
      return [`${historyText(person)} ${sent}${again}`, `Reason: ${historyText(reason)}`];
    }
    case 'adopted':
      return [takenOverWords(event.data.owner, names)];
    case 'nudged':
      return [`The agent wanted to stop and was sent back (reminder ${event.data.nth})`];
    case 'let_go':
      return [`Let go after ${counted(event.data.nudges, 'reminder')}, with the step still open`];
    case 'stack_changed': {
      const { ended, person, reason } = event.data;
      return [
        `${historyText(person)} aborted run ${ended} of the same stack: ${historyText(reason)}`,
      ];
    }
    case 'informed':
      return [
        'The agent learned what the person had done; the call that it made was not carried out',
      ];
    case 'aborted': {
      const { explanation, person } = event.data;
      return [
        `${person === undefined ? 'Aborted' : `${historyText(person)} aborted it`}: ${historyText(explanation)}`,
      ];
    }
  }
}

export function takenOverWords(owner: Owner, names: AgentNames): string {
  const name = names.ofOwner(owner);
  if (name !== null) return `Taken over by ${historyText(name)}`;
  return isAtTerminal(owner) ? 'Taken over from a terminal' : 'Taken over by a restarted agent';
}

export function gateWords({ weakened = [], granted }: Partial<GateChange> = {}): string[] {
  const words = grantWords(granted);
  return weakened.map(
    (each) => `The gate became weaker: ${historyText(describeWeakening(each))}${words}`,
  );
}

function judgedWords(before: Session, { data }: Judged, after: Session): string[] {
  const { accepted, failed = [], evidence = [], voided = [], gate } = data;
  const lines: string[] = [outcomeOf(data, after)];
  if (data.definition !== undefined && data.definition !== before.definition) {
    lines.push('The definition was edited during the run; the run follows the new one');
  }
  lines.push(...gateWords(gate));
  const ofGate = evidence.filter((each) => untilOf(data, each) === undefined);
  lines.push(...ofGate.flatMap((each) => evidenceWords(each)));
  for (const member of failed)
    if (!hasEvidence(evidence, member)) lines.push(...failedWords(member));
  for (const member of accepted) {
    const { step_id, self_review, override_reason: reason, override_grant: grant } = member;
    if (reason !== undefined) {
      lines.push(
        `Reviews of ${named([step_id])} were skipped${grantWords(grant)}: ${historyText(reason)}`,
      );
    }
    if (self_review !== undefined) {
      lines.push(`The agent reviewed its own work: ${historyText(self_review)}`);
    }
    lines.push(...filesWords(member.files), ...valuesWords('Reports', member.reports ?? {}));
  }
  for (const { files } of failed) lines.push(...filesWords(files));
  if (data.sent.notes !== null) lines.push(`The agent's notes: ${historyText(data.sent.notes)}`);
  if (voided.length > 0) {
    lines.push(`The review of ${named(voided)} came to no verdict and does not count`);
  }
  return [...lines, ...movedWords(data, evidence)];
}

/** What it was found out about, if it is from the command of a loop. */
function untilOf({ untils = [] }: MoveFields, { kind, step_id }: Evidence) {
  return kind === 'check' ? untils.find(({ loop }) => loop === step_id) : undefined;
}

/** What was found out and passed over on the way. */
function movedWords(data: MoveFields, evidence: readonly Evidence[] = []): string[] {
  const { untils = [], skipped = [] } = data;
  const loops = untils.flatMap((until) => {
    const { loop, pass, done, said = '' } = until;
    const first = `Loop '${loop}' is ${done ? '' : 'not '}done after pass ${pass}`;
    const ran = evidence.find((each) => untilOf(data, each) === until);
    if (ran !== undefined) return [first, ...evidenceWords(ran)];
    return done ? [first] : withOutput(first, said);
  });
  return [...loops, ...skips(skipped)];
}

/** Where it went, with a semicolon in front; nothing if it stayed. */
function onwardWords({ position, completed, limit }: MoveFields, after: Session): string {
  if (completed) return '; the workflow is complete';
  if (limit !== undefined) return `; loop '${limit.loop}' waits for a person`;
  if (position === null) return '';
  const { at, loops } = after.position;
  const nested = at?.kind === 'run' ? `, run ${at.session}` : '';
  const pass = loops?.at(-1)?.pass;
  // In a loop of one step the next step has the same name.
  const again = pass === undefined ? '' : `, pass ${pass}`;
  return `; on to ${named(openMembers(after))}${again}${nested}`;
}

/** Of a thousand items only the first is named. */
function openMembers({ position: { members, at } }: Session): readonly string[] {
  return at?.kind === 'for_each' ? members.slice(0, 1) : members;
}

const STAGES: Readonly<Record<FailedMember['stage'], string>> = {
  rules: 'turned down by the rules',
  checks: 'turned down by a check',
  review: 'turned down by a review',
  self_review: 'handed in; the agent is to have it reviewed',
  self_review_failed: "turned down by the agent's own review",
  override_pending: 'waits for a person: may its reviews be skipped?',
  override_refused: 'may not skip its reviews',
};

function outcomeOf(data: Judged['data'], after: Session): string {
  const { accepted, failed = [] } = data;
  const parts: string[] = [];
  if (accepted.length > 0) parts.push(`${named(accepted.map((each) => each.step_id))} accepted`);
  for (const { step_id, stage } of failed) parts.push(`${named([step_id])} ${STAGES[stage]}`);
  if (parts.length === 0) parts.push('The submission was not judged');
  return `${parts.join('; ')}${onwardWords(data, after)}`;
}

function evidenceWords({ kind, name, passed, said, milliseconds }: Evidence): string[] {
  const what = kind === 'check' ? `Check '${name}'` : `Review of ${name}`;
  const seconds = (milliseconds / 1000).toFixed(1);
  const first = `${what} ${passed ? 'passed' : 'failed'} (${seconds} s)`;
  if (kind === 'check') return passed ? [first] : withOutput(first, said);
  return [said.trim() === '' ? first : `${first}: ${historyText(said)}`];
}

/** The first line of what was said, which is often an exit code, then its last lines. */
function withOutput(what: string, said: string): string[] {
  const [first = '', ...rest] = said.trim().split('\n');
  if (first === '') return [what];
  return [`${what}: ${historyText(first)}`, ...lastLines(rest.join('\n'), MAX_TEXT)];
}

/** What a check or a reviewer said is in the evidence already. */
function hasEvidence(evidence: readonly Evidence[], { step_id, stage }: FailedMember): boolean {
  const kind = stage === 'checks' ? 'check' : stage === 'review' ? 'review' : null;
  return evidence.some((each) => each.kind === kind && each.step_id === step_id && !each.passed);
}

/** How to have it reviewed is for the agent alone. */
function failedWords({ feedback, stage }: FailedMember): string[] {
  return feedback.trim() === '' || stage === 'self_review' ? [] : [historyText(feedback)];
}

function filesWords(files: Readonly<Record<string, string>>): string[] {
  const all = Object.entries(files).map(
    ([path, hash]) => `${path} (sha256 ${hash.slice(0, SHORT_HASH)}…)`,
  );
  if (all.length === 0) return [];
  const more = all.length > MAX_FILES ? `, and ${all.length - MAX_FILES} more` : '';
  return [`Files: ${all.slice(0, MAX_FILES).join(', ')}${more}`];
}

function valuesWords(what: string, values: VariableValues): string[] {
  const told = Object.entries(values).map(
    ([name, value]) => `${name} = ${[value].flat().join(', ')}`,
  );
  return told.length === 0 ? [] : [`${what}: ${historyText(told.join('; '))}`];
}

export function grantWords(grant: Grant | undefined): string {
  return grant === undefined ? '' : `, granted by ${grant.by} (${grant.question}, ${grant.route})`;
}

function skips(skipped: readonly string[]): string[] {
  return skipped.length === 0
    ? []
    : [`Skipped, because the condition does not hold: ${named(skipped)}`];
}

export function named(stepIds: readonly string[]): string {
  return stepIds.map((id) => `'${id}'`).join(', ');
}

/** What a program printed, with a sign where its lines ended. */
export function linesInOne(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' / ');
}

/** On one line, as long as a history has room for. */
export function historyText(text: string): string {
  return shownUpTo(singleSpaced(text), MAX_TEXT);
}
