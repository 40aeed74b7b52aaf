import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cellWidth } from '../../board/drawing/text-width.ts';
import type { Board, Budget, Run } from '../../board/run.ts';
import { setAsideBecause } from '../../board/set-aside-words.ts';
import type { Screen } from './screen.ts';
import { shortStatus } from './status-short.ts';
import { statusText } from './status-text.ts';

const NOW = '2026-01-31T12:00:00.000Z';

function run(session_id: string, more: Partial<Run>): Run {
  return {
    session_id,
    workflow: 'demo/main',
    goal: 'Get it done',
    agent: null,
    parent_session_id: null,
    status: 'active',
    state: 'working',
    step: 'a',
    position: { index: 1, of: 3 },
    started_at: NOW,
    last_activity_at: NOW,
    ended_at: null,
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
    ...more,
  };
}

const ENDED = { status: 'completed', state: null, ended_at: NOW } as const;

function textOf(board: Partial<Board>, width = 80): string {
  const screen: Screen = { width, height: null, paint: (_colour, text) => text };
  const nothing = { runs: [], questions: [], damaged: [], team: null, warnings: [] };
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

test('runs that need a person are listed under Needs you, with what to do, and not under Running', () => {
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
  expect(Object.keys(shown)).toEqual(['/w', 'Needs you', 'Running', 'Ended']);
  const ids = (title: string) => shown[title]?.match(/^ +0000000\d/gm)?.map((id) => id.trim());
  expect(ids('Needs you')).toEqual(['00000001', '00000002', '00000003', '00000004']);
  expect(ids('Running')).toEqual(['00000005']);
  const needs = shown['Needs you']?.replace(/\s+/g, ' ');
  expect(needs).toContain('00000002 agent gone');
  expect(needs).toContain('Start writer again: its next call continues the run.');
  expect(needs).toContain('deepwork abort 00000002 --reason');
  expect(shown.Ended).toContain('done just now');
});

const NONE: Budget = { max: null, spent: 1, left: null };
const UNATTENDED = {
  agent: '/usr/bin/node /opt/agents/night.mjs --fast',
  turn: 2,
  is_running: false,
  limit_until: null,
  stopped: null,
};

test('a run that its runner has stopped is continued with more of the budget that is used up', () => {
  verifies('BOARD-2');
  const shown = (budgets: object, reason = 'budget') => {
    const stopped = { at: NOW, reason, detail: 'It is used up', warnings: [] };
    return textOf({
      runs: [
        run('00000001', {
          state: 'orphaned',
          agent: 'coordinator|command|00000001',
          unattended: { ...UNATTENDED, stopped },
          budgets: { turns: NONE, minutes: NONE, usd: NONE, ...budgets },
        }),
      ],
    });
  };
  const turns = { max: 1, spent: 1, left: 0 };
  const text = shown({ turns });
  expect(text).toContain('00000001  stopped ');
  expect(text).toContain('night.mjs, started just now');
  expect(text).toContain('deepwork run --resume 00000001 --max-turns 2\n');
  // Whatever stopped it, a used-up budget would stop it again.
  expect(shown({ turns }, 'stalled')).toContain('--max-turns 2\n');
  // The cost of a killed turn is unknown, so only removing the budget lets the run continue.
  expect(shown({ usd: { max: 5, spent: null, left: null } })).toContain('--max-usd none\n');
  expect(shown({ usd: { max: 5, spent: 4, left: 1 } })).toContain('--max-usd 10\n');
});

test('a run that has stopped is not counted as active, and one without a runner may have an agent', () => {
  verifies('BOARD-2');
  const budgets = { turns: NONE, minutes: NONE, usd: NONE };
  const shown = (is_running: boolean) => {
    const unattended = { ...UNATTENDED, is_running };
    const gone = run('00000001', { state: 'orphaned', unattended, budgets });
    return textOf({ runs: [gone, run('00000002', {})] });
  };
  expect(shown(true)).toContain('1 active run, 1 stopped\n');
  expect(shown(true)).toContain('may still run');
  expect(shown(false)).not.toContain('may still run');
});

test('a small screen shows everything in brief, a line each', () => {
  verifies('BOARD-2');
  const board: Board = {
    workspace: '/w',
    at: NOW,
    damaged: [],
    team: null,
    warnings: [],
    runs: [
      run('00000001', { questions: ['q-1'], state: 'waiting_for_person' }),
      run('00000002', { parent_session_id: '00000001' }),
      run('00000003', { ...ENDED, goal: 'wordy '.repeat(40) }),
    ],
    questions: [
      {
        id: 'q-1',
        kind: 'approval',
        asked_by: null,
        asked_at: NOW,
        session_id: '00000001',
        text: 'May it go out?\nThese files: a.md',
        choices: ['Yes'],
      },
    ],
  };
  for (const width of [40, 80, 120]) {
    const screen: Screen = { width, height: 10, paint: (_colour, text) => text };
    const lines = shortStatus(board, screen).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(cellWidth(line), line).toBeLessThanOrEqual(width);
  }
  const wide: Screen = { width: 80, height: 10, paint: (_colour, text) => text };
  expect(shortStatus(board, wide)).toBe(`/w: 2 active runs, 1 question
q-1       asked just now   May it go out?
00000001  waiting for you  demo/main, step a (1 of 3): Get it done
  00000002  working          demo/main, step a (1 of 3): Get it done
00000003  done just now    demo/main: wordy wordy wordy wordy wordy wordy wordy…
`);
});

test('what repair has set aside is not sent to repair again', () => {
  verifies('BOARD-2');
  const found = { session_id: '00000001', why: 'line 1 was altered', set_aside: null };
  expect(textOf({ damaged: [found] })).toContain('To set them aside: deepwork repair\n');
  const aside = {
    ...found,
    why: setAsideBecause('damaged', 'damaged/session/00000001.jsonl'),
    set_aside: 'damaged',
  } as const;
  const text = textOf({ damaged: [aside] }).replace(/\s+/g, ' ');
  expect(text).toContain('set aside as .deepwork/journal/damaged/session/00000001.jsonl');
  expect(text).not.toContain('deepwork repair');
  const foreign = {
    ...found,
    why: setAsideBecause('foreign', 'quarantine/00000001.jsonl'),
    set_aside: 'foreign',
  } as const;
  expect(textOf({ damaged: [foreign] })).toContain('deepwork repair --journal');
});

test('ended runs are below their parents, whichever ended first', () => {
  verifies('BOARD-2');
  const at = (minute: number) => `2026-01-31T11:0${minute}:00.000Z`;
  const ended = (id: string, minute: number, parent_session_id: string | null) =>
    run(id, { ...ENDED, ended_at: at(minute), started_at: at(0), parent_session_id });
  const runs = [
    ended('0000000d', 8, null),
    ended('0000000c', 7, '0000000b'),
    ended('0000000a', 6, null),
    ended('0000000b', 5, '0000000a'),
    ended('0000000e', 4, 'not-here'),
  ];
  const ids = (text: string) => text.match(/^ *0000000\w/gm);
  for (const width of [80, 140]) {
    expect(ids(sections(textOf({ runs }, width)).Ended ?? '')).toEqual([
      '  0000000d',
      '  0000000a',
      '    0000000b',
      '      0000000c',
      '  0000000e',
    ]);
  }
  const screen: Screen = { width: 80, height: null, paint: (_colour, text) => text };
  const nothing = { questions: [], damaged: [], team: null, warnings: [] };
  expect(ids(shortStatus({ workspace: '/w', at: NOW, ...nothing, runs }, screen))).toEqual([
    '0000000d',
    '0000000a',
    '  0000000b',
    '    0000000c',
    '0000000e',
  ]);
});
