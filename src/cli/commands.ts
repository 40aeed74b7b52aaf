// Every command by name; only the one that is called is loaded. `hook` only prints its help here,
// because `main.ts` runs hooks itself.

import { didYouMean } from '../core/nearest.ts';
import { refusalText } from '../core/refusal.ts';
import { VERSION } from '../version.ts';

/** Without a command. */
const OPTIONS = ['--help', '--version'];

/** Returns the exit code. */
export async function runNamedCommand(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  // People write `deepwork help lint` for `deepwork lint --help`.
  if (command === 'help' && rest.length > 0)
    return runNamedCommand([...rest.slice(0, 1), '--help']);
  switch (command) {
    case 'init':
      return (await import('./init/init.ts')).init(rest);
    case 'serve':
      return (await import('./serve/serve.ts')).serve(rest);
    case 'launch':
      return (await import('./launch.ts')).launch(rest);
    case 'run':
      return (await import('./run/run.ts')).run(rest);
    case 'dashboard':
      return (await import('./dashboard.ts')).dashboard(rest);
    case 'call':
      return (await import('./call/call.ts')).call(rest);
    case 'answer':
      return (await import('./answer/answer.ts')).answer(rest);
    case 'abort':
      return (await import('./steer/abort.ts')).abort(rest);
    case 'redo':
      return (await import('./steer/redo.ts')).redo(rest);
    case 'stop':
      return (await import('./steer/stop.ts')).stop(rest);
    case 'trust':
      return (await import('./trust.ts')).trust(rest);
    case 'messages':
      return (await import('./messages.ts')).messages(rest);
    case 'repair':
      return (await import('./repair/repair.ts')).repair(rest);
    case 'export':
      return (await import('./export/export.ts')).exportCommand(rest);
    case 'status':
      return (await import('./status.ts')).status(rest);
    case 'history':
      return (await import('./history.ts')).history(rest);
    case 'hook':
      process.stdout.write((await import('./help.ts')).HOOK_HELP);
      return 0;
    case 'doctor':
      return (await import('./doctor.ts')).doctor(rest);
    case 'completion':
      return (await import('./completion.ts')).completion(rest);
    case 'graph':
      return (await import('./graph.ts')).graph(rest);
    case 'verify':
      return (await import('./verify.ts')).verify(rest);
    case 'prune':
      return (await import('./prune.ts')).prune(rest);
    case 'store':
      return (await import('./store/store.ts')).store(rest);
    case 'lint':
      return (await import('./lint/lint.ts')).lint(rest);
    case 'simulate':
      return (await import('./simulate/simulate.ts')).simulate(rest);
    case '--version':
    case '-v':
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return 0;
    case undefined: {
      const shown = await (await import('./status.ts')).statusHere();
      process.stdout.write(shown ?? (await wholeHelp()));
      return 0;
    }
    case '--help':
    case '-h':
    case 'help':
      process.stdout.write(await wholeHelp());
      return 0;
    default: {
      const { COMMAND_OPTIONS } = await import('./options.ts');
      const isOption = command.startsWith('-');
      const names = isOption ? OPTIONS : Object.keys(COMMAND_OPTIONS);
      // Runs are resumed by the command that starts them.
      const meant =
        command === 'resume' ? "; did you mean 'run --resume'?" : didYouMean(command, names);
      const unknown = (await import('./terminal/printable.ts')).printableLine(command);
      process.stderr.write(
        `deepwork: unknown ${isOption ? 'option' : 'command'} '${unknown}'${meant === '' ? '.' : meant} Try: deepwork --help\n`,
      );
      return 2;
    }
  }
}

/** Prints what went wrong; returns the exit code. */
export async function printFailure(error: unknown): Promise<number> {
  const { refusal } = error as { readonly refusal?: { readonly next: string | null } };
  const message = error instanceof Error ? error.message : String(error);
  const text = refusalText({ message, next: refusal?.next || null });
  // A message may quote what a repository contains.
  const { printable } = await import('./terminal/printable.ts');
  process.stderr.write(`deepwork: ${printable(await forReader(text))}\n`);
  return error instanceof Error && error.name === 'UsageError' ? 2 : 1;
}

/** Rewords messages written for agents if a person reads them. */
async function forReader(text: string): Promise<string> {
  const { isPerson } = await import('./terminal/only-people.ts');
  return isPerson() ? (await import('./terminal/for-person.ts')).forPerson(text) : text;
}

/** A reader that closes the pipe early (`deepwork lint | head`) is not an error. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** With the place of the documents, which files in projects refer to. */
async function wholeHelp(): Promise<string> {
  const [{ HELP }, { shipped }] = await Promise.all([
    import('./help.ts'),
    import('./command-line.ts'),
  ]);
  return `${HELP}\nDocumentation:\n  ${shipped('docs')}\n`;
}
