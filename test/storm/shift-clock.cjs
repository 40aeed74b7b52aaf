// Loaded into a server with --require: `Date` runs so many milliseconds off as the file
// named by DEEPWORK_TEST_CLOCK says. The file is looked at again every few milliseconds of
// the monotonic clock, which is not shifted, so a test can step the clock of all servers.

const { readFileSync } = require('node:fs');

const RealDate = Date;
const LOOK_AGAIN_MS = 5;
const file = process.env.DEEPWORK_TEST_CLOCK;
let offset = 0;
let looked = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - looked > LOOK_AGAIN_MS) {
    looked = performance.now();
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      // Being replaced: the step before still holds.
    }
  }
  return RealDate.now() + offset;
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now() {
    return now();
  }
};
