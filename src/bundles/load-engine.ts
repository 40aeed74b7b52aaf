// Loads a bundle with V8's code cache, which saves a third of the start-up time. The
// build makes the cache; one that does not match this Node is ignored and, if the folder is
// writable, rebuilt for the next start.
//
// There are several, so that no process loads what it does not use: a server over stdio, which every
// client starts, loads nothing of HTTP; hooks, which run each time an agent stops, load no MCP SDK;
// and what only one command needs is in a bundle of its own.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

export type BoardBundle = typeof import('./board.ts');
export type Doctor = typeof import('./doctor.ts');
export type Engine = typeof import('./engine.ts');
export type HookEngine = typeof import('./engine-hook.ts');
export type HttpEngine = typeof import('./engine-http.ts');
export type Init = typeof import('./init.ts');
export type RunBundle = typeof import('./run.ts');

declare const __dirname: string;

const loaded = new Map<string, unknown>();

export function loadEngine(): Engine {
  return loadBundle('engine') as Engine;
}

/** For a server over stdio: one runs per client and is idle most of the time, so its memory is kept small. */
export function loadStdioEngine(): Engine {
  const engine = loadEngine();
  // Set after loading, because the code cache is bound to V8's flags.
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  return engine;
}

/** One server for all clients: its memory may grow with their load. */
export function loadHttpEngine(): HttpEngine {
  return loadBundle('engine-http') as HttpEngine;
}

export function loadHookEngine(): HookEngine {
  return loadBundle('engine-hook') as HookEngine;
}

/** For `deepwork init` alone. */
export function loadInit(): Init {
  return loadBundle('init') as Init;
}

/** For commands that only read runs. */
export function loadBoard(): BoardBundle {
  return loadBundle('board') as BoardBundle;
}

/** For `deepwork doctor` alone. */
export function loadDoctor(): Doctor {
  return loadBundle('doctor') as Doctor;
}

/** For `deepwork run` alone. */
export function loadRunner(): RunBundle {
  return loadBundle('run') as RunBundle;
}

export function loadBundle(name: string): unknown {
  const before = loaded.get(name);
  if (before !== undefined) return before;
  const file = path.join(__dirname, `${name}.cjs`);
  const cacheFile = codeCacheFile(__dirname, name);
  // The build has already wrapped it as a function, in plain ASCII, so that V8 keeps the
  // source once, at one byte per character.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: readIfExists(cacheFile),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
  if (script.cachedDataRejected !== false) renewLater(script, cacheFile);
  loaded.set(name, module.exports);
  return module.exports;
}

/** One cache per Node version, so that several on one machine do not overwrite each other. */
function codeCacheFile(folder: string, name: string): string {
  return path.join(folder, `${name}-${process.version}-${process.arch}.cache`);
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Delayed, so that it does not slow the start and covers the functions really used. */
function renewLater(script: vm.Script, file: string): void {
  setTimeout(() => {
    try {
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, file);
    } catch {
      // A read-only installation works without a cache.
    }
  }, 3000).unref();
}
