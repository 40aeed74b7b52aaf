// The `deepwork` command. Reads the command's name and imports only that command.

import { HELP } from './cli/help.ts';
import { VERSION } from './version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  // `deepwork help lint` is what people write for `deepwork lint --help`.
  if (command === 'help' && rest.length > 0) return main([...rest.slice(0, 1), '--help']);
  switch (command) {
    case 'serve':
      return (await import('./cli/serve.ts')).serve(rest);
    case 'launch':
      return (await import('./cli/launch.ts')).launch(rest);
    case 'call':
      return (await import('./cli/call.ts')).call(rest);
    case 'answer':
      return (await import('./cli/answer.ts')).answer(rest);
    case 'trust':
      return (await import('./cli/trust.ts')).trust(rest);
    case 'messages':
      return (await import('./cli/messages.ts')).messages(rest);
    case 'repair':
      return (await import('./cli/repair.ts')).repair(rest);
    case 'lint':
      return (await import('./cli/lint.ts')).lint(rest);
    case '--version':
    case '-v':
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return 0;
    case undefined:
    case '--help':
    case '-h':
    case 'help':
      process.stdout.write(HELP);
      return 0;
    default:
      process.stderr.write(`deepwork: unknown command '${command}'. Try: deepwork --help\n`);
      return 2;
  }
}

/** What is written for agents, in words for the person at this terminal. */
async function toReader(text: string): Promise<string> {
  const { isPerson } = await import('./cli/only-people.ts');
  return isPerson() ? (await import('./cli/for-person.ts')).forPerson(text) : text;
}

// Whoever reads our output may stop reading (`deepwork lint | head`); that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  async (error: unknown) => {
    const { refusal } = error as { readonly refusal?: { readonly next: string | null } };
    const next = refusal?.next ? `\nNext: ${refusal.next}` : '';
    const said = `${error instanceof Error ? error.message : String(error)}${next}`;
    process.stderr.write(`deepwork: ${await toReader(said)}\n`);
    process.exitCode = error instanceof Error && error.name === 'UsageError' ? 2 : 1;
  },
);
