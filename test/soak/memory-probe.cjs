// Loaded into a server with `--require`: on SIGUSR2 it collects all garbage and appends to
// a file what is left. Without collecting, growth could not be told from laziness.

const fs = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const report = process.env.MEMORY_REPORT;

if (isMainThread && report && process.argv.includes('serve')) {
  process.on('SIGUSR2', () => {
    v8.setFlagsFromString('--expose-gc');
    const gc = vm.runInNewContext('gc');
    gc();
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    fs.appendFileSync(report, `${JSON.stringify({ heap: heapUsed + external, rss })}\n`);
  });
}
