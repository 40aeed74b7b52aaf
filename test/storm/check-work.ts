// Whether the work of every agent could have happened one call after the other: which session,
// which step, and which answer. The streams say which changes there were; the model says which of
// them were legal, and what had to be answered.

import type { Epoch } from './epochs.ts';
import { type CallRecord, effectiveEnd } from './history.ts';
import { linearize } from './linearize.ts';
import {
  lineOf,
  listAll,
  replay,
  type Session,
  type WorkInput,
  type WorkOp,
  type WorkOutput,
  type WorkState,
  workModel,
} from './model.ts';
import type { Streams } from './streams.ts';
import { agentOfMark, noOrder, type Recorded, type Violation } from './violation.ts';

const TOOLS = [
  'start_workflow',
  'finished_step',
  'validate_step_outputs',
  'go_to_step',
  'abort_workflow',
  'get_active_workflow',
];
const READING = ['get_active_workflow', 'validate_step_outputs'];

/** A session with a mark, and who acted. */
interface Marked {
  readonly session: string;
  readonly by: string;
  /** A submission that its review holds up: the same again is one more. */
  readonly isHeld: boolean;
}

type Marks = ReadonlyMap<string, readonly Marked[]>;

export function checkWork(epoch: Epoch): Violation[] {
  const { history, final } = epoch;
  const marks = marksIn(final);
  const old = marksIn(epoch.initial);
  const logs = new Map(
    [...final.sessions].map(([id, events]) => [
      id,
      events.map(lineOf).filter((line) => line !== null),
    ]),
  );
  const violations = [...checkStreams(final), ...checkOwners(final, marks)];
  const sent = new Set(history.calls.map(sentMark));
  for (const mark of marks.keys()) {
    if (sent.has(mark) || old.has(mark)) continue;
    violations.push({ what: `No call sent '${mark}'`, calls: [], trace: [mark] });
  }
  for (const agent of new Set(history.calls.map((call) => call.agent))) {
    const calls = history.calls.filter((call) => call.agent === agent && TOOLS.includes(call.tool));
    if (calls.length === 0) continue;
    violations.push(...checkMarks(calls, marks));
    const operations = calls.flatMap((call) => operationOf(epoch, calls, call, marks, old) ?? []);
    const last: WorkOp & Recorded = {
      name: 'the streams in the end',
      start: Number.MAX_VALUE,
      end: null,
      input: { kind: 'all', session: null, again: false },
      output: { kind: 'all', sessions: listAll(stateOf(sessionsOf(agent, final))) },
      call: null,
    };
    const impasse = linearize<WorkState, WorkOp & Recorded>(
      [...operations, last],
      workModel(statesOf(agent, epoch.initial), logs),
    );
    if (impasse !== null) violations.push(noOrder(`the work of ${agent}`, impasse));
  }
  return violations;
}

/** Every stream is a legal way through its workflow. */
function checkStreams({ sessions }: Streams): Violation[] {
  return [...sessions].flatMap(([id, events]) => {
    for (const [index, { seq, type }] of events.entries()) {
      if (seq === index + 1 && replay(id, events.slice(0, index + 1)) !== null) continue;
      const what = `Event ${index + 1} of session ${id}, '${type}', is not legal there`;
      return [{ what, calls: [], trace: [id] }];
    }
    return [];
  });
}

function sessionsOf(agent: string, { sessions }: Streams): Session[] {
  return [...sessions].flatMap(([id, events]) => {
    const isMine = agentOfMark(events[0]?.data.goal ?? '') === agent;
    return (isMine && replay(id, events)) || [];
  });
}

function stateOf(sessions: readonly Session[]): WorkState {
  const isActive = ({ status }: Session) => status === 'active';
  return {
    active: sessions.filter(isActive),
    ended: sessions.filter((session) => !isActive(session)),
  };
}

/** Above this size, a stack is only used by id, and its order does not matter. */
const MAX_ORDERED = 4;

/**
 * The possible initial states of the agent's work. Single sessions do not show their order on the
 * stack, so all orders are allowed.
 */
