import { expect, test } from 'vitest';
import { readOutput } from './agent-output.ts';
import {
  readClaude,
  readCodex,
  readGemini,
  readGeminiText,
  readNoText,
  readOpencode,
} from './client-output.ts';

const NOW = Date.parse('2026-11-17T10:00:00.000Z');

function factsFrom(reader: ReturnType<typeof readOutput>, ...lines: readonly (object | string)[]) {
  for (const line of lines) {
    reader.take(Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`));
  }
  return reader.facts();
}

test("Claude Code's stream says what a turn cost and when quota comes back", () => {
  const limit = { status: 'rejected', resetsAt: NOW / 1000 + 60 };
  const facts = factsFrom(
    readOutput(readClaude, readNoText),
    { type: 'system', subtype: 'init', session_id: 'c-1' },
    { type: 'rate_limit_event', rate_limit_info: limit },
    { type: 'result', total_cost_usd: 0.125, session_id: 'c-1' },
  );
  expect(facts).toEqual({
    costUsd: 0.125,
    conversation: 'c-1',
    limitUntil: '2026-11-17T10:01:00.000Z',
    said: null,
  });
});

test.for([
  [
    'Claude Code',
    readClaude,
    [
      {
        type: 'assistant',
        message: { content: [{ type: 'text', text: 'Looking' }, { type: 'tool_use' }] },
      },
      { type: 'result', subtype: 'success', result: 'May I edit files?' },
    ],
  ],
  [
    'Claude Code without a result',
    readClaude,
    [
      { type: 'assistant', message: { content: [{ type: 'text', text: 'May I edit files?' }] } },
      { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Edit' }] } },
    ],
  ],
  [
    'Codex',
    readCodex,
    [
      { type: 'item.completed', item: { type: 'agent_message', text: 'Looking' } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'May I edit files?' } },
      { type: 'item.completed', item: { type: 'command_execution', text: 'ls' } },
      { type: 'turn.completed' },
    ],
  ],
  [
    'Codex that failed',
    readCodex,
    [{ type: 'turn.failed', error: { message: 'May I edit files?' } }],
  ],
  [
    'Gemini CLI',
    readGemini,
    [
      { type: 'message', role: 'user', content: 'The prompt' },
      { type: 'message', role: 'assistant', content: 'Looking', delta: true },
      { type: 'tool_use', tool_name: 'read_file' },
      { type: 'message', role: 'assistant', content: 'May I ', delta: true },
      { type: 'message', role: 'assistant', content: 'edit files?', delta: true },
      { type: 'result', status: 'success' },
    ],
  ],
  [
    'opencode',
    readOpencode,
    [
      { type: 'text', part: { type: 'text', text: 'Looking' } },
      { type: 'text', part: { type: 'text', text: 'May I edit files?' } },
      { type: 'step_finish', part: { cost: 1 } },
    ],
  ],
  [
    'opencode that failed',
    readOpencode,
    [{ type: 'error', error: { name: 'E', data: { message: 'May I edit files?' } } }],
  ],
] as const)('the last words of %s are taken out of its output', ([, readObject, lines]) => {
  const { said } = factsFrom(readOutput(readObject, readNoText), ...lines);
  expect(said?.split('\n').at(-1)).toBe('May I edit files?');
});

test('of long words the end is kept', () => {
  const result = { type: 'result', result: `${'x'.repeat(10_000)} May I?` };
  const { said } = factsFrom(readOutput(readClaude, readNoText), result);
  expect(said).toHaveLength(2048);
  expect(said).toMatch(/ May I\?$/);
});

test.for([
  { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 1 } },
  { type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } },
  { type: 'result', is_error: true, api_error_status: 429 },
])('%j is no limit', (line) => {
  expect(factsFrom(readOutput(readClaude, readNoText), line).limitUntil).toBeNull();
});

test.for([
  ["You've hit your usage limit. Try again in 2 hours 5 minutes.", '2026-11-17T12:05:00.000Z'],
  [
    "You've hit your usage limit. Upgrade, or try again in 1 day 1 hour.",
    '2026-11-18T11:00:00.000Z',
  ],
  ['stream disconnected before completion', null],
])("Codex says '%s'", ([message, until]) => {
  const reader = readOutput(readCodex, readNoText, () => NOW);
  const facts = factsFrom(
    reader,
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'turn.failed', error: { message } },
  );
  expect(facts).toEqual({
    costUsd: null,
    conversation: 't-1',
    limitUntil: until,
    said: message,
  });
});

test('Codex may name the time instead', () => {
  const reader = readOutput(readCodex, readNoText, () => NOW);
  const message = "You've hit your usage limit. Try again at Nov 20th, 2026 3:05 PM.";
  const { limitUntil } = factsFrom(reader, { type: 'error', message });
  expect(new Date(limitUntil ?? '').toString()).toContain('Nov 20 2026 15:05:00');
});

test.each([
  ['2026-11-17T10:00', 'at 3:05 PM.', 'Nov 17 2026 15:05'],
  ['2026-11-17T10:00', 'at Nov 20th, 3:05 PM.', 'Nov 20 2026 15:05'],
  ['2026-12-30T10:00', 'at Jan 2nd 3:05 PM.', 'Jan 02 2027 15:05'],
  // It was printed a moment too late.
  ['2027-01-01T00:00', 'at Dec 31st, 11:59 PM.', 'Dec 31 2026 23:59'],
  ['2026-11-17T10:00', 'at Aug 20, 2027, 7:38 AM.', 'Aug 20 2027 07:38'],
])('on %s, Codex may leave out the year, or the day: %s', (now, at, until) => {
  const reader = readOutput(readCodex, readNoText, () => Date.parse(now));
  const message = `You've hit your usage limit. Upgrade to Pro, or try again ${at}`;
  const { limitUntil } = factsFrom(reader, { type: 'error', message });
  expect(new Date(limitUntil ?? '').toString()).toContain(until);
});

test('Gemini CLI says how long its quota is gone, in words', () => {
  const reader = readOutput(readGemini, readGeminiText, () => NOW);
  const said = 'You have exhausted your capacity. Your quota will reset after 1h2m3s.';
  expect(factsFrom(reader, said).limitUntil).toBe('2026-11-17T11:02:03.000Z');
});

test('opencode says the cost of each step', () => {
  const step = { type: 'step_finish', sessionID: 's-1', part: { cost: 0.25 } };
  expect(factsFrom(readOutput(readOpencode, readNoText), step, step)).toEqual({
    costUsd: 0.5,
    conversation: 's-1',
    limitUntil: null,
    said: null,
  });
});

test('a line that is too long is skipped, and the next one is read', () => {
  const reader = readOutput(readClaude, readNoText);
  const long = JSON.stringify({ type: 'result', total_cost_usd: 7, text: 'x'.repeat(2 ** 21) });
  expect(factsFrom(reader, long, { type: 'result', total_cost_usd: 1 }).costUsd).toBe(1);
  expect(reader.tail()).toBe('');
});

test('a line may come in pieces, and the last one without its end', () => {
  const reader = readOutput(readClaude, readNoText);
  for (const piece of ['warming up\n{"type":"res', 'ult","total_cost_usd":', '3}']) {
    reader.take(Buffer.from(piece));
  }
  expect(reader.facts().costUsd).toBe(3);
  expect(reader.tail()).toBe('warming up');
});

test('the highest of several costs counts, and invalid amounts are ignored', () => {
  const facts = factsFrom(
    readOutput(readClaude, readNoText),
    { type: 'result', total_cost_usd: 2 },
    { type: 'result', total_cost_usd: 0.01 },
    { type: 'result', total_cost_usd: -5 },
    '{"type": "result", "total_cost_usd": 1e999}',
    { type: 'result', total_cost_usd: 'NaN' },
  );
  expect(facts.costUsd).toBe(2);
});

test.each(['--dangerously-skip-permissions', '-c', 'a b', 'a\nb', '', '../x', 'x'.repeat(129)])(
  '%j is not taken for the name of a conversation',
  (name) => {
    const lines = [{ session_id: 'good_1-2' }, { session_id: name }];
    expect(factsFrom(readOutput(readClaude, readNoText), ...lines).conversation).toBe('good_1-2');
    const codex = { type: 'thread.started', thread_id: name };
    expect(factsFrom(readOutput(readCodex, readNoText), codex).conversation).toBeNull();
  },
);

test('a long text instead of a notice does not block the runner', () => {
  const message = `usage limit try again at 1${'a'.repeat(900_000)}`;
  const facts = factsFrom(readOutput(readCodex, readNoText), { type: 'error', message });
  expect(facts.limitUntil).toBeNull();
});
