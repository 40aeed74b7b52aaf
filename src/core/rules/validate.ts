// Validates a text against criteria. Every applicable rule runs, so that an agent learns of
// all problems at once. A member of the tree is skipped (its condition does not hold), passed
// or failed; a composition considers only those that were not skipped:
//
//            members                       becomes
//   and      all skipped                   skipped
//            one or more failed            failed, reporting those
//   or       all skipped                   skipped
//            all others failed             failed, reporting all of them
//   not      skipped                       skipped
//            passed                        failed, reporting itself
//
// A rule that exceeds its time interrupts the whole validation, since no verdict is possible.

import { type Context, holds } from '../conditions.ts';
import { hasMoreValuesThan } from '../json-size.ts';
import type { Criteria, CriteriaPart, Failure, Rule, RulesResult, Test } from './model.ts';
import { matches } from './regex.ts';
import { messagesOf } from './requirement-texts.ts';
import { runWithin, type Timed } from './run-within.ts';
import { containsText, countCodePoints } from './text.ts';
import { MAX_RULE_MILLISECONDS, type RuleBudget } from './time-budget.ts';

const RULE_MILLISECONDS = 100;
/** More could not be parsed within a rule's time. */
const MAX_JSON_VALUES = 200_000;

const EMPTY = {
  message: 'Output is empty or invalid.',
  suggestion: 'Provide valid output content.',
};
const NOT_JSON = 'Output is not valid JSON for schema validation';
const REVIEW = 'Review validation criteria and adjust output accordingly.';

type Outcome =
  | { readonly kind: 'skipped' | 'passed' }
  | { readonly kind: 'failed'; readonly reports: readonly Report[] }
  | Extract<RulesResult, { kind: 'interrupted' }>;

type Report = Failure & { readonly becauseNotJson: boolean };

/** Work that pauses between rules. */
type Judging<T> = Generator<undefined, T, undefined>;

/** Shared by the rules of one call; each part is computed when first needed. */
interface Subject {
  readonly text: string;
  readonly context: Context;
  readonly budget: RuleBudget;
  readonly codePoints: () => number;
  readonly json: () => Json;
}

/** The text as JSON; null if it is not JSON, a problem if it must not be parsed. */
type Json = { readonly value: unknown } | { readonly problem: string } | null;

/**
 * Without criteria, only a blank text fails. Yields between rules, so that the caller can let
 * other work run: a rule may take a tenth of a second.
 */
export function* validateText(
  criteria: Criteria | null,
  text: string,
  context: Context,
  budget: RuleBudget,
): Judging<RulesResult> {
  if (text.trim() === '') {
    const { message, suggestion } = EMPTY;
    return {
      kind: 'done',
      valid: false,
      issues: [message],
      suggestions: [suggestion],
      failures: [EMPTY],
    };
  }
  const subject: Subject = {
    text,
    context,
    budget,
    codePoints: once(() => countCodePoints(text)),
    json: once(() => readJson(text)),
  };
  const outcome = yield* judgeAll('and', criteria?.members ?? [], subject);
  if (outcome.kind === 'interrupted') return outcome;
  return conclude(outcome.kind === 'failed' ? outcome.reports : []);
}

function conclude(reports: readonly Report[]): RulesResult {
  const issues: string[] = [];
  const firstNotJson = reports.find((report) => report.becauseNotJson);
  const suggestions = new Set<string>(reports.length > 0 ? [REVIEW] : []);
  for (const report of reports) {
    issues.push(report.message);
    if (report === firstNotJson) issues.push(NOT_JSON);
    if (report.suggestion !== null) suggestions.add(report.suggestion);
  }
  for (const { places = [] } of reports) for (const place of places) suggestions.add(place);
  const failures = reports.map(({ becauseNotJson: _, ...failure }) => failure);
  const valid = reports.length === 0;
  return { kind: 'done', valid, issues, suggestions: [...suggestions], failures };
}

function* judge(member: CriteriaPart, subject: Subject): Judging<Outcome> {
  switch (member.kind) {
    case 'and':
    case 'or':
      return yield* judgeAll(member.kind, member.members, subject);
    case 'not': {
      const outcome = yield* judge(member.member, subject);
      if (outcome.kind === 'failed') return { kind: 'passed' };
      if (outcome.kind !== 'passed') return outcome;
      const [message = ''] = messagesOf(member, subject.context);
      return fail({ message, suggestion: member.suggestion, becauseNotJson: false });
    }
    default:
      yield;
      return yield* judgeRule(member, subject);
  }
}

