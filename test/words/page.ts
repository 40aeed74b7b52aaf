// Records the sentences of one surface and compares them with its file, `<surface>.txt`. The clock
// stands still unless a record moves it; what no clock and no folder of ours can fix is replaced
// (`normalize.ts`).

import { expect, onTestFinished, TestRunner, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Answer } from '../support/calls.ts';
import { command } from '../support/command.ts';
import type { Connection } from '../support/connect.ts';
import type { Ran } from '../support/run-command.ts';
import { normalize } from './normalize.ts';
import type { Stage } from './stage.ts';
import { onTerminal } from './terminal.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The file of words that a test compares. */
    words?: string;
  }
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** The columns of a terminal; default: the output is a pipe, which is 80 wide. */
  readonly terminal?: number;
  /** False: it only happens, and is not written down. */
  readonly shown?: boolean;
}

export interface Page {
  /** Begins a part of the file. */
  part(title: string): void;
  /** Writes a text as it is. */
  text(text: string): void;
  /** Writes a value as YAML, with its texts unfolded. */
  value(value: unknown): void;
  /** Runs a command as a person and writes what it printed. */
  command(stage: Stage, args: readonly string[], options?: CommandOptions): Promise<Ran>;
  /** Calls a tool and writes its answer, of a success only these keys if they are given. */
  call(
    agent: Pick<Connection, 'call'>,
    tool: string,
    args?: Record<string, unknown>,
    keys?: readonly string[],
  ): Promise<Answer>;
  /** Lets time pass. */
  minutes(count: number): void;
}

/** A Monday. All times are in UTC. */
const NOW = Date.parse('2026-03-02T09:00:00.000Z');

/** Defines the test of a surface: `record` writes its page. */
export function words(surface: string, record: (page: Page) => Promise<void>): void {
  test(`the words of ${surface} are those of its file`, async () => {
    standStill();
    const lines: string[] = [];
    await record(pageOn(lines));
    const current = TestRunner.getCurrentTest();
    if (current !== undefined) current.meta.words = `${surface}.txt`;
    const text = `${normalize(lines.join('\n')).trim()}\n`;
    await expect(text).toMatchFileSnapshot(`./${surface}.txt`);
  });
}

function standStill(): void {
  const { TZ } = process.env;
  process.env.TZ = 'UTC';
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => {
    vi.useRealTimers();
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
}

function pageOn(lines: string[]): Page {
  const text = (written: string) => void lines.push(written.replace(/\n+$/, ''));
  return {
    part(title) {
      lines.push('', `${'='.repeat(8)} ${title} ${'='.repeat(Math.max(8, 70 - title.length))}`, '');
    },
    text,
    value: (value) => text(inYaml(value)),
    async command(stage, args, options = {}) {
      const { shown = true, terminal, input, cwd = stage.root, env = {} } = options;
      const given = { cwd, env: { ...stage.env, ...env }, ...(input !== undefined && { input }) };
      const run = () => command(args, given);
      const ran = await (terminal === undefined ? run() : onTerminal(terminal, run));
      if (!shown) return ran;
      text(`$ ${['deepwork', ...args.map(asTyped)].join(' ')}`);
      if (ran.stdout !== '') text(ran.stdout);
      if (ran.stderr !== '') text(ran.stderr.replace(/\n$/, '').replace(/^/gm, '! '));
      if (ran.code !== 0) text(`[exit code ${ran.code}]`);
      lines.push('');
      return ran;
    },
    async call(agent, tool, args = {}, keys) {
      const answer = await agent.call(tool, args);
      text(`> ${tool} ${shortened(JSON.stringify(args))}`);
      if (answer.isError) text(`[refused: ${answer.data?.error?.code}]\n${answer.text}`);
      else if (answer.data === undefined) text(answer.text);
      else text(inYaml(keys === undefined ? answer.data : picked(answer.data, keys)));
      lines.push('');
      return answer;
    },
    minutes: (count) => void vi.setSystemTime(Date.now() + count * 60_000),
  };
}

function inYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false });
}

function picked(data: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(data).filter(([key]) => keys.includes(key)));
}

function asTyped(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${shortened(word)}'`;
}

/** Long input is not what is recorded. */
function shortened(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 200)} … ${text.slice(-20)}`;
}
