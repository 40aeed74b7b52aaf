// Loads a bundle with V8's code cache, which saves a third of the start-up time. The
// build makes the cache for its own Node and flags; for others it is made after their first start, if
// the folder is writable.
//
// There are several, so that no process loads what it does not use: a server over stdio, which every
// client starts, loads nothing of HTTP; hooks, which run each time an agent stops, load no MCP SDK;
// and what only one command needs is in a bundle of its own.

import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
  readonly run: typeof import('./run.ts');
}

export type Engine = Bundles['engine'];
export type HttpEngine = Bundles['engine-http'];
export type Init = Bundles['init'];
export type RunBundle = Bundles['run'];

declare const __dirname: string;

const loaded = new Map<string, unknown>();

/** The caches that this process is about to make. Several bundles have a copy of this file. */
const RENEWALS = Symbol.for('deepwork code cache renewals');
const shared = globalThis as { [RENEWALS]?: Promise<void>[] };
shared[RENEWALS] ??= [];
const renewals = shared[RENEWALS];

/** For a server over stdio: one runs per client and is idle most of the time, so its memory is kept small. */
export function loadStdioEngine(): Engine {
  const engine = loadBundle('engine');
  const keepSmall = () => v8.setFlagsFromString('--semi-space-growth-factor=1');
  // After loading, and after caches were made, because a cache is bound to V8's flags.
  if (renewals.length === 0) keepSmall();
  else void Promise.all(renewals).then(keepSmall);
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
  const cacheFile = codeCacheFile(__dirname, name);
  // The build has already wrapped it as a function, in plain ASCII, so that V8 keeps the
  // source once, at one byte per character.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    // Caches keep this name, wherever they were made, and stack traces show it.
    filename: `deepwork/${name}.cjs`,
    cachedData: readIfExists(cacheFile),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
  if (script.cachedDataRejected !== false) renewals.push(renewLater(script, file, cacheFile));
  loaded.set(name, module.exports);
  return module.exports;
}

/**
 * One cache for each version and each set of V8's flags. `NODE_OPTIONS=--max-old-space-size=…` is
 * enough to make another one necessary; clients with and without it must not take turns in replacing
 * a single file.
 */
function codeCacheFile(folder: string, name: string): string {
  const tag = v8.cachedDataVersionTag().toString(16);
  return path.join(folder, `${name}-${process.version}-${process.arch}-${tag}.cache`);
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Of all bundles together: each is as large as its bundle, and flags can vary without end. */
const MAX_CACHES = 40;

const RENEWED_AFTER_MS = 3000;

/** Delayed, so that it does not slow the start and covers the functions really used. */
async function renewLater(script: vm.Script, bundle: string, file: string): Promise<void> {
  const loadedAs = versionOf(bundle);
  await pause(RENEWED_AFTER_MS, undefined, { ref: false });
  const temporary = `${file}.${process.pid}`;
  try {
    // V8 compares only the length of a source with its cache: after an update, the cache of the
    // bundle before could be run in place of the new one.
    if (loadedAs === null || versionOf(bundle) !== loadedAs) return;
    if (!existsSync(file) && !makeRoom(path.dirname(file))) return;
    // Synced, because V8 does not notice damage and may crash on it.
    await writeFile(temporary, script.createCachedData(), { flush: true });
    await rename(temporary, file);
  } catch {
    // A read-only installation works without a cache.
  }
}

/** The change time, because packages are installed with a fixed time of modification. */
function versionOf(bundle: string): string | null {
  const stats = statSync(bundle, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino} ${stats.ctimeMs}`;
}

/** Caches of other versions of Node are removed first; of one version, those made first stay. */
function makeRoom(folder: string): boolean {
  const caches = readdirSync(folder).filter((each) => each.endsWith('.cache'));
  if (caches.length < MAX_CACHES) return true;
  const others = caches.filter((each) => !each.includes(`-${process.version}-`));
  for (const each of others) unlinkSync(path.join(folder, each));
  return caches.length - others.length < MAX_CACHES;
}
