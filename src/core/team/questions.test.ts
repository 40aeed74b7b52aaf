// The ledger of questions: which questions and answers are valid, and which answer counts.

import { describe, expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import { decideAnswer, decideAsk, decideCollect, decideDismiss } from './questions.ts';
import { type Asked, shownStatus, type TeamDecision, type TeamEvent } from './state.ts';

const AT = '2026-01-01T00:00:00.000Z';
const GO: Asked = { question: 'Go?', choices: ['yes, now', 'no'], multiSelect: false };
const MANY: Asked = { question: 'Which?', choices: ['a', 'b', 'c'], multiSelect: true };

function newLedger() {
  const fold = foldTeam();
  const run = <T>(decide: (team: typeof fold.team) => TeamDecision<T>): TeamDecision<T> => {
    const decision = decide(fold.team);
    if (decision.kind === 'commit') {
      const event = JSON.parse(JSON.stringify(decision.event)) as TeamEvent;
      fold.apply(fold.team.seq + 1, event);
    }
    return decision;
  };
  return {
    team: fold.team,
    ask: (questions: readonly Asked[], asker = 'coordinator') =>
      run((team) => decideAsk(team, { at: AT, by: 'coordinator', asker, questions })),
    answer: (id: string, choices: string[], other: string | null = null, by = 'kim') =>
      run((team) => decideAnswer(team, { id, choices, other, by, route: 'terminal', at: AT })),
    dismiss: (id: string) =>
      run((team) => decideDismiss(team, { id, by: 'kim', route: 'dashboard', at: AT })),
    collect: (set: number) => run((team) => decideCollect(team, { at: AT, set })),
  };
}

function codeOf(decision: TeamDecision<unknown>): string {
  return decision.kind === 'refused' ? String(decision.refusal.code) : `(${decision.kind})`;
}

test('invalid questions are refused', () => {
  const { ask } = newLedger();
  expect(codeOf(ask([]))).toBe('no_questions');
  expect(codeOf(ask([GO, { ...GO, choices: [] }]))).toBe('no_choices');
  expect(codeOf(ask([GO, { ...GO, choices: ['yes', 'ye\u200bs'] }]))).toBe('choice_disguised');
  expect(codeOf(ask([{ ...GO, choices: ['Größe – 数', '👍'] }]))).toBe('(commit)');
});

test('one agent has at most 100 open questions; others may still ask', () => {
  const { ask, answer } = newLedger();
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...GO, question: `Go ${from + at}?` }));
  for (let from = 0; from < 80; from += 20) expect(ask(numbered(from, 20)).kind).toBe('commit');
  expect(ask(numbered(80, 19)).kind).toBe('commit');
  expect(codeOf(ask(numbered(99, 2)))).toBe('too_many_questions');
  // Asking the same questions again adds no new ones.
  expect(ask(numbered(80, 19)).kind).toBe('unchanged');
  expect(ask(numbered(99, 2), 'reviewer').kind).toBe('commit');
  answer('q-1', ['no']);
  expect(ask(numbered(99, 2)).kind).toBe('commit');
});

describe('an answer', () => {
  test.each<[string, Asked, string[], string | null, boolean]>([
    ['one choice', GO, ['yes, now'], null, true],
    ['a text of its own', GO, [], 'maybe', true],
    ['both', GO, ['no'], 'not yet', true],
    ['several of several', MANY, ['a', 'c'], null, true],
    ['the same twice', GO, ['no', 'no'], null, true],
    ['several of one', GO, ['yes, now', 'no'], null, false],
    ['none', GO, [], null, false],
    ['blank text', GO, [], ' \n', false],
    ['another choice', GO, ['yes'], 'x', false],
  ])('%s', (_what, asked, choices, other, isValid) => {
    const ledger = newLedger();
    ledger.ask([asked]);
    const code = codeOf(ledger.answer('q-1', choices, other));
    expect(code).toBe(isValid ? '(commit)' : 'answer_invalid');
    expect(ledger.team.open.size).toBe(isValid ? 0 : 1);
  });

  test('counts if it is the first; later ones are refused and name who gave the first', () => {
    const ledger = newLedger();
    ledger.ask([GO, MANY]);
    ledger.answer('q-1', ['no'], null, 'kim');
    const late = ledger.answer('q-1', ['yes, now'], null, 'lee');
    const message = expect.stringMatching(/kim.*terminal/);
    expect(late).toMatchObject({ refusal: { code: 'question_answered', message } });
    ledger.dismiss('q-2');
    expect(codeOf(ledger.answer('q-2', ['a']))).toBe('question_dismissed');
    expect(ledger.answer('q-9', ['a'])).toMatchObject({ refusal: { next: null } });
    ledger.ask([GO]);
    const next = expect.stringContaining('q-3');
    expect(ledger.answer('q-9', ['a'])).toMatchObject({
      refusal: { code: 'question_unknown', next },
    });
    expect(ledger.team.questions.get('q-1')?.outcome).toMatchObject({ by: 'kim', choices: ['no'] });
  });
});

