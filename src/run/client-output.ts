// How each client reports what a turn cost, how to resume it, that it is out of quota, and what the
// agent said last. Errors count as said, too.
//
// Claude Code: `result` has `total_cost_usd`; `rate_limit_event` names the time when quota comes
// back if its status is `rejected`. With an API key a 429 names no time and does not count. The last
// words are in `result`; a turn that was ended has only `assistant` messages.
// Codex: usage limits are errors in plain text, with the time or how long it takes. No costs. Words are
// items of type `agent_message`.
// Gemini CLI: quota errors in plain text, with how long it takes. No costs. Words come in pieces.
// opencode: each `step_finish` has its cost, each `text` whole words.

import { isRecord } from '../core/is-record.ts';
import type { OutputFacts, ReadObject, ReadText } from './agent-output.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Also used for other commands: this format is documented. */
export const readClaude: ReadObject = (object) => {
  const { session_id: conversation, total_cost_usd: cost } = object;
  return {
    ...(typeof conversation === 'string' && { conversation }),
    ...(object.type === 'result' && isAmount(cost) && { costUsd: cost }),
    ...(object.type === 'rate_limit_event' && claudeLimit(object.rate_limit_info)),
    ...(object.type === 'assistant' && claudeWords(object.message)),
    ...(object.type === 'result' && saying(object.result)),
  };
};

function claudeWords(message: unknown): Partial<OutputFacts> {
  const { content } = asObject(message);
  const blocks = Array.isArray(content) ? content.map(asObject) : [];
  return saying(blocks.findLast(({ type }) => type === 'text')?.text);
}

function claudeLimit(info: unknown): Partial<OutputFacts> {
  const { status, resetsAt } = asObject(info);
  if (status !== 'rejected' || !isAmount(resetsAt)) return {};
  return { limitUntil: timeOf(resetsAt * 1000) };
}

export const readCodex: ReadObject = (object, _facts, now) => {
  const { type, thread_id: conversation, message } = object;
  const error = type === 'turn.failed' ? asObject(object.error).message : message;
  const item = type === 'item.completed' ? asObject(object.item) : {};
  return {
    ...(type === 'thread.started' && typeof conversation === 'string' && { conversation }),
    ...(typeof error === 'string' && codexLimit(error, now)),
    ...saying(item.type === 'agent_message' ? item.text : error),
  };
};

/** Longer texts would take long to search. */
const MAX_NOTICE = 1000;

/** `You've hit your usage limit. … try again in 2 hours 5 minutes.`, or `… at Nov 20th, 3:05 PM.` */
function codexLimit(text: string, now: number): Partial<OutputFacts> {
  const notice = text.slice(0, MAX_NOTICE);
  if (!/usage limit/i.test(notice)) return {};
  const [, span] = /try again in ((?:\d+ (?:day|hour|minute|second)s?[, ]*)+)/i.exec(notice) ?? [];
  if (span !== undefined) return { limitUntil: timeOf(now + spanMs(span)) };
  const [, at] = /try again at ([^.]*\d[^.]*)/i.exec(notice) ?? [];
  return at === undefined ? {} : codexTime(at, now);
}

/** Without a date it is today; without a year, in the year that brings it nearest to now. */
function codexTime(at: string, now: number): Partial<OutputFacts> {
  const words = at.replace(/(\d)(?:st|nd|rd|th)\b/g, '$1').trim();
  const date = new Date(now);
  const hasDate = /[a-z]{3}.*\d/i.test(words.replace(/[ap]m/i, ''));
  const hasYear = !hasDate || /\b\d{4}\b/.test(words);
  const texts = hasYear
    ? [hasDate ? words : `${date.toDateString()} ${words}`]
    : [-1, 0, 1].map((years) => words.replace(/^(\D+ \d+),?/, `$1, ${date.getFullYear() + years}`));
  const away = (time: number) => Math.abs(time - now);
  const [time] = texts
    .map((text) => Date.parse(text))
    .filter((each) => !Number.isNaN(each))
    .sort((a, b) => away(a) - away(b));
  return time === undefined ? {} : { limitUntil: timeOf(time) };
}

export const readGemini: ReadObject = (object, facts, now) => {
  const { session_id: conversation } = object;
  const text = JSON.stringify(object.error ?? object.message ?? '');
  return {
    ...(typeof conversation === 'string' && { conversation }),
    ...geminiLimit(text, now),
    ...geminiWords(object, facts.said ?? ''),
  };
};

function geminiWords(object: JsonObject, before: string): Partial<OutputFacts> {
  const { type, role, content, delta } = object;
  if (type === 'message' && role === 'assistant' && typeof content === 'string') {
    return saying(delta === true ? `${before}${content}` : content);
  }
  // The pieces after a tool's use begin a new sentence.
  if (type === 'tool_use' && before !== '') return saying(`${before}\n`);
  if (type === 'result') return saying(asObject(object.error).message);
  return type === 'error' && object.severity !== 'warning' ? saying(object.message) : {};
}

export const readGeminiText: ReadText = (line, now) => geminiLimit(line, now);

/** `Your quota will reset after 13h37m42s.` */
function geminiLimit(text: string, now: number): Partial<OutputFacts> {
  const [, span] = /quota will reset after ((?:\d+(?:\.\d+)?[hms])+)/i.exec(text) ?? [];
  return span === undefined ? {} : { limitUntil: timeOf(now + spanMs(span)) };
}

export const readOpencode: ReadObject = (object, { costUsd }) => {
  const { sessionID: conversation } = object;
  const { cost } = asObject(object.part);
  return {
    ...(typeof conversation === 'string' && { conversation }),
    ...(object.type === 'step_finish' && isAmount(cost) && { costUsd: (costUsd ?? 0) + cost }),
    ...(object.type === 'text' && saying(asObject(object.part).text)),
    ...(object.type === 'error' && saying(asObject(asObject(object.error).data).message)),
  };
};

function saying(words: unknown): Partial<OutputFacts> {
  return typeof words === 'string' ? { said: words } : {};
}

export const readNoText: ReadText = () => ({});

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};

/** `2 hours 5 minutes`, `1h2m3s` */
function spanMs(span: string): number {
  let sum = 0;
  for (const [, count, unit = ''] of span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi)) {
    sum += Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  }
  return sum;
}

/** The largest time that a Date can hold. */
const MAX_TIME_MS = 8_640_000_000_000_000;

function timeOf(milliseconds: number): string {
  return new Date(Math.min(milliseconds, MAX_TIME_MS)).toISOString();
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}
