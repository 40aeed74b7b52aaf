// Plays a workflow once, with one agent: at each step the agent first tries to cheat, then does the
// step as asked.

import { placeOf } from '../core/places.ts';
import { stepIdOf } from '../core/session/for-each.ts';
import { isCompleted } from '../core/session/progress.ts';
import type { Session } from '../core/session/state.ts';
import { type Step, stepsOf, type Workflow } from '../core/workflow.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import { definitionInUse } from '../engine/definition-in-use.ts';
import type { Workspace } from '../engine/workspace.ts';
import type { AgentName } from './agents.ts';
import { honestText, LIE, lieFor, type Shape } from './content.ts';
import { type CallResult, openPlayer, type Player } from './player.ts';
import type { Draw } from './random.ts';
import { openRecording, type PlayRecord, type Recording, SKIPS_REVIEW } from './record.ts';
import type { Scratch } from './scratch.ts';
import { itemOutputs, type ValuesByName, valueFor } from './values.ts';

export interface Playing {
  readonly scratch: Scratch;
  readonly run: number;
  readonly agent: AgentName;
  readonly draw: Draw;
  readonly job: string;
  readonly workflow: Workflow;
  /** The values that conditions distinguish, by the name of a variable. */
  readonly values: ValuesByName;
  /** The values of the workflow's inputs. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
}

/** More than any play of a sound workflow needs. */
const MAX_MOVES = 400;
const MAX_REJECTIONS = 1;

export async function play(playing: Playing): Promise<PlayRecord> {
  const { scratch, run, agent, draw, job, workflow, inputs, context } = playing;
  const record = openRecording(run, agent);
  let workspace = scratch.open();
  let player = openPlayer(workspace, `simulation/${run}`);
  const reopen = async () => {
    await player.close();
    workspace = scratch.open();
    player = openPlayer(workspace, `simulation/${run}`);
  };
  try {
    scratch.setLoopsDone(true);
    const given = Object.keys(inputs).length > 0 ? { inputs } : {};
    const named = { goal: 'Simulate', job_name: job, workflow_name: workflow.name };
    const started = await player.call('start_workflow', {
      ...named,
      instance_id: `r${run}`,
      context,
      ...given,
    });
    record.say(`starts with ${JSON.stringify({ ...context, ...inputs })}`);
    if (started.error !== null) {
      return record.end({ at: workflow.name, why: started.error, isNotStarted: true });
    }
    let begin = started.begin;
    let rejections = 0;
    for (let move = 0; begin !== null; move += 1) {
      if (move > MAX_MOVES) return record.end({ at: begin.step_id, why: 'it never ends' });
      const session = await player.session(begin.session_id);
      if (session === null) return record.end({ at: begin.step_id, why: 'the run is gone' });
      if (waitsForPerson(session)) {
        const mayReject = rejections < MAX_REJECTIONS && (await leadsBack(workspace, session));
        const choice = mayReject && draw.below(3) === 0 ? 'Reject' : 'Approve';
        if (choice === 'Reject') rejections += 1;
        begin = await throughPerson(playing, player, record, session, begin, choice);
        if (begin === STUCK) {
          return record.end({ at: here(session), why: 'a person rejected it', isRejected: true });
        }
        continue;
      }
      const open = await openStepOf(playing, workspace, session, begin);
      noteStep(record, open);
      const tried = await tryToCheat(playing, player, record, open);
      if (tried !== null) {
        begin = tried.begin;
        continue;
      }
      const call = honestCall(playing, open, move);
      if (call === null) {
        const why = 'no text was found that meets the rules of its outputs';
        return record.end({ at: open.label, why });
      }
      scratch.setLoopsDone(draw.below(3) > 0);
      const said = await submitAs(playing, player, record, open, call, reopen, () => player);
      if (said.error !== null) return record.end({ at: open.label, why: said.error });
      if (said.status === 'needs_work' && !(await isMoved(player, open))) {
        return record.end({ at: open.label, why: 'honest work is turned down' });
      }
      begin = await beginNow(player);
      const next = begin === null ? 'the end' : begin.step_id;
      record.say(`${open.label}: done${reportsInWords(call.context)} → ${next}`);
    }
    return record.end(null);
  } finally {
    await player.close();
  }
}

/** Stands for a run that a rejection without a way back has stopped. */
const STUCK = { step_id: '' } as BeginStep;

interface OpenStep {
  readonly session: Session;
  readonly begin: BeginStep;
  readonly workflow: Workflow;
  readonly step: Step;
  /** The step's id, with the name of its workflow if that is nested. */
  readonly label: string;
  /** A list for an output that a `for_each` takes its items from. */
  readonly shapeOf: (output: string) => Shape;
}

async function openStepOf(
  { workflow: played }: Playing,
  workspace: Workspace,
  session: Session,
  begin: BeginStep,
): Promise<OpenStep> {
  const { workflow } = await definitionInUse(workspace, session);
  const id = stepIdOf(begin.step_id);
  const found = stepsOf(workflow).find((step) => step.id === id);
  if (found === undefined) throw new Error(`no step ${id} in ${played.name}`);
  const items = itemOutputs(workflow, id);
  const shapeOf = (output: string): Shape => (items.has(output) ? 'list' : 'text');
  const label = workflow.name === played.name ? id : `${workflow.name}: ${id}`;
  return { session, begin, workflow, step: found, label, shapeOf };
}

function waitsForPerson({ position }: Session): boolean {
  return position.limit !== undefined || position.at?.kind === 'approve';
}

/** Whether a rejection here leads back to an earlier step. */
async function leadsBack(workspace: Workspace, session: Session): Promise<boolean> {
  const { workflow } = await definitionInUse(workspace, session);
  const entry = placeOf(workflow, session.position.at?.name ?? '')?.entry;
  return entry?.kind === 'approve' && entry.onReject !== null;
}

function here({ position }: Session): string {
  return position.limit?.loop ?? position.at?.name ?? position.members[0] ?? '';
}

async function throughPerson(
  { agent, run }: Playing,
  player: Player,
  record: Recording,
  session: Session,
  begin: BeginStep,
  choice: 'Approve' | 'Reject',
): Promise<BeginStep | null> {
  const name = here(session);
  const finish = () => player.call('finished_step', { outputs: {}, session_id: begin.session_id });
  // Each attempt waits for the timeout of a question, so only the first runs make it.
  if (agent === 'skipper' && run < 7) {
    await finish();
    const now = await player.session(session.id);
    const isStopped = now?.position.arrival === session.position.arrival;
    record.attempt({ step: name, by: 'goes on without a person', isStopped });
    if (!isStopped) return beginNow(player);
  }
  const { limit } = session.position;
  const said = limit === undefined ? choice : limit.pass > 3 ? 'Go on as it is' : 'One pass more';
  await player.answerAsPerson(said);
  const after = await finish();
  record.say(`${name}: a person says ${said}`);
  if (limit === undefined) {
    record.branch(`${name} ${choice === 'Approve' ? 'approved' : 'rejected'}`);
  }
  if (after.error !== null) return STUCK;
  return after.begin ?? (await beginNow(player));
}

async function beginNow(player: Player): Promise<BeginStep | null> {
  return (await player.call('get_active_workflow', {})).begin;
}

function noteStep(record: Recording, { step, label, begin }: OpenStep): void {
  record.reach(label);
  if (step.when !== null) record.branch(`${step.id} runs`);
  const loop = (begin as { loop?: { name: string; pass: number } | null }).loop;
  if (loop) record.branch(`${loop.name} ${loop.pass > 1 ? 'once more' : 'once'}`);
}

interface Call {
  readonly outputs: Record<string, unknown>;
  readonly context: Record<string, unknown>;
  readonly step_id: string;
  readonly session_id: string;
}

function fileOf({ run }: Playing, { begin, session }: OpenStep, output: string): string {
  const safe = `${begin.step_id}-${output}`.replace(/[^A-Za-z0-9_.#-]/g, '_');
  return `r${run}/${session.workflowName}/${safe}`;
}

/** `lie` names the output that is a lie. Null if no text meets the rules. */
function callWith(playing: Playing, open: OpenStep, move: number, lie: string | null): Call | null {
  const { draw, values, scratch } = playing;
  const { step, begin, session, shapeOf } = open;
  const outputs: Record<string, unknown> = {};
  for (const output of step.outputs) {
    if (!output.required && output.name !== lie) continue;
    const { name, rules, type } = output;
    const shape = shapeOf(name);
    const honest = honestText(rules, shape, `${step.name}, ${move}`, session.context);
    const text = name === lie ? lieFor(shape) : honest;
    if (text === null) return null;
    const file = scratch.write(fileOf(playing, open, name), text);
    outputs[name] = type === 'files' ? [file] : file;
  }
  const context: Record<string, unknown> = {};
  for (const declared of step.reports ?? []) {
    const value = valueFor(draw, declared, values);
    if (value !== undefined) context[declared.name] = value;
  }
  return { outputs, context, step_id: begin.step_id, session_id: begin.session_id };
}

function honestCall(playing: Playing, open: OpenStep, move: number): Call | null {
  return callWith(playing, open, move, null);
}

/** Where the run is after an attempt that got past; null: it was stopped, and the step is still open. */
async function tryToCheat(
  playing: Playing,
  player: Player,
  record: Recording,
  open: OpenStep,
): Promise<{ readonly begin: BeginStep | null } | null> {
  const { agent, scratch } = playing;
  const { step, begin } = open;
  const base = { step_id: begin.step_id, session_id: begin.session_id };
  const reports = callWith(playing, open, 0, null)?.context ?? {};
  /** Its review is the only thing that an agent's word can switch off. */
  const maySkip = scratch.agentsMaySkipReviews && step.reviews.length > 0;
  const attempt = async (by: string, input: object) => {
    const said = await player.call('finished_step', input);
    const isPast = await isMoved(player, open);
    record.attempt({ step: open.label, by, isStopped: !isPast, model: step });
    return isPast ? { begin: said.begin ?? (await beginNow(player)) } : null;
  };
  const attemptBoth = async (by: string, input: object) => {
    const past = await attempt(by, input);
    if (past !== null || !maySkip) return past;
    const reason = { quality_review_override_reason: 'It was looked at by hand' };
    return attempt(`${by}${SKIPS_REVIEW}`, { ...input, ...reason });
  };
  if (agent === 'skipper') {
    const later = laterStep(open);
    if (later !== null) {
      const past = await attempt(`goes ahead to ${later}`, {
        ...base,
        step_id: later,
        outputs: {},
      });
      if (past !== null) return past;
    }
    // Makes the stand-ins for checks and reviews see that the work was not done.
    scratch.write('undone', LIE);
    const past = await attemptBoth('hands in nothing', {
      ...base,
      outputs: {},
      notes: LIE,
      context: reports,
    });
    scratch.write('undone', '');
    return past;
  }
  if (agent === 'liar') {
    for (const { name, required } of step.outputs) {
      if (!required) continue;
      const lying = callWith(playing, open, 0, name);
      if (lying === null) continue;
      const past = await attemptBoth(`lies in ${name}`, lying);
      if (past === null) continue;
      // Honest files again, so that later steps are judged on their own.
      callWith(playing, open, 0, null);
      return past;
    }
  }
  return null;
}

function laterStep({ workflow, step }: OpenStep): string | null {
  const ids = stepsOf(workflow).map(({ id }) => id);
  return ids[ids.indexOf(step.id) + 1] ?? null;
}

/** Whether the step was accepted or the run has moved on. */
async function isMoved(player: Player, { session, begin }: OpenStep): Promise<boolean> {
  const now = await player.session(session.id);
  if (now === null || now.status !== 'active') return true;
  if (now.position.arrival !== session.position.arrival) return true;
  return now.position.limit !== undefined || isCompleted(now, begin.step_id);
}

/** Submits the step the way the agent does it; two moves for one call are an attempt that got past. */
async function submitAs(
  playing: Playing,
  player: Player,
  record: Recording,
  open: OpenStep,
  call: Call,
  reopen: () => Promise<void>,
  now: () => Player,
): Promise<CallResult> {
  const { agent } = playing;
  const inLoop = (open.session.position.loops ?? []).length > 0;
  const after = async () => {
    const session = await now().session(open.session.id);
    return session === null ? -1 : session.position.arrival + (session.status === 'active' ? 0 : 1);
  };
  switch (agent) {
    case 'amnesiac': {
      const seen = await player.call('get_active_workflow', {});
      const isStopped = seen.begin?.step_id === open.begin.step_id;
      record.attempt({ step: open.label, by: 'asks where it is', isStopped });
      return player.call('finished_step', call);
    }
    case 'doubler': {
      const first = await player.call('finished_step', call);
      // In a loop the same step may be open again, and the second call means its next pass.
      if (inLoop || first.error !== null) return first;
      const moved = await after();
      await player.call('finished_step', call);
      record.attempt({
        step: open.label,
        by: 'sends the call twice',
        isStopped: (await after()) === moved,
      });
      return first;
    }
    case 'racer': {
      const said = await player.callAtOnce('finished_step', call, inLoop ? 1 : 3);
      const first = said.find(({ error }) => error === null) ?? said[0];
      const moved = await after();
      const isStopped = moved <= open.session.position.arrival + 1;
      record.attempt({ step: open.label, by: 'sends the call three times at once', isStopped });
      return first ?? player.call('finished_step', call);
    }
    case 'crasher': {
      await player.callAborted('finished_step', call);
      await reopen();
      const moved = await after();
      const isStopped = moved <= open.session.position.arrival + 1;
      record.attempt({ step: open.label, by: 'is cut off and comes back', isStopped });
      if (await isMoved(now(), open)) {
        return { error: null, status: 'next_step', begin: await beginNow(now()) };
      }
      return now().call('finished_step', call);
    }
    default:
      return player.call('finished_step', call);
  }
}

function reportsInWords(context: Readonly<Record<string, unknown>>): string {
  return Object.keys(context).length === 0 ? '' : ` ${JSON.stringify(context)}`;
}