describe('a set', () => {
  test('is attached to by the same asker with equal questions until it is collected', () => {
    const ledger = newLedger();
    const first = ledger.ask([GO]);
    expect(first).toMatchObject({ answer: { set: 1, ids: ['q-1'], attached: false } });
    expect(ledger.ask([{ ...GO }])).toMatchObject({
      kind: 'unchanged',
      answer: { set: 1, attached: true },
    });
    expect(ledger.ask([GO], 'coordinator:m')).toMatchObject({ answer: { ids: ['q-2'] } });
    expect(ledger.ask([{ ...GO, multiSelect: true }])).toMatchObject({ answer: { ids: ['q-3'] } });
    expect(ledger.ask([GO, MANY])).toMatchObject({ answer: { ids: ['q-4', 'q-5'] } });

    expect(ledger.collect(1)).toMatchObject({ answer: false });
    ledger.answer('q-1', ['no']);
    expect(ledger.ask([GO])).toMatchObject({ answer: { set: 1, attached: true } });
    expect(ledger.collect(1)).toMatchObject({ kind: 'commit', answer: true });
    expect(ledger.ask([GO])).toMatchObject({ answer: { ids: ['q-6'], attached: false } });
  });

  test('keeps the team waiting until the last question of all is closed', () => {
    const ledger = newLedger();
    ledger.ask([GO, MANY]);
    ledger.ask([MANY]);
    for (const id of ['q-1', 'q-3', 'q-2']) {
      expect(shownStatus(ledger.team)).toBe('waiting-for-human');
      ledger.dismiss(id);
    }
    expect(shownStatus(ledger.team)).toBe('working');
  });
});

test('a question with a mark is asked once, whoever asks, until it is dismissed', () => {
  const { ask, answer, dismiss, collect, team } = newLedger();
  const about = {
    session: '00000001',
    arrival: 2,
    grants: 'approval',
    once: 'gate: bytes',
  } as const;
  const marked = [{ ...GO, about }];
  const first = ask(marked, 'ann');
  expect(first).toMatchObject({ kind: 'commit', answer: { ids: ['q-1'], attached: false } });
  const later = [{ ...GO, about: { ...about, arrival: 5 } }];
  expect(ask(later, 'bo')).toMatchObject({ answer: { ids: ['q-1'], attached: true } });
  // The same text without the mark is another question, and so is that of another session.
  expect(ask([GO], 'ann')).toMatchObject({ answer: { ids: ['q-2'], attached: false } });
  const other = [{ ...GO, about: { ...about, session: '00000002' } }];
  expect(ask(other, 'ann')).toMatchObject({ answer: { ids: ['q-3'] } });
  answer('q-1', ['no']);
  collect(1);
  expect(ask(marked, 'ann')).toMatchObject({ answer: { ids: ['q-1'], attached: true } });
  dismiss('q-3');
  expect(ask(other, 'ann')).toMatchObject({ answer: { ids: ['q-4'], attached: false } });
  expect(team.questions.size).toBe(4);
});

test('a question about an arrival matches only a question about the same arrival', () => {
  const { team, ask, answer } = newLedger();
  const about = { session: 's', arrival: 1, grants: 'override' } as const;
  const ids = () => [...team.questions.keys()];
  ask([{ ...GO, about }]);
  ask([GO]);
  expect(ids()).toEqual(['q-1', 'q-2']);
  answer('q-2', ['yes, now']);
  // An answer to a question that an agent asked grants nothing.
  ask([{ ...GO, about: { ...about, arrival: 2 } }]);
  expect(ids()).toEqual(['q-1', 'q-2', 'q-3']);
  ask([{ ...GO, about }]);
  ask([{ ...GO, about: { ...about, arrival: 2 } }]);
  expect(ids()).toEqual(['q-1', 'q-2', 'q-3']);
});
