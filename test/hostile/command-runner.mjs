// A process that runs one command after the other under the guard, each with its own arguments, folder,
// home and input. Starting a process for each, which loads everything anew, takes ten times as long.
// Controlled by its parent:
//
//   { words, cwd, env, input }   answered with { code, said, isIdle }
//
// A command that leaves something running may disturb the next: then `isIdle` is false.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const { runCommandLine } = loadCommands();

process.on('message', async ({ words, cwd, env, input }) => {
  // Git is started with the environment of the process.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  globalThis.deepworkGuard.writable = env.DEEPWORK_GUARD_WRITABLE.split(':');
  const running = process.getActiveResourcesInfo().length;
  let said = '';
  const output = () =>
    new Writable({
      write(chunk, _encoding, written) {
        said += chunk;
        written();
      },
    });
  const code = await runCommandLine(words, {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: output(),
    stderr: output(),
    env: process.env,
    cwd,
    clock: () => new Date().toISOString(),
    signals: process,
    program: path.join(DIST, 'main.cjs'),
    ancestors: () => [],
  });
  const isIdle = process.getActiveResourcesInfo().length <= running;
  process.send({ code, said, isIdle });
});
process.send('ready');

function loadCommands() {
  const file = path.join(DIST, 'commands.cjs');
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, DIST);
  return module.exports;
}
