// The `deepwork` command. Clients run `deepwork hook` each time their agent stops, and mostly get
// no answer, so it has to start fast: this bundle contains only that command. All others are in a
// bundle of their own, which is loaded when one of them is called.

import { hook } from './cli/hook.ts';

type Commands = typeof import('./cli/commands.ts');

function main(argv: readonly string[]): Promise<number> {
  const [command, client = '--help'] = argv;
  const isHook = command === 'hook' && !client.startsWith('-') && !argv.includes('--help');
  return isHook ? hook(argv.slice(1)) : runOther(argv);
}

async function runOther(argv: readonly string[]): Promise<number> {
  const { loadUntyped } = await import('./bundles/load-bundle.ts');
  const { exitOnClosedPipe, printFailure, runNamedCommand } = loadUntyped('commands') as Commands;
  exitOnClosedPipe();
  try {
    return await runNamedCommand(argv);
  } catch (error) {
    return printFailure(error);
  }
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
