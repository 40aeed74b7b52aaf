// Loads the engine bundle with V8's code cache beside it, which saves a third of the
// start-up. The cache is made by the build; one that does not fit this Node is ignored
// and, where the folder can be written, made anew for the next start.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

export type Engine = typeof import('./engine.ts');

declare const __dirname: string;

let engine: Engine | undefined;

export function loadEngine(): Engine {
  if (engine !== undefined) return engine;
  const file = path.join(__dirname, 'engine.cjs');
  const cacheFile = codeCacheFile(__dirname);
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`,
    {
      filename: file,
      cachedData: readIfThere(cacheFile),
    },
  );
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
  if (script.cachedDataRejected !== false) renewLater(script, cacheFile);
  engine = module.exports as Engine;
  return engine;
}

/** One cache per Node, so that several on one machine do not push each other out. */
export function codeCacheFile(folder: string): string {
  return path.join(folder, `engine-${process.version}-${process.arch}.cache`);
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
