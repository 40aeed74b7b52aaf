// The built binary in the test's own process, for `deepwork hook`. It is compiled once, and evaluated
// anew for each hook, which therefore finds nothing that another has kept.

import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import vm from 'node:vm';
import { BINARY } from './connect.ts';

type Require = (name: string) => unknown;
type Binary = (require: Require, folder: string, process: object) => void;

let binary: Binary | null = null;

/** Its arguments are those of the world that it runs in. */
export function runBinary(_args: readonly string[], input: string): Promise<number> {
  binary ??= compileBinary();
  const run = binary;
  const storages: AsyncLocalStorage<unknown>[] = [];
  return new Promise<number>((resolve) => {
    // It sets its exit code last.
    const ownProcess = Object.create(process, { exitCode: { set: resolve } });
    run(requireWithInput(input, storages), path.dirname(BINARY), ownProcess);
  }).finally(() => {
    // Otherwise every promise that this process makes later would be passed on through each of them.
    for (const storage of storages) storage.disable();
  });
}

function compileBinary(): Binary {
  const source = fs.readFileSync(BINARY, 'utf8').replace('#!', '//');
  const parameters = ['require', '__dirname', 'process'];
  return vm.compileFunction(source, parameters, { filename: BINARY }) as Binary;
}

const STDIN = 0;

/** Hooks read their input from the pipe itself (src/hook/read-stdin.ts). */
function requireWithInput(input: string, storages: AsyncLocalStorage<unknown>[]): Require {
  class Storage<T> extends AsyncLocalStorage<T> {
    constructor() {
      super();
      storages.push(this);
    }
  }
  const pipe = { isFIFO: () => true };
  const fstatSync = (fd: number) => (fd === STDIN ? pipe : fs.fstatSync(fd));
  function Socket() {
    return Readable.from([Buffer.from(input)]);
  }
  const replaced: Readonly<Record<string, object>> = {
    'node:async_hooks': { ...asyncHooks, AsyncLocalStorage: Storage },
    'node:fs': { ...fs, fstatSync },
    'node:net': { ...net, Socket },
    'node:vm': { ...vm, Script: keptScript },
  };
  const require = createRequire(BINARY);
  return (name) => replaced[name] ?? require(name);
}

const scripts = new Map<string, vm.Script>();

/** Compiling the engine takes longer than a hook does. */
function keptScript(source: string, options: vm.ScriptOptions & { filename: string }): vm.Script {
  const script = scripts.get(options.filename) ?? new vm.Script(source, options);
  scripts.set(options.filename, script);
  return script;
}
