// Whether the work of every agent could have happened one call after the other: which session,
// which step, and which answer. The effect of a call without an answer is known from the journal
// if the call left its mark there.

import type { Epoch } from './epochs.ts';
import { type CallRecord, effectiveEnd } from './history.ts';
import type { JournalFiles } from './journal-file.ts';
import { linearize } from './linearize.ts';
import { agentOfMark } from './marks.ts';
import { sessionsOf, statesOf } from './session-files.ts';
import {
  type WorkInput,
  type WorkOp,
  type WorkOutput,
  type WorkState,
  workModel,
} from './stack-model.ts';
import { noOrder, type Recorded, type Violation } from './violation.ts';

const TOOLS = [
  'start_workflow',
  'finished_step',
  'go_to_step',
  'abort_workflow',
  'get_active_workflow',
];

/** The journal's sessions with one mark, and how often. */
interface Marked {
  readonly session: string;
  readonly by: string;
}

export function checkWork(epoch: Epoch): Violation[] {
  const { history, final: journal } = epoch;
  const violations: Violation[] = [];
  const marks = marksIn(journal);
  const old = marksIn(epoch.initial);
  violations.push(...checkOwners(journal, marks));
  const agents = new Set(history.calls.map(({ agent }) => agent));
  for (const agent of agents) {
    const calls = history.calls.filter((call) => call.agent === agent && TOOLS.includes(call.tool));
    violations.push(...checkMarks(calls, marks));
    const operations = calls.flatMap((call) => operationOf(epoch, calls, call, marks, old) ?? []);
    const final: WorkOp & Recorded = {
      name: 'the journal in the end',
      start: Number.MAX_VALUE,
      end: null,
      input: { kind: 'all' },
      output: { kind: 'all', sessions: sessionsOf(agent, journal) },
      call: null,
    };
    const impasse = linearize<WorkState, WorkOp & Recorded>(
      [...operations, final],
      workModel(statesOf(agent, epoch.initial)),
    );
    if (impasse !== null) violations.push(noOrder(`the work of ${agent}`, impasse));
  }
  return violations;
}

/** Where every call left its mark. */
function marksIn(journal: JournalFiles): Map<string, Marked[]> {
  const marks = new Map<string, Marked[]>();
  for (const [session, events] of journal.sessions) {
    let by = '';
    for (const { type, data } of events) {
      by = (data.owner ?? data.by)?.identity ?? by;
      const mark = { started: data.goal, judged: data.sent?.notes, aborted: data.explanation }[
        type
      ];
      if (typeof mark !== 'string') continue;
      marks.set(mark, [...(marks.get(mark) ?? []), { session, by }]);
    }
  }
  return marks;
}

/** No agent moves another's session, whatever happened to the servers. */
function checkOwners(journal: JournalFiles, marks: ReadonlyMap<string, Marked[]>): Violation[] {
  const violations: Violation[] = [];
  for (const [mark, places] of marks) {
    for (const { session, by } of places) {
      const goal: string = journal.sessions.get(session)?.[0]?.data.goal ?? '';
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

/** What was acknowledged is in the journal exactly once. */
function checkMarks(
  calls: readonly CallRecord[],
  marks: ReadonlyMap<string, Marked[]>,
): Violation[] {
  const violations: Violation[] = [];
  const attempts = new Map<string, CallRecord[]>();
  for (const call of calls) {
    const mark = sentMark(call);
    if (mark !== null) attempts.set(mark, [...(attempts.get(mark) ?? []), call]);
  }
  for (const [mark, tried] of attempts) {
    const found = marks.get(mark)?.length ?? 0;
    const acknowledged = tried.some(({ answer }) => answer !== null && !answer.isError);
    const fault =
      acknowledged && found === 0
        ? 'was acknowledged, and is not in the journal'
        : found > 1
          ? `is in the journal ${found} times`
          : null;
    if (fault !== null) violations.push({ what: `${mark} ${fault}`, calls: tried, trace: [mark] });
  }
  return violations;
}

function sentMark({ args }: CallRecord): string | null {
  const mark = args.goal ?? args.notes ?? args.explanation;
  return typeof mark === 'string' ? mark : null;
}

function operationOf(
  { history, from }: Epoch,
  calls: readonly CallRecord[],
  call: CallRecord,
  marks: ReadonlyMap<string, Marked[]>,
  old: ReadonlyMap<string, Marked[]>,
): (WorkOp & Recorded) | null {
  const mark = sentMark(call);
  const found = mark === null ? null : (marks.get(mark) ?? []);
  // An unanswered call that left no trace did nothing, and an unanswered read shows nothing.
  if (call.answer === null && (found?.length === 0 || call.tool === 'get_active_workflow')) {
    return null;
  }
  const attempts = calls.filter((other) => mark !== null && sentMark(other) === mark);
  const isNew = mark !== null && !old.has(mark);
  return {
    name: `${call.client} ${call.tool} ${JSON.stringify(call.args)}`,
    start: call.start,
    end: effectiveEnd(history, call),
    input: inputOf(call, found ?? [], from),
    output: call.answer === null ? null : outputOf(call),
    // The only attempt at what the journal contains is the one that succeeded.
    ...(call.answer === null && isNew && attempts.length === 1 ? { happened: true } : {}),
    call,
  };
}

function inputOf(
  { tool, args, answer, start }: CallRecord,
  found: readonly Marked[],
  from: number,
): WorkInput {
  const session = (args.session_id as string | undefined) ?? null;
  switch (tool) {
    case 'start_workflow': {
      const id: string | undefined = answer?.data?.begin_step?.session_id;
      const ids = id === undefined ? found.map((each) => each.session) : [id];
      const workflow = args.workflow_name as string;
      return { kind: 'start', workflow, ids, anywhere: start < from };
    }
    case 'finished_step': {
      const outputs = Object.keys(args.outputs as object);
      const steps = outputs.map((name) => name.replace(/^of_/, ''));
      return { kind: 'finish', session, steps, mark: args.notes as string };
    }
    case 'go_to_step':
      return { kind: 'go', session, step: args.step_id as string };
    case 'abort_workflow':
      return { kind: 'abort', session, mark: args.explanation as string };
    default:
      return { kind: 'look', session };
  }
}

function outputOf({ tool, agent, answer }: CallRecord): WorkOutput {
  const { isError, data } = answer ?? { isError: true, data: null };
  if (isError) return { kind: 'refused' };
  if (tool === 'get_active_workflow') {
    // An idle agent may be shown orphans of others.
    const isMine = data.active && agentOfMark(data.goal) === agent;
    return isMine ? placeIn(data.begin_step) : { kind: 'idle' };
  }
  if (tool === 'abort_workflow') return { kind: 'aborted' };
  if (data.status === 'needs_work') return { kind: 'needs work' };
  if (data.status === 'workflow_complete') return { kind: 'complete' };
  return placeIn(data.begin_step);
}

interface BeginStep {
  readonly session_id: string;
  readonly step_id: string;
  readonly concurrent_steps: readonly { readonly step_id: string }[];
}

function placeIn({ session_id, step_id, concurrent_steps }: BeginStep): WorkOutput {
  const open = [step_id, ...concurrent_steps.map((step) => step.step_id)];
  return { kind: 'at', session: session_id, open };
}
