import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cellWidth } from '../../board/drawing/text-width.ts';
import type { Board, Run } from '../../board/run.ts';
import { setAsideBecause } from '../../board/set-aside.ts';
import type { Screen } from './screen.ts';
import { statusText } from './status-text.ts';

const NOW = '2026-01-31T12:00:00.000Z';

function run(session_id: string, more: Partial<Run>): Run {
  return {
    ...{ session_id, workflow: 'demo/main', goal: 'Get it done', agent: null },
    ...{ parent_session_id: null, status: 'active', state: 'working', step: 'a' },
    ...{ position: { index: 1, of: 3 }, started_at: NOW, last_activity_at: NOW, ended_at: null },
    ...{ attempts: 0, refusals: 0, overrides: 0, nudges: 0, last_feedback: null, questions: [] },
    ...more,
  };
}

const ENDED = { status: 'completed', state: null, ended_at: NOW } as const;

function textOf(board: Partial<Board>, width = 80): string {
  const screen: Screen = { width, height: null, paint: (_colour, text) => text };
  const nothing = { runs: [], questions: [], damaged: [], team: null };
  return statusText({ workspace: '/w', at: NOW, ...nothing, ...board }, screen);
}

/** The lines under each title. */
function sections(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const block of text.split('\n\n')) {
    const [title = '', ...lines] = block.split('\n');
    found[title] = lines.join('\n');
  }
  return found;
}

test('runs that need a person stand under what needs them, with what to do, and not among what moves', () => {
  verifies('BOARD-2');
  const shown = sections(
    textOf({
      runs: [
        run('00000001', { state: 'waiting_for_person', questions: ['q-1'] }),
        run('00000002', { state: 'orphaned', agent: 'writer' }),
        run('00000003', { parent_session_id: '00000002', state: 'gate_running' }),
        run('00000004', { state: 'stalled' }),
        run('00000005', {}),
        run('00000006', ENDED),
      ],
    }),
  );
  expect(Object.keys(shown)).toEqual(['/w', 'Needs you', 'Moving', 'Ended']);
  const ids = (title: string) => shown[title]?.match(/^ +0000000\d/gm)?.map((id) => id.trim());
  expect(ids('Needs you')).toEqual(['00000001', '00000002', '00000003', '00000004']);
  expect(ids('Moving')).toEqual(['00000005']);
  const needs = shown['Needs you']?.replace(/\s+/g, ' ');
  expect(needs).toContain('00000002 agent gone');
  expect(needs).toContain('Start writer again: it goes on with the run at its next call.');
  expect(needs).toContain('deepwork abort 00000002 --reason');
  expect(shown.Ended).toContain('done just now');
});

test('a run from a terminal is called one, and is gone on with there', () => {
  verifies('BOARD-2');
  const text = textOf({ runs: [run('00000001', { state: 'orphaned', at_terminal: true })] });
  expect(text).toContain('from a terminal, started just now');
  expect(text.replace(/\s+/g, ' ')).toContain(
    'Go on with it by deepwork call, or abort it: deepwork abort 00000001',
  );
});

test('what a person did is not taken for a sign of the agent', () => {
  verifies('BOARD-2');
  const seen = { agent_seen_at: '2026-01-31T11:00:00.000Z' };
  expect(textOf({ runs: [run('00000001', seen)] })).toContain('agent last seen 1 h ago');
  expect(textOf({ runs: [run('00000001', {})] })).toContain('last active just now');
});

test('long feedback ends after a word, and says where all of it is', () => {
  verifies('BOARD-2');
  const last_feedback = 'wordy '.repeat(60);
  const text = textOf({ runs: [run('00000001', { last_feedback })] }).replace(/\s+/g, ' ');
  expect(text).toMatch(/Last feedback: (wordy )+wordy… \(deepwork history 00000001\) $/);
});

test('why a run was aborted can be read at 80 columns', () => {
  verifies('BOARD-2');
  const aborted = run('00000001', {
    ...ENDED,
    status: 'aborted',
    goal: 'Cut release 2.3.1 with only the fix',
    last_feedback: 'Not needed any more: 2.4 comes first',
  });
  const lines = textOf({ runs: [aborted] }).replace(/\s+/g, ' ');
  expect(lines).toContain('(Not needed any more: 2.4 comes first)');
});

test('a team, its todos and a wait for quota are told in plain words', () => {
  verifies('BOARD-2');
  const budget = { max: null, spent: 1, left: null };
  const limit_until = '2026-01-31T12:30:00.000Z';
  const text = textOf({
    runs: [
      run('00000001', {
        budgets: { turns: budget, minutes: budget, usd: budget },
        unattended: { agent: 'claude', turn: 1, is_running: false, limit_until, stopped: null },
      }),
    ],
    team: {
      ...{ agents: [], status: 'waiting-for-human', task: '', progress: [] },
      messages: { total: 0, unread: 0 },
      todos: [{ text: 'Ship it', status: 'in_progress' }],
    },
  }).replace(/\s+/g, ' ');
  expect(text).toContain('Team waiting for you');
  expect(text).toContain('- Ship it (in progress)');
  expect(text).toMatch(/The run goes on by itself at \d\d:\d\d\./);
  expect(text).not.toContain(limit_until);
});

test('on a narrow screen what ended is stacked, and no word is broken', () => {
  verifies('BOARD-2');
  const ended = run('00000001', {
    ...ENDED,
    workflow: 'release_notes/announcement',
    goal: 'Announce the internationalisation of everything',
  });
  for (const width of [40, 50, 69, 70, 80]) {
    const text = textOf({ runs: [ended] }, width);
    for (const line of text.split('\n')) expect(cellWidth(line)).toBeLessThanOrEqual(width);
    for (const word of ['release_notes/announcement', 'internationalisation', 'done just now']) {
      expect(text, `${width}`).toContain(word);
    }
  }
});

test('what repair has set aside is not sent to repair again', () => {
  verifies('BOARD-2');
  const found = { session_id: '00000001', why: 'line 1 was altered' };
  expect(textOf({ damaged: [found] })).toContain('To set them aside: deepwork repair\n');
  const aside = { ...found, why: setAsideBecause('damaged', 'damaged/session/00000001.jsonl') };
  const text = textOf({ damaged: [aside] }).replace(/\s+/g, ' ');
  expect(text).toContain('set aside as .deepwork/journal/damaged/session/00000001.jsonl');
  expect(text).not.toContain('deepwork repair');
  const foreign = { ...found, why: setAsideBecause('foreign', 'quarantine/00000001.jsonl') };
  expect(textOf({ damaged: [foreign] })).toContain('deepwork repair --journal');
});
