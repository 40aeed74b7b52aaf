// Loaded into a server with --require: its clock stands still at DEEPWORK_TEST_NOW, in milliseconds.

const now = Number(process.env.DEEPWORK_TEST_NOW);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now);
    else super(...given);
  }

  static now() {
    return now;
  }
};
