import { expect, test } from 'vitest';
import { foldTeam } from '../../test/support/fold-team.ts';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
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
function ask(active: readonly Session[], of: { readonly about?: ArrivalId; run?: string } = {}) {
  const { about } = of;
  const fold = foldTeam();
  const asked = { question: 'Go?', choices: ['yes'], multiSelect: false, ...of };
  const by = 'coordinator';
  const decision = decideAsk(fold.team, { at: AT, by, asker: by, questions: [asked] });
  if (decision.kind !== 'commit') throw new Error(decision.kind);
  fold.apply(1, decision.event as TeamEvent);
  const names = agentNames(fold.team, [], []);
  const [open] = openQuestions(fold.team, active, names);
  const [inRun] = questionsOf(fold.team, about?.session ?? null, names);
  return { open, inRun };
}

test('a question holds up the run that it was asked in, and only while nothing is above that', () => {
  verifies('BOARD-1');
  const [one, other] = [session('00000001', nameless('p1')), session('00000002', nameless('p2'))];
  const above = session('00000003', nameless('p1'), 2);
  const heldBy = (run: string, ...active: Session[]) => ask(active, { run }).open?.session_id;
  expect(heldBy('00000001', one, other)).toBe('00000001');
  expect(heldBy('00000001', one, other, above)).toBeNull();
  expect(heldBy('00000003', one, other, above)).toBe('00000003');
  expect(heldBy('00000004', one, other)).toBeNull();
  expect(ask([one, other]).open?.session_id).toBeNull();
});

test('where only a person may decide, the workflow asks, and not the agent that waits for it', () => {
  verifies('BOARD-1');
  const runs = [session('00000001', nameless('p1'))];
  const asker = (grants: ArrivalId['grants']) => {
    const about = { session: '00000001', arrival: 1, grants };
    const { open, inRun } = ask(runs, { about });
    return [open?.asked_by, inRun?.asked_by];
  };
  for (const grants of ['approval', 'loop', 'weaker_gate'] as const) {
    expect(asker(grants), grants).toEqual(['The workflow', 'The workflow']);
  }
  expect(asker('override'), 'the agent wants to skip reviews').toEqual([null, null]);
});
