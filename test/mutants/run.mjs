// npm run mutants: makes each change of the list in a copy of the tree, and runs the tests that must
// notice it.
//
//   npm run mutants                         all of them; CONTRIBUTING.md says how long that takes
//   npm run mutants -- gate/review 12 40-60 those in files with this name, and by number
//   npm run mutants -- --at-once 2          two at a time, in two copies
//   npm run mutants -- --tree ../other      the changes of this list, made in another checkout
//   npm run mutants -- 12 --by test/gate/x  whether another test notices it
//   npm run mutants -- --out result.txt     a line for each change, as it is printed
//   npm run mutants -- --list               only prints the list
//
// A change that no test notices, or that cannot be made, ends it with 1.

import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CHANGES } from './rows.mjs';

const own = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: '1' },
    tree: { type: 'string', default: own },
    by: { type: 'string' },
    out: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const tree = realpathSync(values.tree);

/** A change with which a test does not end is noticed, too. */
const MAX_TEST_MS = 120_000;
/** The tests' own limits are for busy machines. */
const MAX_ONE_TEST_MS = 45_000;
const MAX_BUILD_MS = 120_000;
/** All tests that the list names, on the unchanged tree. */
const MAX_VERIFY_MS = 20 * 60_000;
/** In the environment of everything that is started here, so that nothing of it stays behind. */
const MARK = 'MUTANTS_RUN';
const mark = `${process.pid}-${Date.now()}`;
const env = { ...process.env, [MARK]: mark };
const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'deepwork-mutants-')));

const wanted = CHANGES.map(({ noticedBy, ...change }, index) => {
  return { ...change, noticedBy: values.by ?? noticedBy, number: index + 1 };
}).filter(isWanted);
if (values.list) {
  for (const each of wanted) console.log(`${each.number}  ${each.file}: ${each.says}`);
  process.exit();
}

process.on('exit', () => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

const first = copyTree('copy-1');
say(`building ${tree}`);
const built = await build(first, false);
if (built !== null) end(`The tree does not build:\n${built}`);
// Changes that need no build come first, so that the build of the unchanged tree serves them.
const queue = wanted.toSorted((a, b) => Number(needsBuild(a)) - Number(needsBuild(b)));
const failing = await verify(first);
const copies = [first];
for (let nth = 2; nth <= Number(values['at-once']); nth++) {
  cpSync(first, path.join(folder, `copy-${nth}`), { recursive: true, verbatimSymlinks: true });
  copies.push(path.join(folder, `copy-${nth}`));
}
const results = [];
await Promise.all(copies.map(workIn));
const missed = results.filter(({ how }) => how !== 'noticed');
say(`${results.length - missed.length} of ${results.length} noticed`);
for (const { line } of missed.toSorted((a, b) => a.number - b.number)) say(line);
process.exitCode = missed.length > 0 ? 1 : 0;

function isWanted({ number, file }) {
  if (positionals.length === 0) return true;
  return positionals.some((each) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(each) ?? [];
    return from === undefined ? file.includes(each) : number >= +from && number <= +to;
  });
}

