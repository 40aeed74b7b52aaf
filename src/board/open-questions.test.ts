import { expect, test } from 'vitest';
import { foldTeam } from '../../test/support/fold-team.ts';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import type { Liveness } from '../core/session/ownership.ts';
import type { Owner, Session } from '../core/session/state.ts';
import { decideAsk } from '../core/team/questions.ts';
import type { ArrivalId, TeamEvent } from '../core/team/state.ts';
import { agentNames } from './agent-names.ts';
import { openQuestions } from './open-questions.ts';
import { questionsOf } from './run-questions.ts';

const AT = '2026-01-01T00:00:00.000Z';

function session(id: string, owner: Owner, level = 1): Session {
  const position = { entryIndex: 0, members: ['a'], skipped: [], arrival: 1 };
  const started: SessionEvent = {
    type: 'started',
    at: AT,
    data: {
      session_id: id,
      source: 'job',
      job_name: 'j',
      job_dir: '/j',
      goal: 'g',
      level,
      workflow_name: 'w',
      instance_id: null,
      context: {},
      branch_name: '',
      skipped: [],
      parent_session_id: null,
      owner,
      definition: 'd',
      position,
      entries: 2,
    },
  };
  return evolve(null, started);
}

const nameless = (process: string): Owner => ({ identity: `process:${process}`, process });
const named = (agent: string, process: string): Owner => ({
  identity: `agent:${agent}`,
  agent,
  process,
});

/** Processes that begin with `dead` are gone. */
function ask(asker: string, active: readonly Session[], about?: ArrivalId) {
  const fold = foldTeam();
  const asked = { question: 'Go?', choices: ['yes'], multiSelect: false, ...(about && { about }) };
  const decision = decideAsk(fold.team, { at: AT, by: asker, asker, questions: [asked] });
  if (decision.kind !== 'commit') throw new Error(decision.kind);
  fold.apply(1, decision.event as TeamEvent);
  const livenessOf = (process: string): Liveness =>
    process.startsWith('dead') ? 'gone' : process.startsWith('far') ? 'unknown' : 'alive';
  const names = agentNames(fold.team, [], []);
  const [open] = openQuestions(fold.team, active, livenessOf, names);
  const [inRun] = questionsOf(fold.team, about?.session ?? null, names);
  return { open, inRun };
}

/** The runs that a question of this asker holds up. */
function heldBy(...asked: Parameters<typeof ask>): readonly string[] {
  return ask(...asked).open?.holds ?? [];
}

test('a question of the coordinator does not hold up runs of other clients without a name', () => {
  verifies('BOARD-1');
  const dead = [session('00000001', nameless('dead1')), session('00000002', nameless('dead2'))];
  expect(heldBy('coordinator', dead)).toEqual([]);
  const own = session('00000003', named('coordinator', 'server'));
  expect(heldBy('coordinator', [...dead, own])).toEqual(['00000003']);
  const alive = session('00000004', nameless('p1'));
  expect(heldBy('coordinator', [...dead, own, alive])).toEqual(['00000003']);
});

test('a question without a name holds up a run only if just one client can have asked it', () => {
  verifies('BOARD-1');
  const [one, other] = [session('00000001', nameless('p1')), session('00000002', nameless('p2'))];
  const above = session('00000003', nameless('p1'), 2);
  const dead = session('00000004', nameless('dead'));
  expect(heldBy('coordinator', [one, above, dead])).toEqual(['00000003']);
  expect(heldBy('coordinator', [one, other])).toEqual([]);
});

test('a question of a named agent holds up its own stack, unless its process is gone', () => {
  verifies('BOARD-1');
  const writer = session('00000001', named('writer|opus', 'p1'));
  const reader = session('00000002', named('reader', 'p1'));
  const left = session('00000003', { ...named('writer', 'dead'), identity: 'process:dead/writer' });
  const far = session('00000004', { ...named('writer', 'far'), identity: 'process:far/writer' });
  expect(heldBy('writer:opus', [writer, reader, left])).toEqual(['00000001']);
  expect(heldBy('writer', [left])).toEqual([]);
  expect(heldBy('writer', [far])).toEqual(['00000004']);
});

test('a question about a run stays with it, even if its process is gone', () => {
  verifies('BOARD-1');
  const left = session('00000001', nameless('dead'));
  const about = { session: '00000001', arrival: 1, grants: 'override' } as const;
  expect(heldBy('coordinator', [left], about)).toEqual(['00000001']);
});

test('where only a person may decide, the workflow asks, and not the agent that waits for it', () => {
  verifies('BOARD-1');
  const runs = [session('00000001', nameless('p1'))];
  const asker = (grants: ArrivalId['grants']) => {
    const about = { session: '00000001', arrival: 1, ...(grants && { grants }) };
    const { open, inRun } = ask('coordinator', runs, about);
    return [open?.question.asked_by, inRun?.asked_by];
  };
  for (const grants of ['approval', 'loop', 'weaker_gate'] as const) {
    expect(asker(grants), grants).toEqual(['The workflow', 'The workflow']);
  }
  expect(asker('override'), 'the agent wants to skip reviews').toEqual([null, null]);
  expect(asker(undefined), 'in an older journal').toEqual([null, null]);
});
