// Loaded into a server with --require: its clock is DEEPWORK_TEST_CLOCK_HOURS hours off. Timers and
// the monotonic clock are not changed.

const shift = Number(process.env.DEEPWORK_TEST_CLOCK_HOURS) * 3_600_000;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
};
