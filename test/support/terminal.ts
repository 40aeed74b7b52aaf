// A command on its own terminal (made by `script`), for what happens only on one.

import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { BINARY } from './connect.ts';
import { cleanEnv } from './http.ts';
import { asPerson } from './person.ts';
import { until } from './until.ts';

export interface Terminal {
  /** Everything on the screen so far, with its control codes. */
  screen(): string;
  /** Waits until this is on the screen, after what was awaited before. */
  sees(text: string): Promise<void>;
  type(line: string): void;
  readonly ended: Promise<number | null>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How many lines it has; default: it does not say. */
  readonly rows?: number;
}

export function deepworkOnTerminal(args: readonly string[], options: TerminalOptions): Terminal {
  return onTerminal(quoted([process.execPath, BINARY, ...args]), options);
}

/** A person's shell, in which commands are typed. */
export function shellOnTerminal(options: TerminalOptions): Terminal {
  return onTerminal('exec bash --norc --noprofile -i', options);
}

/** As a shell reads these words. */
export function quoted(words: readonly string[]): string {
  return words.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ');
}

function onTerminal(command: string, options: TerminalOptions): Terminal {
  const { rows } = options;
  const whole = rows === undefined ? command : `stty rows ${rows} cols 80; ${command}`;
  const person = asPerson('script', ['-qec', whole, '/dev/null']);
  // A person's terminal is no CI, where Node shows no colours, and knows some.
  const { CI: _, ...env } = { ...cleanEnv(process.env.HOME ?? '/'), ...options.env };
  const child = spawn(person.file, [...person.args], {
    cwd: options.cwd,
    env: { TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  child.stdin.on('error', () => {});
  return {
    screen: () => screen,
    async sees(text) {
      await until(() => screen.indexOf(text, seen) !== -1).catch(() => {
        throw new Error(`'${text}' does not appear:\n${screen.slice(seen)}`);
      });
      seen = screen.indexOf(text, seen) + text.length;
    },
    type: (line) => void child.stdin.write(`${line}\r`),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
