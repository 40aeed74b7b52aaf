// Loaded before a server (`node --require`): kills it with SIGKILL just before its nth change of the
// file system, DEEPWORK_KILL_AT, so that a test can check what is there then. Changes outside
// DEEPWORK_KILL_IN do not count. DEEPWORK_STATUS_LOG names a file that gets a line of JSON before each
// change: what git shows of that folder then, which is what it would show after a kill.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const at = Number(process.env.DEEPWORK_KILL_AT);
const folder = process.env.DEEPWORK_KILL_IN;
const statusLog = process.env.DEEPWORK_STATUS_LOG;
const { appendFileSync } = fs;
const { O_CREAT } = fs.constants;
/** Descriptors of files in the folder. */
const ours = new Set();
let changes = 0;

function change() {
  changes += 1;
  if (statusLog !== undefined) appendFileSync(statusLog, `${JSON.stringify(gitStatus())}\n`);
  if (changes === at) process.kill(process.pid, 'SIGKILL');
}

function gitStatus() {
  const args = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'];
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
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
