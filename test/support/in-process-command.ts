// The built commands in the test's own process, each with an `Io` of its own: what they read, print,
// find in their environment and take for the time is the test's, and as many as wanted run at once.
// Only git and the programs of PostgreSQL are started with the environment of the test's process.
// Tests about processes, signals, terminals or crashes start a process (`run-command.ts`), and so does
// every test with DEEPWORK_TEST_STDIO=1.

import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Io, Stdout } from '../../src/cli/io.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { builtBundle } from './built-bundle.ts';
import { BINARY } from './connect.ts';
import type { Ran } from './run-command.ts';

type Commands = typeof import('../../src/cli/commands.ts');

/** False if processes are asked for. */
export const CAN_RUN_HERE = process.env.DEEPWORK_TEST_STDIO !== '1';

/** What only a command in the test's own process can have. */
export interface Surroundings {
  /** Its output is a terminal of this width. */
  readonly width?: number;
  /** Its output is a terminal, with colours or without. */
  readonly colour?: boolean;
  /** Its readings should increase, as those of the system's clock do: they put runs in order. */
  readonly clock?: Clock;
  /** False: an agent has started it. */
  readonly person?: boolean;
}

export interface InProcessOptions extends Surroundings {
  readonly cwd: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty by default. */
  readonly input?: string;
}

export interface InProcessCommand {
  out(): string;
  err(): string;
  /** As a signal does. */
  stop(): void;
  readonly ended: Promise<Ran>;
}

export function beginInProcess(
  args: readonly string[],
  options: InProcessOptions,
): InProcessCommand {
  const { runCommandLine } = builtBundle<Commands>('commands');
  const signals = new EventEmitter();
  const [out, err] = [collect(), collect()];
  const io = { ...ioOf(options), stdout: Object.assign(out.stream, terminalOf(options)), signals };
  const run = async (): Promise<Ran> => {
    const code = await runCommandLine(args, { ...io, stderr: err.stream });
    // What is logged is written after the current turn.
    await new Promise((resolve) => setImmediate(resolve));
    return { code, stdout: out.text(), stderr: err.text() };
  };
  const ended = run();
  const stop = () => void signals.emit('SIGTERM', 'SIGTERM');
  onTestFinished(async () => {
    stop();
    await ended;
  });
  return { out: out.text, err: err.text, stop, ended };
}

function ioOf({ cwd, env, input = '', colour, width, clock, person = true }: InProcessOptions) {
  const isPlain = colour === false || (colour === undefined && width !== undefined);
  return {
    stdin: Readable.from([Buffer.from(input)]),
    env: { ...env, ...(isPlain && { NO_COLOR: '1' }) },
    cwd,
    clock: clock ?? systemClock(),
    program: BINARY,
    ancestors: () => (person ? [] : [AGENT]),
  } satisfies Partial<Io>;
}

const AGENT = { pid: 1, words: ['claude'] };

function terminalOf({ width, colour }: InProcessOptions): Pick<Stdout, 'isTTY' | 'columns'> {
  const isTerminal = width !== undefined || colour !== undefined;
  return isTerminal ? { isTTY: true, columns: width ?? 80 } : {};
}

function collect() {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, written) {
      text += chunk;
      written();
    },
  });
  return { stream, text: () => text };
}
