// Measures how long the page kept a person waiting: long tasks and long animation frames, from the
// first moment of the page on. A busy machine stretches all of them, so each is judged by the
// processor time that the page's main thread spent in it, which a trace of the browser says, and
// is compared with the time that reference work takes in the same page.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { MAX_PIECES, referenceWork } from '../../support/reference-work.cjs';

const WATCH = `
window.longFrames = [];
for (const type of ['longtask', 'long-animation-frame']) {
  new PerformanceObserver((list) => {
    for (const { duration, entryType, startTime } of list.getEntries()) {
      window.longFrames.push({ duration, entryType, startTime });
    }
  }).observe({ type, buffered: true });
}`;

/** Ties the clock of the page to that of the trace. */
export const MARK = 'frames-are-measured';
/** Set in the task that does the reference work. */
const WORK_MARK = 'reference-work';
const MAX_MS = 200;
const MAX_ALLOWANCE_MS = 1000;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** In µs: when, how long, and how much of that on a processor. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly startTime?: number } };
}

interface Frame {
  readonly entryType: string;
  readonly startTime: number;
  readonly duration: number;
}

export interface LongestFrame {
  readonly kind: string;
  /** By the clock. */
  readonly lasted: number;
  readonly processorMs: number;
  /** How much of it this machine may take at the moment. */
  readonly maxMs: number;
}

export interface FrameMeasure {
  readonly page: Page;
  /** The one that exceeds its limit the most, or is closest to it. */
  longest(): Promise<LongestFrame>;
}

export async function measureFrames(context: BrowserContext): Promise<FrameMeasure> {
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]).filter(isOfInterest));
  });
  const includedCategories = ['disabled-by-default-devtools.timeline', 'blink.user_timing'];
  await session.send('Tracing.start', { traceConfig: { includedCategories } });
  return {
    page,
    async longest() {
      await doReferenceWork(page);
      await page.evaluate(`performance.mark('${MARK}')`);
      await endTrace(session);
      const frames = (await page.evaluate('window.longFrames')) as Frame[];
      const maxMs = Math.max(MAX_MS, Math.round(MAX_PIECES * referenceTime(events)));
      const taken = frames.map((frame) => judge(frame, processorTime(frame, events), maxMs));
      taken.sort((a, b) => b.processorMs - b.maxMs - (a.processorMs - a.maxMs));
      return taken[0] ?? { kind: 'none', lasted: 0, processorMs: 0, maxMs };
    },
  };
}

/**
 * What came in while the thread waited for a processor belongs to the same frame: for that, half
 * of the time it waited is allowed on top, within a limit.
 */
function judge({ entryType, duration }: Frame, processorMs: number, maxMs: number): LongestFrame {
  const allowance = Math.min(Math.max(0, duration - processorMs) / 2, MAX_ALLOWANCE_MS);
  return {
    kind: entryType,
    lasted: Math.round(duration),
    processorMs: Math.round(processorMs),
    maxMs: Math.round(maxMs + allowance),
  };
}

function isOfInterest({ name }: TraceEvent): boolean {
  return name === 'RunTask' || name === MARK || name === WORK_MARK;
}

/** Twice, each in a task of its own: the first time, it is not compiled yet. */
async function doReferenceWork(page: Page): Promise<void> {
  const task = `setTimeout(() => { (${referenceWork})(); performance.mark('${WORK_MARK}'); done(); })`;
  for (let times = 0; times < 2; times += 1) await page.evaluate(`new Promise((done) => ${task})`);
}

function referenceTime(events: readonly TraceEvent[]): number {
  const mark = events.findLast(({ name }) => name === WORK_MARK);
  if (mark === undefined) throw new Error('The trace has no reference work');
  const task = events.find(
    ({ name, pid, tid, ts, dur = 0 }) =>
      name === 'RunTask' &&
      pid === mark.pid &&
      tid === mark.tid &&
      ts <= mark.ts &&
      mark.ts <= ts + dur,
  );
  if (task === undefined) throw new Error('The trace has no task of the reference work');
  return (task.tdur ?? task.dur ?? 0) / 1000;
}

async function endTrace(session: CDPSession): Promise<void> {
  const complete = new Promise<{ readonly dataLossOccurred: boolean }>((resolve) => {
    session.once('Tracing.tracingComplete', resolve);
  });
  await session.send('Tracing.end');
  if ((await complete).dataLossOccurred) throw new Error('The trace is not complete');
}

/**
 * Of the page's main thread during a frame. A task counts for no longer than it overlaps the frame:
 * the one before often ends a moment after the frame has begun.
 */
export function processorTime(
  { startTime, duration }: Frame,
  events: readonly TraceEvent[],
): number {
  const mark = events.find(({ name }) => name === MARK);
  const marked = mark?.args?.data?.startTime;
  if (mark === undefined || marked === undefined) throw new Error('The trace has no mark');
  const from = mark.ts + (startTime - marked) * 1000;
  const to = from + duration * 1000;
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'RunTask' && pid === mark.pid && tid === mark.tid,
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page');
  let sum = 0;
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    const overlap = Math.min(ts + dur, to) - Math.max(ts, from);
    // None overlaps if the thread only waited for a processor.
    if (overlap > 0) sum += Math.min(tdur, overlap);
  }
  return sum / 1000;
}
