// The `deepwork` command. A client runs `deepwork hook` at every stop of its agent, mostly to
// hear that there is nothing to say; so this file holds that one, and all others are in a
// bundle of their own that is loaded when they are asked for.

import { hook } from './cli/hook.ts';

function main(argv: readonly string[]): Promise<number> {
  const [command, client = '--help'] = argv;
  const isHook = command === 'hook' && !client.startsWith('-') && !argv.includes('--help');
  return isHook ? hook(argv.slice(1)) : runOther(argv);
}

async function runOther(argv: readonly string[]): Promise<number> {
  const { endWithReader, runNamedCommand, sayFailure } = await import('./cli/commands.ts');
  endWithReader();
  try {
    return await runNamedCommand(argv);
  } catch (error) {
    return sayFailure(error);
  }
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
