// Loaded before a server (`node --require`): kills it with SIGKILL just before its nth change of the
// file system, DEEPWORK_KILL_AT, so that a test can check what is there then. Changes outside
// DEEPWORK_KILL_IN do not count.

const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const at = Number(process.env.DEEPWORK_KILL_AT);
const folder = process.env.DEEPWORK_KILL_IN;
const { O_CREAT } = fs.constants;
/** Descriptors of files in the folder. */
const ours = new Set();
let changes = 0;

function change() {
  changes += 1;
  if (changes === at) process.kill(process.pid, 'SIGKILL');
}

function isOurs(given) {
  if (typeof given === 'number') return ours.has(given);
  return typeof given === 'string' && path.resolve(given).startsWith(folder + path.sep);
}

function creates(flags = 'r') {
  return typeof flags === 'number' ? (flags & O_CREAT) !== 0 : /[wax]/.test(flags);
}

function wrap(object, name, isChange) {
  const original = object[name];
  object[name] = function (...args) {
    if (isChange(...args)) change();
    const result = original.apply(this, args);
    if (name === 'openSync' && isOurs(args[0])) ours.add(result);
    if (name === 'closeSync') ours.delete(args[0]);
    return result;
  };
}

wrap(fs, 'openSync', (file, flags) => isOurs(file) && creates(flags));
wrap(fs.promises, 'open', (file, flags) => isOurs(file) && creates(flags));
wrap(fs, 'closeSync', () => false);
for (const name of [
  'writeSync',
  'writeFileSync',
  'mkdirSync',
  'renameSync',
  'rmSync',
  'linkSync',
]) {
  wrap(fs, name, isOurs);
}
for (const name of ['mkdir', 'rename', 'rm', 'unlink', 'link', 'writeFile']) {
  wrap(fs.promises, name, isOurs);
}
syncBuiltinESMExports();
