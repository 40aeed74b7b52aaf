// Every command by name; only the one that is called is loaded. `hook` only prints its help here,
// because `main.ts` runs hooks itself.

import { didYouMean } from '../core/nearest.ts';
import { refusalText } from '../core/refusal.ts';
import { VERSION } from '../version.ts';
import type { CommandName } from './options.ts';

type Command = (argv: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  init: async (argv) => (await import('./init/init.ts')).init(argv),
  serve: async (argv) => (await import('./serve/serve.ts')).serve(argv),
  launch: async (argv) => (await import('./launch.ts')).launch(argv),
  run: async (argv) => (await import('./run/run.ts')).run(argv),
  dashboard: async (argv) => (await import('./dashboard.ts')).dashboard(argv),
  call: async (argv) => (await import('./call/call.ts')).call(argv),
  answer: async (argv) => (await import('./answer/answer.ts')).answer(argv),
  abort: async (argv) => (await import('./steer/abort.ts')).abort(argv),
  redo: async (argv) => (await import('./steer/redo.ts')).redo(argv),
  stop: async (argv) => (await import('./steer/stop.ts')).stop(argv),
  trust: async (argv) => (await import('./trust.ts')).trust(argv),
  messages: async (argv) => (await import('./messages.ts')).messages(argv),
  repair: async (argv) => (await import('./repair/repair.ts')).repair(argv),
  export: async (argv) => (await import('./export/export.ts')).exportCommand(argv),
  status: async (argv) => (await import('./status.ts')).status(argv),
  history: async (argv) => (await import('./history.ts')).history(argv),
  doctor: async (argv) => (await import('./doctor.ts')).doctor(argv),
  completion: async (argv) => (await import('./completion.ts')).completion(argv),
  graph: async (argv) => (await import('./graph.ts')).graph(argv),
  verify: async (argv) => (await import('./verify.ts')).verify(argv),
  prune: async (argv) => (await import('./prune.ts')).prune(argv),
  store: async (argv) => (await import('./store/store.ts')).store(argv),
  lint: async (argv) => (await import('./lint/lint.ts')).lint(argv),
  simulate: async (argv) => (await import('./simulate/simulate.ts')).simulate(argv),
  hook: async () => print((await import('./help.ts')).HOOK_HELP),
};

/** Without a command. */
const OPTIONS = ['--help', '--version'];

/** Returns the exit code. */
export async function runNamedCommand(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  // People write `deepwork help lint` for `deepwork lint --help`.
  if (command === 'help' && rest.length > 0)
    return runNamedCommand([...rest.slice(0, 1), '--help']);
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) {
    return COMMANDS[command as CommandName](rest);
  }
  switch (command) {
    case '--version':
    case '-v':
    case 'version':
      return print(`${VERSION}\n`);
    case undefined:
      return print((await (await import('./status.ts')).statusHere()) ?? (await wholeHelp()));
    case '--help':
    case '-h':
    case 'help':
      return print(await wholeHelp());
    default: {
      const isOption = command.startsWith('-');
      const names = isOption ? OPTIONS : Object.keys(COMMANDS);
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

function print(text: string): number {
  process.stdout.write(text);
  return 0;
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
