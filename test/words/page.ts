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
  /** Writes what a command that was run has printed. */
  ran(args: readonly string[], ran: Ran): void;
  /** Calls a tool and writes what its answer says; `whole`: all of it. */
  call(
    agent: Pick<Connection, 'call'>,
    tool: string,
    args?: Record<string, unknown>,
    whole?: 'whole',
  ): Promise<Answer>;
  /** Lets time pass. */
  minutes(count: number): void;
}

/** A Monday. All times are in UTC. */
const NOW = Date.parse('2026-03-02T09:00:00.000Z');

/** For a machine that is busy with many other things. */
const PATIENCE_MS = 300_000;

/** Defines the test of a surface: `record` writes its page. */
export function words(surface: string, record: (page: Page) => Promise<void>): void {
  test(
    `the words of ${surface} are those of its file`,
    async () => {
      standStill();
      const lines: string[] = [];
      await record(pageOn(lines));
      await expectWords(`${surface}.txt`, `${normalize(lines.join('\n')).trim()}\n`);
    },
    PATIENCE_MS,
  );
}

/** Compares a text with the file of words, and notes that the file is still compared. */
export async function expectWords(file: string, text: string): Promise<void> {
  const current = TestRunner.getCurrentTest();
  if (current !== undefined) current.meta.words = file;
  await expect(text).toMatchFileSnapshot(`./${file}`);
}

/** How fast time passes for whatever measures it. */
let pace = 1;
let isHasty = true;
const DRAIN_MS = 250;

function standStill(): void {
  const { TZ } = process.env;
  process.env.TZ = 'UTC';
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const real = performance.now.bind(performance);
  let [last, shown] = [real(), real()];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    const now = real();
    shown += (now - last) * pace;
    last = now;
    return shown;
  });
  const { setTimeout } = globalThis;
  // Calls that wait for a person do so for a second, which is over at once; and what a command printed
  // is waited for, however busy the machine is.
  const sooner = (run: () => void, delay = 0, ...rest: []) => {
    if (delay === DRAIN_MS) return setTimeout(run, 20 * DRAIN_MS, ...rest);
    if (!isHasty || delay <= 900 || delay > 1000) return setTimeout(run, delay, ...rest);
    return setTimeout(() => {
      shown += delay;
      run();
    }, 20);
  };
  globalThis.setTimeout = Object.assign(sooner, setTimeout) as typeof setTimeout;
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
    globalThis.setTimeout = setTimeout;
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
}

/** For a person who answers while the call is waiting. */
export async function unhurried<T>(run: () => Promise<T>): Promise<T> {
  isHasty = false;
  try {
    return await run();
  } finally {
    isHasty = true;
  }
}

/** While this runs, everything takes so many times as long; 0: nothing takes any time. */
export async function atPace<T>(times: number, run: () => Promise<T>): Promise<T> {
  pace = times;
  try {
    return await run();
  } finally {
    pace = 1;
  }
}

function pageOn(lines: string[]): Page {
  const text = (written: string) => void lines.push(written.replace(/\n+$/, ''));
  const printed = (args: readonly string[], ran: Ran) => {
    text(`$ ${['deepwork', ...args.map(asTyped)].join(' ')}`);
    if (ran.stdout !== '') text(ran.stdout);
    if (ran.stderr !== '') text(ran.stderr.replace(/\n$/, '').replace(/^/gm, '! '));
    if (ran.code !== 0) text(`[exit code ${ran.code}]`);
    lines.push('');
  };
  return {
    part(title) {
      lines.push('', `${'='.repeat(8)} ${title} ${'='.repeat(Math.max(8, 70 - title.length))}`, '');
    },
    text,
    value: (value) => text(inYaml(value)),
    ran: printed,
    async command(stage, args, options = {}) {
      const { shown = true, terminal, input, cwd = stage.root, env = {} } = options;
      const ran = await command(args, {
        cwd,
        env: { ...stage.env, ...env },
        ...(input !== undefined && { input }),
        ...(terminal !== undefined && { width: terminal, colour: true }),
      });
      if (shown) printed(args, ran);
      return ran;
    },
    async call(agent, tool, args = {}, whole) {
      const answer = await agent.call(tool, args).catch(failed);
      text(`> ${tool} ${shortened(JSON.stringify(args))}`);
      if (answer.isError) text(`[refused${codeIn(answer)}]\n${answer.text}`);
      else if (answer.data === undefined) text(answer.text);
      else text(inYaml(whole === undefined ? said(answer.data) : answer.data));
      lines.push('');
      return answer;
    },
    minutes: (count) => void vi.setSystemTime(Date.now() + count * 60_000),
  };
}

/** A call that is an error of the protocol. */
function failed(error: unknown): Answer {
  const { code, message } = error as { readonly code: number; readonly message: string };
  return { isError: false, text: `[error ${code}]\n${message}`, data: undefined };
}

/** Answers of the team's tools are text alone. */
function codeIn({ data }: Answer): string {
  return data === undefined ? '' : `: ${data.error.code}`;
}

const MARK = 'id~';

function inYaml(value: unknown): string {
  // An id may look like a number, and would be quoted.
  const marked = JSON.parse(JSON.stringify(value ?? null), (_key, inner) =>
    typeof inner === 'string' && /^[0-9a-f]{8}$/.test(inner) ? `${MARK}${inner}` : inner,
  );
  if (value === undefined) return '(nothing)';
  return stringify(marked, {
    lineWidth: 0,
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
  }).replaceAll(MARK, '');
}

/** Names, paths and declarations, which are not words of ours. */
const FACTS = new Set([
  'stack',
  'branch_name',
  'job_dir',
  'step_inputs',
  'step_expected_outputs',
  'step_reviews',
  'step_quality_criteria',
  'common_job_info',
  'all_outputs',
]);

/** What an answer says: without facts, and without what is null or empty. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(said);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value)
    .filter(([key]) => !FACTS.has(key))
    .map(([key, inner]) => [key, said(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function asTyped(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${shortened(word)}'`;
}

/** Long input is not what is recorded. */
function shortened(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 200)} … ${text.slice(-20)}`;
}
