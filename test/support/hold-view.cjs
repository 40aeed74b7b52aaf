// Loaded into a server with --require: it stops, once, before it writes the view of a session
// (DEEPWORK_TEST_HOLD_AT=write) or puts it in place (=rename). It announces this by the file
// DEEPWORK_TEST_HOLD with `.waiting` appended to its name, and continues when there is one with
// `.go`.

const fs = require('node:fs');

const { DEEPWORK_TEST_HOLD: file, DEEPWORK_TEST_HOLD_AT: at } = process.env;
const { writeFileSync, renameSync } = fs;
const bell = new Int32Array(new SharedArrayBuffer(4));
let held = false;

function hold() {
  if (held) return;
  held = true;
  writeFileSync(`${file}.waiting`, '');
  while (!fs.existsSync(`${file}.go`)) Atomics.wait(bell, 0, 0, 5);
}

fs.writeFileSync = (target, data, ...rest) => {
  if (at === 'write' && typeof target === 'number' && String(data).includes('"revision": ')) hold();
  return writeFileSync(target, data, ...rest);
};

fs.renameSync = (from, to) => {
  if (at === 'rename' && /session_[0-9a-f]{8}\.json$/.test(String(to))) hold();
  return renameSync(from, to);
};
