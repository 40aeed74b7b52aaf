// A process that runs one command after the other under the guard, each as the built binary would:
// with its own arguments, folder, home and input. Starting a process for each, which loads everything
// anew, takes ten times as long. Controlled by its parent:
//
//   { words, cwd, env, input }   answered with { code, said, isIdle }
//
// A command has ended once it has set its exit code and nothing keeps its process running: what waits
// for a pipe in the background would be a process that never exits. One that calls `process.exit` ends
// with it, and may leave such things behind: then `isIdle` is false.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const BINARY = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));
const require = createRequire(import.meta.url);
const LOOK_EVERY_MS = 2;
const STDIN = 0;

loadBundlesOnce();
let given = '';
giveToHooks();

let said = '';
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text, ...rest) => {
    said += text;
    const written = rest.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
}
let exited;
process.exit = (code) => {
  exited ??= Number(code ?? process.exitCode ?? 0);
};

process.on('message', async ({ words, cwd, env, input }) => {
  said = '';
  given = input;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  globalThis.deepworkGuard.writable = env.DEEPWORK_GUARD_WRITABLE.split(':');
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) });
  process.argv = [process.execPath, BINARY, ...words];
  exited = undefined;
  process.exitCode = undefined;
  const before = listeners();
  const running = process.getActiveResourcesInfo().length;
  delete require.cache[BINARY];
  require(BINARY);
  const isIdle = () => process.getActiveResourcesInfo().length <= running;
  do {
    await pause(LOOK_EVERY_MS);
  } while (exited === undefined && (process.exitCode === undefined || !isIdle()));
  const code = exited ?? process.exitCode;
  process.exitCode = undefined;
  for (const { event, listener } of listeners().filter(isNewSince(before))) {
    if (event === 'exit') listener(code);
    process.off(event, listener);
  }
  process.send({ code, said, isIdle: isIdle() });
});
process.send('ready');

function listeners() {
  return process
    .eventNames()
    .flatMap((event) => process.listeners(event).map((listener) => ({ event, listener })));
}

function isNewSince(before) {
  const known = new Set(before.map(({ listener }) => listener));
  return ({ listener }) => !known.has(listener);
}

/** They read their input without `process.stdin` (src/hook/read-stdin.ts), here as from a file. */
function giveToHooks() {
  const { fstatSync, readFileSync } = fs;
  const file = { isFIFO: () => false, isSocket: () => false, isFile: () => true, size: 0 };
  fs.fstatSync = (fd, ...rest) => (fd === STDIN ? file : fstatSync(fd, ...rest));
  fs.readFileSync = (from, ...rest) => (from === STDIN ? given : readFileSync(from, ...rest));
}

/** The binary loads its bundles as scripts (src/bundles/load-bundle.ts); each stays for the next command. */
function loadBundlesOnce() {
  const { Script } = vm;
  const loaded = new Map();
  vm.Script = function KeptScript(source, options) {
    const { filename } = options;
    const script = loaded.get(filename) ?? keptModule(new Script(source, options));
    loaded.set(filename, script);
    return script;
  };
}

function keptModule(script) {
  let kept;
  return {
    cachedDataRejected: script.cachedDataRejected,
    createCachedData: () => script.createCachedData(),
    runInThisContext:
      () =>
      (exports, require, module, ...where) => {
        if (kept === undefined) {
          script.runInThisContext()(exports, require, module, ...where);
          kept = module.exports;
        }
        module.exports = kept;
      },
  };
}
