// Loads an engine bundle with V8's code cache beside it, which saves a third of the
// start-up. The cache is made by the build; one that does not fit this Node is ignored
// and, where the folder can be written, made anew for the next start.
//
// There are two: what HTTP needs on top is in a bundle of its own, so that a server over
// stdio, which every client starts every time, does not pay for it.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

export type Engine = typeof import('./engine.ts');
export type HttpEngine = typeof import('./engine-http.ts');

declare const __dirname: string;

const loaded = new Map<string, unknown>();

export function loadEngine(): Engine {
  const engine = load('engine') as Engine;
  // One server runs per client, idle most of its life: it should be small, not fast to
  // grow. Set after the engine is loaded, because the cache is bound to V8's flags.
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  return engine;
}

/** One server for all clients: it may grow with what they ask of it. */
export function loadHttpEngine(): HttpEngine {
  return load('engine-http') as HttpEngine;
}

function load(name: string): unknown {
  const before = loaded.get(name);
  if (before !== undefined) return before;
  const file = path.join(__dirname, `${name}.cjs`);
  const cacheFile = codeCacheFile(__dirname, name);
  // The build has wrapped it as a function already, in plain ASCII, so that the text is
  // held once and in one byte a character.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: readIfThere(cacheFile),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
  if (script.cachedDataRejected !== false) renewLater(script, cacheFile);
  loaded.set(name, module.exports);
  return module.exports;
}

/** One cache per Node, so that several on one machine do not push each other out. */
function codeCacheFile(folder: string, name: string): string {
  return path.join(folder, `${name}-${process.version}-${process.arch}.cache`);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Later, so that it costs no client its start, and holds what was really used. */
function renewLater(script: vm.Script, file: string): void {
  setTimeout(() => {
    try {
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, file);
    } catch {
      // A read-only installation starts without a cache; nothing else is different.
    }
  }, 3000).unref();
}
