// Loads a bundle with V8's code cache, which saves a third of the start-up time. The first process
// that runs a bundle makes its cache, in the user's cache folder.
//
// There are several, so that no process loads what it does not use: a server over stdio, which every
// client starts, loads nothing of HTTP; hooks, which run each time an agent stops, load no MCP SDK;
// and what only one command needs is in a bundle of its own.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

interface Bundles {
  /** For commands that only read runs. */
  readonly board: typeof import('./board.ts');
  readonly doctor: typeof import('./doctor.ts');
  readonly engine: typeof import('./engine.ts');
  readonly 'engine-hook': typeof import('./engine-hook.ts');
  /** For one server for all clients: its memory may grow with their load. */
  readonly 'engine-http': typeof import('./engine-http.ts');
  readonly init: typeof import('./init.ts');
}

export type Engine = Bundles['engine'];
export type HttpEngine = Bundles['engine-http'];
export type Init = Bundles['init'];

declare const __dirname: string;
/** A hash of everything that the bundles are built from. V8 compares only the length of a source. */
declare const BUILD_ID: string;

const loaded = new Map<string, unknown>();
let makesCaches = false;

/** For a server over stdio: one runs per client and is idle most of the time, so its memory is kept small. */
export function loadStdioEngine(): Engine {
  const engine = loadBundle('engine');
  // A cache is bound to V8's flags, so a process that has to make one leaves them as they are.
  if (!makesCaches) v8.setFlagsFromString('--semi-space-growth-factor=1');
  return engine;
}

export function loadBundle<Name extends keyof Bundles>(name: Name): Bundles[Name] {
  return loadUntyped(name) as Bundles[Name];
}

/** Untyped, for the bundle of all commands: this folder may not import the types of `src/cli`. */
export function loadUntyped(name: string): unknown {
  const before = loaded.get(name);
  if (before !== undefined) return before;
  const file = path.join(__dirname, `${name}.cjs`);
  const cache = cacheFile(name);
  // The build has already wrapped it as a function, in plain ASCII, so that V8 keeps the
  // source once, at one byte per character.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    // Stack traces show this name, wherever the program is installed.
    filename: `deepwork/${name}.cjs`,
    cachedData: readIfExists(cache),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
  if (script.cachedDataRejected !== false) keepLater(script, cache);
  loaded.set(name, module.exports);
  return module.exports;
}

/**
 * One cache for each build, version of Node and set of V8's flags: clients with and without
 * `NODE_OPTIONS=--max-old-space-size=…` must not take turns in replacing a single file.
 */
function cacheFile(name: string): string {
  const { XDG_CACHE_HOME: named = '' } = process.env;
  const folder = path.isAbsolute(named) ? named : path.join(os.homedir(), '.cache');
  const tag = v8.cachedDataVersionTag().toString(16);
  const version = `${process.version}-${process.arch}-${tag}`;
  return path.join(folder, 'deepwork', `${name}-${BUILD_ID}-${version}.cache`);
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

const KEPT_AFTER_MS = 3000;

/** Delayed, so that it does not slow the start and covers the functions really used. */
function keepLater(script: vm.Script, file: string): void {
  makesCaches = true;
  let isKept = false;
  const keep = () => {
    if (!isKept) keepCode(script, file);
    isKept = true;
  };
  process.once('exit', keep);
  // A server may never come to an orderly end.
  setTimeout(keep, KEPT_AFTER_MS).unref();
}

function keepCode(script: vm.Script, file: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    makeRoom(path.dirname(file));
    replaceFile(file, script.createCachedData());
  } catch {
    // Without a cache the start takes longer, and nothing else changes.
  }
}

function replaceFile(file: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    // V8 does not notice damage and may crash on it, so the file is synced.
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Of all bundles together: each update adds its own, and flags can vary without end. */
const MAX_CACHES = 40;

function makeRoom(folder: string): void {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const age = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const newestFirst = files.sort((one, other) => (age.get(other) ?? 0) - (age.get(one) ?? 0));
  for (const file of newestFirst.slice(MAX_CACHES - 1)) rmSync(file, { force: true });
}
