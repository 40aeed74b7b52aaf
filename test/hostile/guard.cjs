// Loaded before a server (`node --require`): records every program that is started, every path
// that is opened, and every change of a path that is really outside the writable folders. It only
// records and prevents nothing; the test checks the records and the files.
//
// The notes are at `globalThis.deepworkGuard` or, for a server in a separate process, lines of the
// file DEEPWORK_GUARD_NOTES. DEEPWORK_GUARD_WRITABLE lists the writable folders.

const { syncBuiltinESMExports } = require('node:module');
const childProcess = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath } = require('node:url');

const { appendFileSync, readlinkSync } = fs;
const realpath = fs.realpathSync.native;

const notes = [];
const guard = {
  notes,
  writable: (process.env.DEEPWORK_GUARD_WRITABLE ?? '').split(path.delimiter).filter(Boolean),
};
globalThis.deepworkGuard = guard;

let noting = false;

function note(entry) {
  notes.push(entry);
  const file = process.env.DEEPWORK_GUARD_NOTES;
  if (file === undefined || noting) return;
  noting = true;
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  noting = false;
}

function textOf(given) {
  if (typeof given === 'string') return path.resolve(given);
  if (given instanceof URL) return fileURLToPath(given);
  if (Buffer.isBuffer(given)) return path.resolve(given.toString());
  return null;
}

/** Where a path really is or would be created, also through a broken link. */
function realOf(file, follows, hops = 0) {
  try {
    if (follows) return realpath(file);
  } catch {
    // It does not exist: its parent decides, unless it is a link.
  }
  try {
    if (follows && hops < 40) {
      return realOf(path.resolve(path.dirname(file), readlinkSync(file)), true, hops + 1);
    }
  } catch {
    // No link.
  }
  let parent = path.dirname(file);
  let rest = path.basename(file);
  for (;;) {
    try {
      return path.join(realpath(parent), rest);
    } catch {
      rest = path.join(path.basename(parent), rest);
      parent = path.dirname(parent);
    }
  }
}

function isWritable(real) {
  return guard.writable.some((root) => real === root || real.startsWith(root + path.sep));
}

function changes(call, given, follows) {
  const file = textOf(given);
  if (file === null) return;
  const real = realOf(file, follows);
  note({ kind: isWritable(real) ? 'changed' : 'outside', call, path: file, real });
}

function opens(call, given) {
  const file = textOf(given);
  if (file !== null) note({ kind: 'opened', call, path: file });
}

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW, O_EXCL } = fs.constants;

function judgeOpen(call, file, flags = 'r') {
  const number = typeof flags === 'number';
  const writes = number
    ? (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0
    : /[wa+]/.test(flags);
  opens(call, file);
  const follows = number ? (flags & (O_NOFOLLOW | O_EXCL)) === 0 : !flags.includes('x');
  if (writes) changes(call, file, follows);
}

const both = (call, from, to) => {
  changes(call, from, false);
  changes(call, to, false);
};
const JUDGES = {
  open: judgeOpen,
  readFile: (call, file) => opens(call, file),
  readdir: (call, file) => opens(call, file),
  opendir: (call, file) => opens(call, file),
  createReadStream: (call, file) => opens(call, file),
  createWriteStream: (call, file) => changes(call, file, true),
  writeFile: (call, file, _, options) =>
    changes(call, file, !(typeof options === 'object' && /x/.test(options?.flag ?? ''))),
  appendFile: (call, file) => changes(call, file, true),
  truncate: (call, file) => changes(call, file, true),
  chmod: (call, file) => changes(call, file, true),
  chown: (call, file) => changes(call, file, true),
  utimes: (call, file) => changes(call, file, true),
  lutimes: (call, file) => changes(call, file, false),
  lchown: (call, file) => changes(call, file, false),
  mkdir: (call, file) => changes(call, file, false),
  mkdtemp: (call, file) => changes(call, file, false),
  rm: (call, file) => changes(call, file, false),
  rmdir: (call, file) => changes(call, file, false),
  unlink: (call, file) => changes(call, file, false),
  rename: both,
  link: both,
  symlink: (call, _, file) => changes(call, file, false),
  copyFile: (call, _, file) => changes(call, file, true),
  cp: (call, _, file) => changes(call, file, true),
};

function wrap(object, name, judge) {
  const original = object[name];
  if (typeof original !== 'function') return;
  const wrapped = function (...args) {
    if (!noting) judge(name, ...args);
    return original.apply(this, args);
  };
  // `fs.realpath.native` and the like, and the symbols that `promisify` uses.
  for (const key of Reflect.ownKeys(original)) {
    if (!(key in wrapped)) wrapped[key] = original[key];
  }
  object[name] = wrapped;
}

for (const [name, judge] of Object.entries(JUDGES)) {
  wrap(fs, name, judge);
  wrap(fs, `${name}Sync`, judge);
  wrap(fs.promises, name, judge);
}

const starts = (call, file) => note({ kind: 'started', call, path: String(file?.file ?? file) });
for (const name of ['spawnSync', 'execSync', 'execFileSync']) wrap(childProcess, name, starts);
wrap(childProcess.ChildProcess.prototype, 'spawn', starts);

syncBuiltinESMExports();
