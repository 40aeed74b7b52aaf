// Fails a test if the event loop of its server stalled. Loaded into a server with `--require` (see
// stalls.ts), it checks itself every 20 ms. Wall-clock time does not count, since a busy machine
// causes gaps that are not ours: the kernel reports how long the main thread ran and how long it
// waited for a processor.
//
//   ran       processor time in the gap. More than 200 ms in one turn is a stall, unless the
//             machine is so busy that it needs as long for twenty pieces of reference work
//             (see reference-work.cjs). What came in while the thread waited for a processor
//             is worked off in one turn, too: for that, half of the time it waited is allowed
//             on top, but no more than a second.
//   blocked   neither ran nor waited for a processor: it slept in a system call, such as a
//             read of a slow disk, a FIFO or a child process. Disks that are shared with a
//             test suite may take a moment, so only a second counts.
//
// Loading an engine bundle, once, before anything is served by it, does not count. Nor does
// the time for which the process was stopped by a signal.

const { isMainThread } = require('node:worker_threads');
const fs = require('node:fs');
const vm = require('node:vm');
const { MAX_PIECES, referenceWork } = require('./reference-work.cjs');

const report = process.env.STALL_REPORT;
const LOOK_EVERY_MS = 20;
const MAX_RUN_MS = 200;
const MAX_ALLOWANCE_MS = 1000;
const MAX_BLOCKED_MS = 1000;

if (isMainThread && report && process.argv.includes('serve')) watch();

function watch() {
  const clock = openThreadClock();
  let before = clock();
  let loading = true;
  let continuedAt = Number.NEGATIVE_INFINITY;
  let suspected = null;

  const run = vm.Script.prototype.runInThisContext;
  vm.Script.prototype.runInThisContext = function (...args) {
    loading = true;
    return run.apply(this, args);
  };
  process.on('SIGCONT', () => {
    continuedAt = performance.now();
  });

  setInterval(() => {
    const now = clock();
    const wall = now.wall - before.wall;
    const ran = now.ran - before.ran;
    const waited = now.waited - before.waited;
    const blocked = wall - ran - waited - LOOK_EVERY_MS;
    const since = before.wall;
    before = now;
    // A process that was stopped may see the signal only in the turn after it continues.
    if (suspected !== null && continuedAt < suspected.since) tell(suspected);
    suspected = null;
    const ours = !loading;
    loading = false;
    if (!ours) return;
    const allowance = Math.min(waited / 2, MAX_ALLOWANCE_MS);
    if (ran > MAX_RUN_MS + allowance) {
      if (ran > MAX_PIECES * timeOfReferenceWork(clock) + allowance) tell({ wall, ran, blocked });
      before = clock();
    } else if (blocked > MAX_BLOCKED_MS) suspected = { wall, ran, blocked, since };
  }, LOOK_EVERY_MS).unref();
}

function timeOfReferenceWork(clock) {
  // The first time, it is not compiled yet.
  referenceWork();
  const from = clock();
  referenceWork();
  return clock().ran - from.ran;
}

function tell({ wall, ran, blocked }) {
  const [total, busy, slept] = [wall, ran, Math.max(0, blocked)].map(Math.round);
  const line = `the event loop stood still for ${total} ms: ran ${busy} ms, blocked ${slept} ms`;
  fs.appendFileSync(report, `${line}\n`);
}

/** Milliseconds of the main thread: wall clock, on a processor, waiting for one. */
function openThreadClock() {
  let file;
  try {
    file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    // Not Linux: processor time of the whole process, and nothing about waiting or blocking.
    return () => {
      const { user, system } = process.cpuUsage();
      return { wall: 0, ran: (user + system) / 1000, waited: 0 };
    };
  }
  const text = Buffer.alloc(128);
  return () => {
    const length = fs.readSync(file, text, 0, text.length, 0);
    const [ran, waited] = text.toString('latin1', 0, length).split(' ');
    return { wall: performance.now(), ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
  };
}
