// Loaded before the server (`node --require`): makes it believe that it runs on another
// machine, and shifts its clock. What cannot be had in one test run is pretended here.

const fs = require('node:fs');
const os = require('node:os');

const { TEST_HOST, TEST_BOOT, TEST_NAMESPACE, TEST_CLOCK_MS } = process.env;

if (TEST_HOST !== undefined) os.hostname = () => TEST_HOST;

if (TEST_BOOT !== undefined) {
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...rest) =>
    file === '/proc/sys/kernel/random/boot_id' ? TEST_BOOT : readFileSync(file, ...rest);
}

if (TEST_NAMESPACE !== undefined) {
  const { readlinkSync } = fs;
  fs.readlinkSync = (file, ...rest) =>
    file === '/proc/self/ns/pid' ? `pid:[${TEST_NAMESPACE}]` : readlinkSync(file, ...rest);
}

if (TEST_CLOCK_MS !== undefined) {
  const { now } = Date;
  Date.now = () => now() + Number(TEST_CLOCK_MS);
}
