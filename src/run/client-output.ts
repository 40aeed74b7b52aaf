// How each client reports what a turn cost, how to resume it, and that it is out of quota.
//
// Claude Code: `result` has `total_cost_usd`; `rate_limit_event` names the time when quota comes
// back if its status is `rejected`. With an API key a 429 names no time and does not count.
// Codex: usage limits are errors in plain text, with the time or how long it takes. No costs.
// Gemini CLI: quota errors in plain text, with how long it takes. No costs.
// opencode: each `step_finish` has its cost.

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
  };
};

function claudeLimit(info: unknown): Partial<OutputFacts> {
  const { status, resetsAt } = asObject(info);
  if (status !== 'rejected' || !isAmount(resetsAt)) return {};
  return { limitUntil: timeOf(resetsAt * 1000) };
}

export const readCodex: ReadObject = (object, _facts, now) => {
  const { type, thread_id: conversation, message } = object;
  const error = type === 'turn.failed' ? asObject(object.error).message : message;
  return {
    ...(type === 'thread.started' && typeof conversation === 'string' && { conversation }),
    ...(typeof error === 'string' && codexLimit(error, now)),
  };
};

/** `You've hit your usage limit. … try again in 2 hours 5 minutes.`, or `… at Nov 20th, 3:05 PM.` */
function codexLimit(text: string, now: number): Partial<OutputFacts> {
  if (!/usage limit/i.test(text)) return {};
  const [, span] = /try again in ((?:\d+ (?:day|hour|minute|second)s?[, ]*)+)/i.exec(text) ?? [];
  if (span !== undefined) return { limitUntil: timeOf(now + spanMs(span)) };
  const [, at] = /try again at ([^.]*\d[^.]*)/i.exec(text) ?? [];
  return at === undefined ? {} : codexTime(at, now);
}

function codexTime(at: string, now: number): Partial<OutputFacts> {
  const words = at.replace(/(\d)(?:st|nd|rd|th)\b/g, '$1').trim();
  const today = new Date(now).toDateString();
  const time = Date.parse(
    /[a-z]{3}.*\d/i.test(words.replace(/[ap]m/i, '')) ? words : `${today} ${words}`,
  );
  return Number.isNaN(time) ? {} : { limitUntil: timeOf(time) };
}

export const readGemini: ReadObject = (object, _facts, now) => {
  const { session_id: conversation } = object;
  const text = JSON.stringify(object.error ?? object.message ?? '');
  return {
    ...(typeof conversation === 'string' && { conversation }),
    ...geminiLimit(text, now),
  };
};

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
  };
};

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