function statesOf(agent: string, streams: Streams): WorkState[] {
  const { active, ended } = stateOf(sessionsOf(agent, streams));
  const orders = active.length > MAX_ORDERED ? [active] : permutations(active);
  return orders.map((order) => ({ active: order, ended }));
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

/** Where every call left its mark. */
function marksIn(streams: Streams): Marks {
  const marks = new Map<string, Marked[]>();
  for (const [session, events] of streams.sessions) {
    let by = '';
    for (const { type, data } of events) {
      by = (data.owner ?? data.by)?.identity ?? by;
      const mark = { started: data.goal, judged: data.sent?.notes, aborted: data.explanation }[
        type
      ];
      if (typeof mark !== 'string') continue;
      const isHeld = data.failed?.length > 0;
      marks.set(mark, [...(marks.get(mark) ?? []), { session, by, isHeld }]);
    }
  }
  return marks;
}

/** No agent moves another's session, whatever happened to the servers. */
function checkOwners(streams: Streams, marks: Marks): Violation[] {
  const violations: Violation[] = [];
  for (const [mark, places] of marks) {
    for (const { session, by } of places) {
      const goal: string = streams.sessions.get(session)?.[0]?.data.goal ?? '';
      if (agentOfMark(goal) === agentOfMark(mark)) continue;
      violations.push({
        what: `${agentOfMark(mark)} (${by}) moved session ${session}, which is ${agentOfMark(goal)}'s: ${mark}`,
        calls: [],
        trace: [session],
      });
    }
  }
  return violations;
}

/** What was acknowledged is in the streams exactly once. */
function checkMarks(calls: readonly CallRecord[], marks: Marks): Violation[] {
  const violations: Violation[] = [];
  for (const [mark, tried] of attemptsOf(calls)) {
    const places = marks.get(mark) ?? [];
    const acknowledged = tried.some(({ answer }) => answer !== null && !answer.isError);
    const most = places.every(({ isHeld }) => isHeld) ? tried.length : 1;
    const fault =
      acknowledged && places.length === 0
        ? 'was acknowledged, and is not in the journal'
        : places.length > most
          ? `is in the journal ${places.length} times`
          : null;
    if (fault !== null) violations.push({ what: `${mark} ${fault}`, calls: tried, trace: [mark] });
  }
  return violations;
}

function attemptsOf(calls: readonly CallRecord[]): Map<string, CallRecord[]> {
  const attempts = new Map<string, CallRecord[]>();
  for (const call of calls) {
    const mark = sentMark(call);
    if (mark !== null) attempts.set(mark, [...(attempts.get(mark) ?? []), call]);
  }
  return attempts;
}

function sentMark({ tool, args }: CallRecord): string | null {
  if (READING.includes(tool)) return null;
  const mark = args.goal ?? args.notes ?? args.explanation;
  return typeof mark === 'string' ? mark : null;
}

function operationOf(
  { history, from }: Epoch,
  calls: readonly CallRecord[],
  call: CallRecord,
  marks: Marks,
  old: Marks,
): (WorkOp & Recorded) | null {
  const mark = sentMark(call);
  const found = mark === null ? null : (marks.get(mark) ?? []);
  // An unanswered call that left no trace did nothing, and an unanswered read shows nothing.
  if (call.answer === null && (found?.length === 0 || READING.includes(call.tool))) return null;
  const attempts = calls.filter((other) => mark !== null && sentMark(other) === mark);
  const isNew = mark !== null && !old.has(mark);
  return {
    name: `${call.client} ${call.tool} ${JSON.stringify(call.args)}`,
    start: call.start,
    end: effectiveEnd(history, call),
    input: inputOf(call, found ?? [], from),
    output: call.answer === null ? null : outputOf(call),
    stack: from === Number.NEGATIVE_INFINITY ? stackIn(call) : null,
    // The only attempt at what the streams contain is the one that succeeded.
    ...(call.answer === null && isNew && attempts.length === 1 ? { happened: true } : {}),
    call,
  };
}

function inputOf(
  { tool, args, answer, start, again = false }: CallRecord,
  found: readonly Marked[],
  from: number,
): WorkInput {
  const base = { session: (args.session_id as string | undefined) ?? null, again };
  const route = ((args.context as { route?: string } | undefined)?.route ?? null) as string | null;
  switch (tool) {
    case 'start_workflow': {
      const id: string | undefined = answer?.data?.begin_step?.session_id;
      const ids = id === undefined ? found.map((each) => each.session) : [id];
      const mark = args.goal as string;
      const workflow = args.workflow_name as string;
      return { ...base, kind: 'start', mark, workflow, route, ids, anywhere: start < from };
    }
    case 'finished_step':
    case 'validate_step_outputs':
      return {
        ...base,
        kind: tool === 'finished_step' ? 'finish' : 'validate',
        outputs: args.outputs as Record<string, string>,
        step: (args.step_id as string | undefined) ?? null,
        mark: (args.notes as string | undefined) ?? '',
        route,
        overridden: args.quality_review_override_reason !== undefined,
      };
    case 'go_to_step':
      return { ...base, kind: 'go', step: args.step_id as string };
    case 'abort_workflow':
      return { ...base, kind: 'abort', mark: args.explanation as string };
    default:
      return { ...base, kind: 'look' };
  }
}

function outputOf({ tool, agent, answer }: CallRecord): WorkOutput {
  const { isError, data } = answer ?? { isError: true, data: null };
  if (isError) return { kind: 'refused' };
  switch (tool) {
    case 'get_active_workflow': {
      // An idle agent may be shown orphans of others.
      const isMine = data.active && agentOfMark(data.goal) === agent;
      if (!isMine) return { kind: 'idle' };
      const done = data.completed_steps
        .map(({ step_id, notes, outputs }: CompletedStep) => [step_id, { notes, outputs }])
        .sort();
      return { kind: 'seen', ...placeIn(data.begin_step), done };
    }
    case 'validate_step_outputs':
      return { kind: data.problems.length === 0 ? 'valid' : 'refused' };
    case 'abort_workflow':
      return { kind: 'aborted', step: data.aborted_step };
    case 'go_to_step':
      return { kind: 'back', ...placeIn(data.begin_step), invalidated: data.invalidated_steps };
  }
  if (data.status === 'needs_work') return { kind: 'needs work' };
  if (data.status !== 'workflow_complete') return { kind: 'at', ...placeIn(data.begin_step) };
  return {
    kind: 'complete',
    outputs: Object.fromEntries(Object.entries(data.all_outputs).sort()) as Record<string, string>,
  };
}

interface CompletedStep {
  readonly step_id: string;
  readonly notes: string;
  readonly outputs: object;
}

interface BeginStep {
  readonly session_id: string;
  readonly step_id: string;
  readonly concurrent_steps: readonly { readonly step_id: string }[];
}

function placeIn({ session_id, step_id, concurrent_steps }: BeginStep) {
  return { session: session_id, open: [step_id, ...concurrent_steps.map((step) => step.step_id)] };
}

interface StackItem {
  readonly workflow: string;
  readonly step: string;
  readonly session_id: string;
}

/** In the answer to a change by an agent whose calls come one by one; ends name the one below. */
function stackIn({ answer, isAlone }: CallRecord): readonly string[] | null {
  if (answer === null || answer.isError || !isAlone) return null;
  const { stack, begin_step, status, aborted_workflow } = answer.data;
  if (stack === undefined) return null;
  const items = (stack as StackItem[]).map(
    ({ workflow, step, session_id }) => `${session_id} ${workflow.split('/')[1]} ${step}`,
  );
  const isEnd = status === 'workflow_complete' || aborted_workflow !== undefined;
  const top = isEnd ? (begin_step?.session_id ?? 'none') : null;
  const isRight = top === null || (items.at(-1)?.split(' ')[0] ?? 'none') === top;
  return isRight ? items : [...items, `but it says to go on with ${top}`];
}
