// Runs a workflow by the real deciders in every possible way: all values of all variables, every
// outcome of checks, lists with and without items, everything that a person can say. What comes
// out is what really happens, to compare lint with.

import type { Context } from '../../src/core/conditions.ts';
import type { Decision } from '../../src/core/decision.ts';
import { placeOf } from '../../src/core/places.ts';
import type { PathEvent } from '../../src/core/proof.ts';
import { decideApproval } from '../../src/core/session/approval-answer.ts';
import { decideStart, type WorkflowInUse } from '../../src/core/session/decide.ts';
import type { AcceptedMember, SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import { type Facts, type Need, needOf, withFact } from '../../src/core/session/facts.ts';
import { itemOf } from '../../src/core/session/for-each.ts';
import { decideLoopAnswer } from '../../src/core/session/loop-answer.ts';
import { movingFrom } from '../../src/core/session/move-fields.ts';
import { decideRunEnded } from '../../src/core/session/nested-run.ts';
import {
  enterWorkflow,
  leaveEntry,
  nextPass,
  type Onward,
} from '../../src/core/session/next-entry.ts';
import { currentEntry, handedInBy } from '../../src/core/session/positions.ts';
import { isCompleted } from '../../src/core/session/progress.ts';
import type { Session } from '../../src/core/session/state.ts';
import { decideVerdict } from '../../src/core/session/verdict.ts';
import { RESERVED_VARIABLES } from '../../src/core/variables.ts';
import { type Job, loopsOf, type Step, stepsOf, type Workflow } from '../../src/core/workflow.ts';
import { readAtOnce } from '../support/read-at-once.ts';
import { freeValues, valuesToTry } from './random-workflows.ts';

const OWNER = { identity: 'agent', process: 'p', name: 'agent' } as never;
const AT = '2026-01-01T00:00:00.000Z';

/** One move of a run: what was done, and what really came of it. */
export interface Move {
  readonly before: Session | null;
  /** Null: the call was refused, and the run is stuck there. */
  readonly after: Session | null;
  readonly event: SessionEvent | null;
  readonly did: readonly PathEvent[];
  /** Passed over on the way. */
  readonly skipped: readonly string[];
  readonly untils: readonly { readonly loop: string; readonly done: boolean }[];
  /** What the engine said of what it passed over, in order. */
  readonly warnings: readonly string[];
  readonly refusal: string | null;
  /** The context with which it went on. */
  readonly context: Context;
  /** Whether a step had been done when the conditions on the way were asked. */
  readonly isDone: (stepId: string) => boolean;
  readonly isRejection: boolean;
}

function inUseOf(workflow: Workflow): WorkflowInUse {
  const stepGone = () => ({ code: 'gone', message: 'gone', next: null }) as never;
  return { workflow, hash: 'h', stepGone };
}

/** The names that conditions ask for and nothing declares. */
export function freeNames(job: Job, workflow: Workflow): readonly string[] {
  const asked = [
    ...stepsOf(workflow).flatMap(({ when }) => when?.variables ?? []),
    ...loopsOf(workflow).flatMap(({ until }) =>
      until.kind === 'when' ? until.condition.variables : [],
    ),
  ].map(({ name }) => name);
  const declared = new Set([
    ...RESERVED_VARIABLES,
    ...job.workflows.flatMap(({ inputs = [] }) => inputs.map(({ name }) => name)),
    ...job.steps.flatMap(({ reports = [] }) => reports.map(({ name }) => name)),
  ]);
  return [...new Set(asked)].filter((name) => !declared.has(name));
}

type Option = readonly [string, readonly unknown[]];
type Choice = readonly (readonly [string, unknown])[];

/** Every way to choose one value for each name; undefined leaves it out. */
function choices(options: readonly Option[]): readonly Choice[] {
  return options.reduce<readonly Choice[]>(
    (all, [name, values]) =>
      all.flatMap((choice) =>
        values.map((value) => (value === undefined ? choice : [...choice, [name, value] as const])),
      ),
    [[]],
  );
}

interface Way {
  readonly decision: Decision<SessionEvent, unknown>;
  readonly facts: Facts;
}

/** All decisions that can come of a command, over everything that could be found out for it. */
function decisions(decide: (facts: Facts) => unknown, facts: Facts = {}): readonly Way[] {
  const decision = decide(facts) as Way['decision'];
  const need = needOf(decision);
  if (need === null) return [{ decision, facts }];
  return optionsOf(need).flatMap((found) =>
    decisions(decide, withFact(facts, need, found as never)),
  );
}

function optionsOf(need: Need): readonly unknown[] {
  switch (need.kind) {
    case 'until':
      return [{ kind: 'done' }, { kind: 'not_yet', said: '' }];
    case 'items':
      return [[], ['one', 'two']];
    case 'run':
      return ['nested'];
  }
}

/** One by one: there may be far more than anyone wants. */
export function* startMoves(job: Job, workflow: Workflow, given?: Context): Generator<Move> {
  const { inputs = [] } = workflow;
  const inUse = inUseOf(workflow);
  const options: Option[] = [
    ...inputs.map((declared): Option => {
      const isSafe = declared.required || declared.default !== null;
      const values = valuesToTry(declared);
      return [declared.name, isSafe ? values : [...values, undefined]];
    }),
    ...freeNames(job, workflow).map(
      (name): Option => [name, [undefined, ...freeValues(workflow, name)]],
    ),
  ];
  const starts = given === undefined ? choices(options) : [Object.entries(given) as Choice];
  for (const start of starts) {
    const values = Object.fromEntries(start);
    const isInput = (name: string) => inputs.some((input) => input.name === name);
    const inputsGiven = Object.fromEntries(start.filter(([name]) => isInput(name)));
    const context = Object.fromEntries(start.filter(([name]) => !isInput(name)));
    const command = {
      at: AT,
      id: 's',
      source: 'job',
      owner: OWNER,
      parentId: null,
      level: 0,
      jobName: job.name,
      jobDir: job.dir,
      goal: 'g',
      instanceId: null,
      context,
      inputs: inputsGiven,
      branch: { branch_name: 'b' },
      inUse,
    };
    const whole = {
      ...context,
      ...inputsGiven,
      goal: 'g',
      job_name: job.name,
      workflow_name: workflow.name,
      instance_id: null,
    };
    const did: PathEvent[] = [{ what: 'started', name: workflow.name, values }];
    yield* decisions((facts) => decideStart({ ...command, facts } as never)).map((way) => {
      const moving = { workflow, context: whole, facts: way.facts, handedIn: () => [], arrival: 1 };
      return moveOf(
        null,
        way,
        did,
        whole,
        () => false,
        () => enterWorkflow(moving),
      );
    });
  }
}

function moveOf(
  before: Session | null,
  { decision }: Way,
  did: readonly PathEvent[],
  context: Context,
  isDone: Move['isDone'],
  onward: () => Onward,
): Move {
  const isRejection = did.some(({ what }) => what === 'rejected');
  const rest = { before, did, isDone, isRejection };
  if (decision.kind !== 'commit') {
    if (decision.kind === 'unchanged') throw new Error('a move that changes nothing');
    const { skipped, untils, warnings } = onward();
    const refusal = decision.refusal.message;
    return { ...rest, after: null, event: null, skipped, untils, warnings, refusal, context };
  }
  const { event } = decision;
  const after = evolve(before, event);
  const data = event.data as {
    readonly skipped?: readonly string[];
    readonly untils?: Move['untils'];
    readonly limit?: unknown;
    readonly warnings?: readonly string[];
  };
  // A run that waits at its limit has passed over steps, too; its event does not name them.
  const { skipped = data.limit === undefined ? [] : onward().skipped, untils = [] } = data;
  const { warnings = before === null ? onward().warnings : [] } = data;
  return {
    ...rest,
    after,
    event,
    skipped,
    untils,
    warnings,
    refusal: null,
    context: after.context,
  };
}

/** Everything that can happen next to a run that is under way. */
export function movesFrom(job: Job, workflow: Workflow, session: Session): readonly Move[] {
  if (session.status !== 'active') return [];
  const inUse = inUseOf(workflow);
  const { position } = session;
  const here = currentEntry(session, workflow);
  if (here === null) throw new Error('the session stands nowhere');
  const call = { outputs: {}, notes: null, stepId: null };
  const base = { at: AT, by: OWNER, arrival: position.arrival, call, inUse };
  const doneBy = (accepted: readonly AcceptedMember[]) => (stepId: string) =>
    handedInBy(session, accepted)({ step: stepId, output: 'out' }).length > 0;
  const leaving = (facts: Facts, more: Parameters<typeof movingFrom>[2] = {}) =>
    leaveEntry(movingFrom(session, { inUse, facts }, more), here.place, here.loops);
  const answer = { question: 'q', by: 'person', route: 'cli' } as never;
  const play = (
    did: readonly PathEvent[],
    decide: (facts: Facts) => unknown,
    onward: (facts: Facts) => Onward,
  ) =>
    decisions(decide).map((way) =>
      moveOf(session, way, did, session.context, doneBy([]), () => onward(way.facts)),
    );

  if (position.limit !== undefined) {
    const { loop, pass } = position.limit;
    const max = loopsOf(workflow).find(({ name }) => name === loop)?.max ?? 1;
    const place = placeOf(workflow, loop);
    if (place === null) throw new Error('no such loop');
    const loopAnswer = (choice: 'go_on' | 'one_more', what: PathEvent['what']) =>
      play(
        [{ what, name: loop }],
        (facts) =>
          decideLoopAnswer(session, { ...base, answer, choice, words: null, facts } as never),
        (facts) => {
          const moving = movingFrom(session, { inUse, facts });
          const around = here.loops.slice(0, place.loops.length);
          if (choice === 'go_on') return leaveEntry(moving, place, around);
          return nextPass(moving, place, [...around, { name: loop, pass }], '');
        },
      );
    return [
      ...loopAnswer('go_on', 'went_on'),
      ...(pass > max ? [] : loopAnswer('one_more', 'one_pass_more')),
    ];
  }
  if (position.at?.kind === 'approve') {
    const { entry } = here.place;
    if (entry.kind !== 'approve') throw new Error('no approval');
    const files = entry.show.length === 0 ? {} : { f: `h${session.seq}` };
    const say = (approves: boolean) =>
      play(
        [{ what: approves ? 'approved' : 'rejected', name: entry.name }],
        (facts) => {
          const said = { question: 'q', by: 'p', route: 'cli', approves, words: null };
          return decideApproval(session, {
            ...base,
            name: entry.name,
            files,
            said,
            facts,
          } as never);
        },
        (facts) => leaving(facts),
      );
    const rejected = entry.onReject === null ? [] : say(false);
    return [...say(true), ...rejected.filter(({ after }) => isMoved(session, after))];
  }
  if (position.at?.kind === 'run') {
    const { name, session: nested } = position.at;
    const outcome = { kind: 'completed', outputs: {} };
    return play(
      [{ what: 'ran', name }],
      (facts) => decideRunEnded(session, { ...base, session: nested, outcome, facts } as never),
      (facts) => leaving(facts),
    );
  }
  const open = here.members.filter(({ id }) => !isCompleted(session, id));
  return open
    .flatMap((step) => submissions(job, workflow, session, step))
    .flatMap((given) => {
      const stepId = given.step.id;
      const asked = { ...call, outputs: { out: `${stepId}.md` }, stepId, context: given.context };
      const reading = readAtOnce(session, inUse, asked);
      if (reading.kind !== 'run') throw new Error(`not taken: ${JSON.stringify(reading)}`);
      const reports = reading.reports.get(stepId);
      const accepted: AcceptedMember[] = [
        {
          step_id: stepId,
          outputs: { out: `${stepId}.md` },
          files: { [`${stepId}.md`]: 'h' },
          ...(reports !== undefined && { reports }),
        },
      ];
      const { context } = reading;
      const empty = { failed: [], evidence: [], voided: [], faults: [], warnings: [] };
      const command = { ...base, call: asked, context, accepted, ...empty };
      const name = itemOf(stepId)?.stepId ?? stepId;
      const did: PathEvent[] = [{ what: 'done', name, values: given.context }];
      return decisions((facts) => decideVerdict(session, { ...command, facts } as never)).map(
        (way) =>
          moveOf(session, way, did, { ...session.context, ...context }, doneBy(accepted), () =>
            leaving(way.facts, { context, accepted }),
          ),
      );
    });
}

/** A rejection that does not lead back leaves the run where it is. */
function isMoved(before: Session, after: Session | null): boolean {
  return after === null || after.position.arrival !== before.position.arrival;
}

/** Everything that can be handed in with a step. */
function submissions(job: Job, workflow: Workflow, session: Session, step: Step) {
  const { reports = [] } = step;
  const options = [
    ...reports.map((declared) => {
      const values = valuesToTry(declared);
      const mayBeMissing = !declared.required && declared.default === null;
      return [declared.name, mayBeMissing ? [...values, undefined] : values] as const;
    }),
    ...freeNames(job, workflow).map((name) => {
      return [
        name,
        [undefined, ...freeValues(workflow, name).filter((each) => each !== session.context[name])],
      ];
    }),
  ] as (readonly [string, readonly unknown[]])[];
  return choices(options).map((choice) => ({ step, context: Object.fromEntries(choice) }));
}

/** What makes two sessions the same as far as anything here can tell. */
function keyOf({ position, context, earlier, approvals, status }: Session, workflow: Workflow) {
  const max = new Map(loopsOf(workflow).map((loop) => [loop.name, loop.max + 1]));
  const done = [...earlier, position].flatMap(({ progress }) =>
    progress.filter(({ completedAt }) => completedAt !== null).map(({ stepId }) => stepId),
  );
  return JSON.stringify([
    ...[status, position.members, position.at?.name ?? null, position.limit?.loop ?? null],
    position.loops?.map(({ name, pass }) => Math.min(pass, max.get(name) ?? pass)),
    ...[Object.entries(context).sort(), done.sort()],
    Object.entries(approvals).map(([name, { back }]) => [name, back]),
  ]);
}

/** Calls back with every move that can happen in a run of the workflow; false: too many. */
export function runEverything(
  job: Job,
  workflow: Workflow,
  onMove: (move: Move, empty: ReadonlySet<string>) => void,
  most = 200,
): boolean {
  const seen = new Set<string>();
  const pending: { readonly session: Session; readonly empty: ReadonlySet<string> }[] = [];
  const take = (move: Move, before: ReadonlySet<string>) => {
    const empty = emptyAfter(before, move, workflow);
    onMove(move, empty);
    if (move.after === null) return;
    const key = `${keyOf(move.after, workflow)}${[...empty].sort()}`;
    if (seen.has(key)) return;
    seen.add(key);
    pending.push({ session: move.after, empty });
  };
  for (const move of startMoves(job, workflow)) {
    take(move, new Set());
    if (pending.length > most) return false;
  }
  for (let at = 0; at < pending.length; at += 1) {
    if (pending.length > most) return false;
    const { session, empty } = pending[at] as (typeof pending)[number];
    for (const move of movesFrom(job, workflow, session)) take(move, empty);
  }
  return true;
}

/** The steps that were last passed over because their list has no items. */
function emptyAfter(
  before: ReadonlySet<string>,
  { warnings, after }: Move,
  workflow: Workflow,
): ReadonlySet<string> {
  const empty = new Set(before);
  for (const warning of warnings) {
    const list = warning.match(/^'(\w+)' was skipped: .* lists no items\.$/)?.[1];
    const entry = list === undefined ? undefined : placeOf(workflow, list)?.entry;
    if (entry?.kind === 'for_each') empty.add(entry.step.id);
    const step = warning.match(/^Step '(\w+)' was skipped: /)?.[1];
    if (step !== undefined) empty.delete(step);
  }
  for (const id of after?.position.members ?? []) empty.delete(itemOf(id)?.stepId ?? id);
  return empty;
}
