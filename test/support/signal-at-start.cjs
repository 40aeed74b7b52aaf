// Loaded before a server: sends it a signal at a named moment of its start, which no test could hit
// from outside.
//
//   SIGNAL_AT=turn      the first turn of the event loop, before anything heavy is loaded
//   SIGNAL_AT=engine    while the engine is being loaded

const fs = require('node:fs');

const { SIGNAL_AT, SIGNAL } = process.env;
const send = () => process.kill(process.pid, SIGNAL);

if (SIGNAL_AT === 'turn') setImmediate(send);
if (SIGNAL_AT === 'engine') {
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...rest) => {
    if (/engine(-http)?\.cjs$/.test(String(file))) send();
    return readFileSync(file, ...rest);
  };
}
