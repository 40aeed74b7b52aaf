// The `deepwork` command. Clients run `deepwork hook` each time their agent stops, and mostly get
// no answer, so it has to start fast: this bundle contains only that command. All others are in a
// bundle of their own, which is loaded when one of them is called.

import { hook, isHookCall } from './cli/hook.ts';
import { systemClock } from './environment/clock.ts';
import { openHookInput } from './hook/hook-input.ts';

type Commands = typeof import('./cli/commands.ts');

async function main([command, ...argv]: readonly string[]): Promise<void> {
  if (command === 'hook' && isHookCall(argv)) process.exitCode = await hook(argv, hookIo());
  else await runOther(command === undefined ? [] : [command, ...argv]);
}

/** Opens a stream only where it is used: each takes a hook some milliseconds. */
function hookIo() {
  return {
    get stdin() {
      return openHookInput();
    },
    get stdout() {
      return process.stdout;
    },
    env: process.env,
    get cwd() {
      return process.cwd();
    },
    clock: systemClock(),
  };
}

async function runOther(argv: readonly string[]): Promise<void> {
  const { loadUntyped } = await import('./bundles/load-bundle.ts');
  const { openProcessIo, runCommandLine } = loadUntyped('commands') as Commands;
  const { io, end } = openProcessIo();
  await end(await runCommandLine(argv, io));
}

void main(process.argv.slice(2));
