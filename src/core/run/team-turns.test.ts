import { expect, test } from 'vitest';
import { nextInTeam, type TeamFacts } from './team-turns.ts';

const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

function facts(status: TeamFacts['status'], agents: readonly string[], unread: [string, number][]) {
  return {
    status,
    turns: agents.map((agent, index) => ({ agent, startedAt: at(2 * index) })),
    unread: unread.map(([to, minute], index) => ({ id: index + 1, to, createdAt: at(minute) })),
  };
}

test.for([
  ['the coordinator begins', facts('working', [], [['writer', 0]]), 'coordinator'],
  ['who left while working goes on', facts('working', ['writer'], [['reviewer', 0]]), 'writer'],
  [
    'the oldest unread message decides',
    facts(
      'agent-done',
      ['coordinator'],
      [
        ['writer', 1],
        ['reviewer', 2],
      ],
    ),
    'writer',
  ],
  ['nothing unread: the coordinator', facts('agent-done', ['writer'], []), 'coordinator'],
  ['complete with unread mail: its addressee', facts('complete', ['coordinator'], [['w', 1]]), 'w'],
  [
    'an agent may leave a message unread in one turn',
    facts('agent-done', ['coordinator', 'writer'], [['writer', 1]]),
    'writer',
  ],
  [
    'after two turns the coordinator is informed',
    facts('agent-done', ['coordinator', 'writer', 'writer'], [['writer', 1]]),
    'coordinator',
  ],
  [
    "and then it is the agent's turn again",
    facts('agent-done', ['coordinator', 'writer', 'writer', 'coordinator'], [['writer', 1]]),
    'writer',
  ],
  [
    'turns before the message do not count',
    facts('agent-done', ['coordinator', 'writer', 'writer'], [['writer', 5]]),
    'writer',
  ],
] as const)('%s', ([, team, agent]) => {
  expect(nextInTeam(team).agent).toBe(agent);
});

test('the coordinator learns who ignores which message', () => {
  const team = facts('agent-done', ['coordinator', 'writer', 'writer'], [['writer', 1]]);
  expect(nextInTeam(team).ignored).toEqual({ agent: 'writer', message: 1 });
});
