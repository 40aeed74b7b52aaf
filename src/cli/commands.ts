// Every command by name; only the one that is called is loaded. (`main.ts` runs the hooks of clients
// without loading this.)

import { didYouMean } from '../core/nearest.ts';
import { refusalText } from '../core/refusal.ts';
import { VERSION } from '../version.ts';
import type { Command, Io } from './io.ts';
import type { CommandName } from './options.ts';

export { openProcessIo } from './process-io.ts';

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  init: async (argv, io) => (await import('./init/init.ts')).init(argv, io),
  serve: async (argv, io) => (await import('./serve/serve.ts')).serve(argv, io),
  launch: async (argv, io) => (await import('./launch.ts')).launch(argv, io),
  run: async (argv, io) => (await import('./run/run.ts')).run(argv, io),
  dashboard: async (argv, io) => (await import('./dashboard.ts')).dashboard(argv, io),
  call: async (argv, io) => (await import('./call/call.ts')).call(argv, io),
  answer: async (argv, io) => (await import('./answer/answer.ts')).answer(argv, io),
  abort: async (argv, io) => (await import('./steer/abort.ts')).abort(argv, io),
  redo: async (argv, io) => (await import('./steer/redo.ts')).redo(argv, io),
  stop: async (argv, io) => (await import('./steer/stop.ts')).stop(argv, io),
  trust: async (argv, io) => (await import('./trust.ts')).trust(argv, io),
  messages: async (argv, io) => (await import('./messages.ts')).messages(argv, io),
  repair: async (argv, io) => (await import('./repair/repair.ts')).repair(argv, io),
  export: async (argv, io) => (await import('./export/export.ts')).exportCommand(argv, io),
  status: async (argv, io) => (await import('./status.ts')).status(argv, io),
  history: async (argv, io) => (await import('./history.ts')).history(argv, io),
  doctor: async (argv, io) => (await import('./doctor.ts')).doctor(argv, io),
  completion: async (argv, io) => (await import('./completion.ts')).completion(argv, io),
  graph: async (argv, io) => (await import('./graph.ts')).graph(argv, io),
  verify: async (argv, io) => (await import('./verify.ts')).verify(argv, io),
  prune: async (argv, io) => (await import('./prune.ts')).prune(argv, io),
  store: async (argv, io) => (await import('./store/store.ts')).store(argv, io),
  lint: async (argv, io) => (await import('./lint/lint.ts')).lint(argv, io),
  simulate: async (argv, io) => (await import('./simulate/simulate.ts')).simulate(argv, io),
  hook: hookOrHelp,
};

/** Without a command. */
const OPTIONS = ['--help', '--version'];

/** The program: `argv` begins with the name of a command. */
export function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  return runNamed(argv, io).catch((error: unknown) => printFailure(io, error));
}

async function runNamed(argv: readonly string[], io: Io): Promise<number> {
  const [command, ...rest] = argv;
  // People write `deepwork help lint` for `deepwork lint --help`.
  if (command === 'help' && rest.length > 0) return runNamed([...rest.slice(0, 1), '--help'], io);
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) {
    return COMMANDS[command as CommandName](rest, io);
  }
  switch (command) {
    case '--version':
    case '-v':
    case 'version':
      return print(io, `${VERSION}\n`);
    case undefined:
      return print(io, (await (await import('./status.ts')).statusHere(io)) ?? (await wholeHelp()));
    case '--help':
    case '-h':
    case 'help':
      return print(io, await wholeHelp());
    default: {
      const isOption = command.startsWith('-');
      const names = isOption ? OPTIONS : Object.keys(COMMANDS);
      // Runs are resumed by the command that starts them.
      const meant =
        command === 'resume' ? "; did you mean 'run --resume'?" : didYouMean(command, names);
      const unknown = (await import('./terminal/printable.ts')).printableLine(command);
      io.stderr.write(
        `deepwork: unknown ${isOption ? 'option' : 'command'} '${unknown}'${meant === '' ? '.' : meant} Try: deepwork --help\n`,
      );
      return 2;
    }
  }
}

async function hookOrHelp(argv: readonly string[], io: Io): Promise<number> {
  const { hook, isHookCall } = await import('./hook.ts');
  return isHookCall(argv) ? hook(argv, io) : print(io, (await import('./help.ts')).HOOK_HELP);
}

function print(io: Io, text: string): number {
  io.stdout.write(text);
  return 0;
}

/** Prints what went wrong; returns the exit code. */
async function printFailure(io: Io, error: unknown): Promise<number> {
  const { refusal } = error as { readonly refusal?: { readonly next: string | null } };
  const message = error instanceof Error ? error.message : String(error);
  const text = refusalText({ message, next: refusal?.next || null });
  // A message may quote what a repository contains.
  const { printable } = await import('./terminal/printable.ts');
  io.stderr.write(`deepwork: ${printable(await forReader(io, text))}\n`);
  return error instanceof Error && error.name === 'UsageError' ? 2 : 1;
}

/** Rewords messages written for agents if a person reads them. */
async function forReader(io: Io, text: string): Promise<string> {
  const { isPerson } = await import('./terminal/only-people.ts');
  return isPerson(io) ? (await import('./terminal/for-person.ts')).forPerson(text) : text;
}

/** With the place of the documents, which files in projects refer to. */
async function wholeHelp(): Promise<string> {
  const [{ HELP }, { shipped }] = await Promise.all([
    import('./help.ts'),
    import('./command-line.ts'),
  ]);
  return `${HELP}\nDocumentation:\n  ${shipped('docs')}\n`;
}
