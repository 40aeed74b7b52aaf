// What happened in one run on one day, in as few lines as possible: accepted steps, refusals, turns
// and reminders that follow each other are merged into one line each. Any other event has a line
// of its own, and ends the merging.

import { agentLabel } from '../../board/agent-names.ts';
import type { RecentEvent, RecentKind } from '../../board/recent-events.ts';
import { compareTexts } from '../../core/compare-texts.ts';
import { dollars } from '../../core/run/budgets.ts';
import { itemOf } from '../../core/session/for-each.ts';
import { counted, howOften } from '../../core/wording.ts';
import { clockAt, withLocalTimes } from './times.ts';

export interface RecentLine {
  /** The time of its last event. */
  readonly at: string;
  readonly kind: RecentKind;
  readonly text: string;
}

const MERGED = ['turned_down', 'accepted', 'turn', 'reminded'] as const;
type Merged = (typeof MERGED)[number];
type Groups = Partial<Record<Merged, RecentEvent[]>>;

/** `events` are those of one run, oldest first. */
export function recentLines(events: readonly RecentEvent[], now: string): RecentLine[] {
  const lines: RecentLine[] = [];
  let groups: Groups = {};
  let isCompleted = false;
  const flush = () => {
    const found = MERGED.flatMap((kind) => merged(kind, groups[kind], isCompleted));
    lines.push(...found.sort((a, b) => compareTexts(a.at, b.at)));
    groups = {};
    isCompleted = false;
  };
  for (const event of events) {
    const { kind, at } = event;
    if (isMerged(kind)) {
      groups[kind] = [...(groups[kind] ?? []), event];
    } else if (kind === 'completed' && groups.accepted?.at(-1)?.at === at) {
      // The last step completed the run. No flush: the end of its turn is recorded a moment later.
      isCompleted = true;
    } else {
      flush();
      lines.push({ at, kind, text: wordsOf(event, now) });
    }
  }
  flush();
  return lines;
}

function isMerged(kind: RecentKind): kind is Merged {
  return (MERGED as readonly string[]).includes(kind);
}

/** Events have exact times; people read local ones. */
function wordsOf({ kind, text, why }: RecentEvent, now: string): string {
  if (kind === 'stopped') return withLocalTimes(text, now);
  return kind === 'out_of_quota' && why !== null ? text.replace(why, clockAt(why, now)) : text;
}

function merged(
  kind: Merged,
  events: readonly RecentEvent[] | undefined,
  isCompleted: boolean,
): RecentLine[] {
  const last = events?.at(-1);
  if (events === undefined || last === undefined) return [];
  const end = isCompleted && kind === 'accepted' ? '; completed' : '';
  return [{ at: last.at, kind, text: `${WORDS[kind](events, last)}${end}` }];
}

const WORDS: Readonly<
  Record<Merged, (events: readonly RecentEvent[], last: RecentEvent) => string>
> = {
  accepted: (events) => `Done: ${stepNames(events)}`,
  turned_down: turnedDown,
  turn: turns,
  reminded: (events, last) =>
    events.length === 1
      ? last.text
      : `The agent wanted to stop ${howOften(events.length)} and was sent back`,
};

function turnedDown(events: readonly RecentEvent[], last: RecentEvent): string {
  if (events.length === 1) return last.text;
  const isSame = events.every(({ step_id }) => step_id === last.step_id);
  return isSame
    ? `'${last.step_id}' was turned down ${howOften(events.length)}, last by ${last.why}`
    : `Turned down ${howOften(events.length)}; last '${last.step_id}', by ${last.why}`;
}

const MAX_NAMES = 12;

/** Each step once: `plan, implement (twice), translate (12 items)`. */
function stepNames(events: readonly RecentEvent[]): string {
  const counts = new Map<string, { count: number; isItem: boolean }>();
  for (const { step_id } of events) {
    const item = itemOf(step_id ?? '');
    const name = item?.stepId ?? step_id ?? '';
    const { count } = counts.get(name) ?? { count: 0 };
    counts.set(name, { count: count + 1, isItem: item !== null });
  }
  const names = [...counts].map(([name, { count, isItem }]) => {
    if (isItem) return `${name} (${counted(count, 'item')})`;
    return count === 1 ? name : `${name} (${howOften(count)})`;
  });
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

function turns(events: readonly RecentEvent[], last: RecentEvent): string {
  if (events.length === 1) return last.text;
  const agents = new Map<string, number>();
  for (const { by } of events) agents.set(by ?? '', (agents.get(by ?? '') ?? 0) + 1);
  const who =
    agents.size === 1
      ? ` of ${agentLabel(last.by ?? 'the agent')}`
      : ` (${[...agents].map(([name, count]) => `${agentLabel(name)} ${count}`).join(', ')})`;
  return `${events.length} turns${who}${costOf(events)}`;
}

function costOf(events: readonly RecentEvent[]): string {
  const known = events.flatMap(({ cost_usd }) => cost_usd ?? []);
  if (known.length === 0) return '';
  const sum = dollars(known.reduce((a, b) => a + b, 0));
  return known.length === events.length ? `, ${sum}` : `, ${sum} plus unreported costs`;
}