function* judgeAll(
  kind: 'and' | 'or',
  members: readonly CriteriaPart[],
  subject: Subject,
): Judging<Outcome> {
  const reports: Report[] = [];
  let isPassed = false;
  for (const member of members) {
    const outcome = yield* judge(member, subject);
    if (outcome.kind === 'interrupted') return outcome;
    if (outcome.kind === 'failed') reports.push(...outcome.reports);
    isPassed ||= outcome.kind === 'passed';
  }
  if (reports.length > 0 && !(kind === 'or' && isPassed)) return { kind: 'failed', reports };
  return { kind: isPassed ? 'passed' : 'skipped' };
}

function* judgeRule(rule: Rule, subject: Subject): Judging<Outcome> {
  const { pointer, message, suggestion, condition } = rule;
  if (condition !== null && !holds(condition, subject.context)) return { kind: 'skipped' };
  const { budget } = subject;
  if (budget.milliseconds <= 0) {
    const reason = `all rules together took longer than ${MAX_RULE_MILLISECONDS} ms`;
    return { kind: 'interrupted', rule: pointer, reason };
  }
  const json = rule.kind === 'schema' ? subject.json() : { value: undefined };
  if (json === null) return fail({ message, suggestion, becauseNotJson: true });
  if ('problem' in json) return { kind: 'interrupted', rule: pointer, reason: json.problem };
  // Parsing the JSON does not count against the rule, but it may have taken as long.
  if (rule.kind === 'schema') yield;
  const tested = yield* counted(budget, passes(rule, subject, json.value));
  let places: readonly string[] = [];
  if (tested.kind === 'done' && !tested.value && rule.kind === 'schema') {
    const listing = rule.schema.complaints(json.value);
    yield;
    places = yield* counted(budget, listing);
  }
  if (tested.kind === 'interrupted') return { ...tested, rule: pointer };
  if (tested.value) return { kind: 'passed' };
  return fail({ message, suggestion, becauseNotJson: false, ...(places.length > 0 && { places }) });
}

function* passes(test: Test, subject: Subject, json: unknown): Judging<Timed<boolean>> {
  const { text } = subject;
  switch (test.kind) {
    case 'contains':
      return { kind: 'done', value: containsText(text, test.value) } as const;
    case 'length': {
      const length = subject.codePoints();
      return { kind: 'done', value: length >= test.min && length <= test.max } as const;
    }
    case 'regex':
      return yield* runWithin(RULE_MILLISECONDS, () => matches(test.regex, text));
    case 'schema':
      return yield* runWithin(RULE_MILLISECONDS, () => test.schema.accepts(json));
  }
}

/** The time of its pieces counts, not the time between them. */
function* counted<T>(budget: RuleBudget, work: Iterator<unknown, T>): Judging<T> {
  for (;;) {
    const began = performance.now();
    const piece = work.next();
    budget.milliseconds -= performance.now() - began;
    if (piece.done) return piece.value;
    yield;
  }
}

function fail(report: Report): Outcome {
  return { kind: 'failed', reports: [report] };
}

/** Accepts a byte order mark, which some editors add. */
function readJson(text: string): Json {
  const json = insideFence(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (hasMoreValuesThan(MAX_JSON_VALUES, json)) {
    return { problem: `the JSON has more than ${MAX_JSON_VALUES} values` };
  }
  try {
    return { value: JSON.parse(json) };
  } catch {
    return null;
  }
}

const FENCE = '```';

/** Models often wrap JSON in a fence: for a text that is one `json` block, use its content. */
function insideFence(text: string): string {
  const block = text.trim();
  const firstEnd = block.indexOf('\n');
  if (block.slice(0, firstEnd).trimEnd() !== `${FENCE}json`) return text;
  const inside = block.slice(firstEnd, -FENCE.length);
  const isOne = block.endsWith(`\n${FENCE}`) && !inside.includes(`\n${FENCE}`);
  return isOne ? inside : text;
}

function once<T>(work: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    kept ??= { value: work() };
    return kept.value;
  };
}
