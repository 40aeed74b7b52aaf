// Measures how long the page kept a person waiting: long tasks and long animation frames, from the
// first moment of the page on. A busy machine stretches all of them, so each is judged by the
// processor time that the page's main thread spent in it, which a trace of the browser says.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';

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
const MARK = 'frames-are-measured';

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
}

export interface FrameMeasure {
  readonly page: Page;
  /** The one that took most processor time. */
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
      await page.evaluate(`performance.mark('${MARK}')`);
      await endTrace(session);
      const frames = (await page.evaluate('window.longFrames')) as Frame[];
      const taken = frames.map((frame) => ({
        kind: frame.entryType,
        lasted: Math.round(frame.duration),
        processorMs: Math.round(processorTime(frame, events)),
      }));
      taken.sort((a, b) => b.processorMs - a.processorMs);
      return taken[0] ?? { kind: 'none', lasted: 0, processorMs: 0 };
    },
  };
}

function isOfInterest({ name }: TraceEvent): boolean {
  return name === 'RunTask' || name === MARK;
}

async function endTrace(session: CDPSession): Promise<void> {
  const complete = new Promise<{ readonly dataLossOccurred: boolean }>((resolve) => {
    session.once('Tracing.tracingComplete', resolve);
  });
  await session.send('Tracing.end');
  if ((await complete).dataLossOccurred) throw new Error('The trace is not complete');
}

/** Of all tasks of the page's main thread that a frame touches. */
function processorTime({ startTime, duration }: Frame, events: readonly TraceEvent[]): number {
  const mark = events.find(({ name }) => name === MARK);
  const marked = mark?.args?.data?.startTime;
  if (mark === undefined || marked === undefined) throw new Error('The trace has no mark');
  const from = mark.ts + (startTime - marked) * 1000;
  const to = from + duration * 1000;
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'RunTask' && pid === mark.pid && tid === mark.tid,
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page');
  // None at all: the thread only waited for a processor.
  const during = tasks.filter(({ ts, dur = 0 }) => ts < to && ts + dur > from);
  return during.reduce((sum, { tdur, dur = 0 }) => sum + (tdur ?? dur), 0) / 1000;
}