/** Everything but what git ignores; installed packages are linked. */
function copyTree(name) {
  const copy = path.join(folder, name);
  const listed = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.stdout.split('\0').filter(Boolean)) {
    if (!existsSync(path.join(tree, file))) continue;
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(tree, file), path.join(copy, file), { verbatimSymlinks: true });
  }
  symlinkSync(path.join(tree, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** Each change in its turn, in one copy. */
async function workIn(copy) {
  for (let change = queue.shift(); change !== undefined; change = queue.shift()) {
    const began = Date.now();
    const { how, by } = await tryChange(copy, change);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const { number, file, says } = change;
    const line = `${String(number).padStart(3)}  ${how}  ${file}: ${says}  [${by}, ${seconds} s]`;
    results.push({ number, how, line });
    say(`${results.length}/${wanted.length} ${line}`);
    if (values.out !== undefined) appendFileSync(values.out, `${line}\n`);
  }
}

async function tryChange(copy, change) {
  const { file, find, replace, noticedBy } = change;
  const cannot = (why) => ({ how: 'CANNOT BE MADE', by: why });
  const source = path.join(copy, 'src', file);
  const text = existsSync(source) ? readFileSync(source, 'utf8') : '';
  if (text.split(find).length !== 2) return cannot('its place is not there once');
  const known = failing.get(noticedBy);
  if (known !== undefined) return cannot(known);
  writeFileSync(
    source,
    text.replace(find, () => replace),
  );
  try {
    if (needsBuild(change)) {
      const problem = await build(copy, true);
      if (problem !== null) return cannot(`it does not build: ${problem.slice(-200).trim()}`);
    }
    const ran = await runTests(copy, [noticedBy], MAX_TEST_MS);
    return ran.failed === null
      ? { how: 'NOT NOTICED', by: noticedBy }
      : { how: 'noticed', by: ran.failed };
  } finally {
    writeFileSync(source, text);
  }
}

/** Why no verdict of a test can be trusted, by test: it fails, or does not run, without any change. */
async function verify(copy) {
  const all = [...new Set(wanted.map(({ noticedBy }) => noticedBy))];
  const files = [...new Set(all.map(fileOf))];
  say(`running ${files.length} test files without any change`);
  const { tests, failed } = await runTests(copy, files, MAX_VERIFY_MS, false);
  if (tests === null) end(`The tests cannot be run: ${failed}`);
  const found = new Map();
  for (const each of all) {
    const [, name = ''] = each.split(' > ');
    const meant = tests.filter((test) => test.file === fileOf(each) && test.name.includes(name));
    const bad = meant.find(({ status }) => status === 'failed');
    if (bad !== undefined) found.set(each, `${each} fails without any change: ${bad.name}`);
    else if (!meant.some(({ status }) => status === 'passed'))
      found.set(each, `${each} runs no test`);
  }
  for (const why of found.values()) say(why);
  return found;
}

function fileOf(noticedBy) {
  return noticedBy.split(' > ', 1)[0];
}

/** `failed`: the first test that fails, or what went wrong; null: all pass. */
async function runTests(copy, noticedBy, limit, bail = true) {
  const report = path.join(copy, 'mutants-report.json');
  rmSync(report, { force: true });
  const names = noticedBy.flatMap((each) => each.split(' > ').slice(1));
  const args = [
    path.join(copy, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...noticedBy.map((each) => `${fileOf(each)}.test.ts`),
    ...(names.length > 0 ? ['-t', names.map(escaped).join('|')] : []),
    ...(bail ? ['--bail=1', `--testTimeout=${MAX_ONE_TEST_MS}`] : []),
    ...['--maxWorkers=1', '--reporter=json', `--outputFile=${report}`],
  ];
  const ran = await run(args, copy, limit);
  if (ran.timedOut) return { failed: `no end after ${limit / 1000} s`, tests: null };
  if (!existsSync(report)) return { failed: `no test ran: ${ran.output.slice(-300)}`, tests: null };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({ name, assertionResults, status, message }) => {
    const file = path.relative(copy, name).replace(/\.test\.ts$/, '');
    const each = assertionResults.map(({ fullName, status: is }) => ({
      file,
      name: fullName,
      status: is,
    }));
    // A file that cannot be loaded has no tests.
    const isBroken = status === 'failed' && !each.some((test) => test.status === 'failed');
    return isBroken ? [...each, { file, name: String(message).slice(0, 200), status }] : each;
  });
  const bad = tests.find(({ status }) => status === 'failed');
  if (bad !== undefined) return { failed: `${bad.file}: ${bad.name}`, tests };
  return { failed: ran.code === 0 ? null : `the run failed: ${ran.output.slice(-300)}`, tests };
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Null, or why it failed. `quick`: only the bundles, where the build of that tree can do it. */
async function build(copy, quick) {
  const script = path.join(copy, 'scripts/build.mjs');
  const canBeQuick = readFileSync(script, 'utf8').includes('--bundles');
  const ran = await run(
    [script, ...(quick && canBeQuick ? ['--bundles'] : [])],
    copy,
    MAX_BUILD_MS,
  );
  return ran.code === 0 ? null : ran.output;
}

/** Whether the tests use what was built, and not the sources. */
function needsBuild({ noticedBy }) {
  return usesBuild(path.join(tree, `${fileOf(noticedBy)}.test.ts`), new Set());
}

/** In the text of a test, or of a helper of tests that it imports. */
function usesBuild(file, seen) {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (text.includes('dist/')) return true;
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, from]) => path.resolve(path.dirname(file), from))
    .filter((each) => !path.relative(tree, each).startsWith('src'))
    .some((each) => usesBuild(each, seen));
}

/** Runs node in a process group, and ends it with everything that it started. */
function run(args, cwd, limit) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...env, CI: '1' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk) => {
      output = `${output}${chunk}`.slice(-10_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child.pid);
    }, limit);
    child.once('exit', (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      if (Number(values['at-once']) === 1) endAll();
      resolve({ code, output, timedOut });
    });
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Tests start servers that leave their group; on Linux they are found by their environment. */
function endAll() {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    try {
      const marked = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`);
      if (marked) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Another user's, or ended.
    }
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function end(why) {
  say(why);
  process.exit(1);
}
