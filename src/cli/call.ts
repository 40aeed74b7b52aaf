// deepwork call: any operation from the command line, through the same table that the
// MCP tools are made from.

import { loadEngine } from '../load-engine.ts';
import type { Operation } from '../operations/operation.ts';
import { stdioSpeaker } from '../server/speaker.ts';
import type { ToolResult } from '../server/tools.ts';
import { ownProcess } from '../workspace/process-identity.ts';
import { bundled, projectAt, UsageError } from './command-line.ts';
import { CALL_HELP } from './help.ts';
import { printable } from './printable.ts';
import { readable } from './readable.ts';

/** The stack of whoever calls from a terminal; it lasts from one command to the next. */
const TERMINAL = 'terminal';

export async function call(argv: readonly string[]): Promise<number> {
  const [tool, ...rest] = argv;
  const { findOperation, operations, openWorkspace, callTool } = loadEngine();
  const names = operations.map(
    ({ name, description }) => `  ${name.padEnd(24)}${firstSentence(description)}`,
  );
  if (tool === undefined || tool === '--help' || tool === '-h') {
    process.stdout.write(`${CALL_HELP}\nTools:\n${names.join('\n')}\n`);
    return tool === undefined ? 2 : 0;
  }
  const operation = findOperation(tool);
  if (operation === undefined) {
    throw new UsageError(`unknown tool "${tool}". Tools:\n${names.join('\n')}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(toolHelp(operation));
    return 0;
  }
  const { projectRoot, given } = readCall(rest);
  const workspace = openWorkspace({ projectRoot, ...bundled() });
  const { caller } = stdioSpeaker(process.env);
  const after: ((delivered: boolean) => Promise<void>)[] = [];
  const result = await callTool(
    operation,
    given,
    {
      workspace,
      owner: { identity: TERMINAL, process: ownProcess() },
      caller,
      signal: new AbortController().signal,
      progress: (message) => process.stderr.write(`${message}\n`),
      afterAnswer: (work) => after.push(work),
    },
    { call: () => {}, fault: (_tool, error) => process.stderr.write(`${String(error)}\n`) },
  );
  print(result);
  for (const work of after) await work(true);
  const { status, valid } = result.structuredContent ?? {};
  return result.isError || status === 'needs_work' || valid === false ? 1 : 0;
}

function print({ content, structuredContent, isError }: ToolResult): void {
  const text = content[0]?.text ?? '';
  if (process.stdout.isTTY && isError) process.stderr.write(`${printable(text)}\n`);
  else if (structuredContent === undefined) {
    process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
  } else if (process.stdout.isTTY) process.stdout.write(readable(structuredContent));
  else process.stdout.write(`${JSON.stringify(structuredContent)}\n`);
}

function toolHelp(operation: Operation): string {
  const { properties = {}, required = [] } = operation.inputSchema() as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  const lines = Object.entries(properties).map(([name, { description = '' }]) => {
    const need = required.includes(name) ? 'required' : '';
    return `  --${name.padEnd(32)}${[need, description].filter(Boolean).join('; ')}`.trimEnd();
  });
  return [`deepwork call ${operation.name}`, '', operation.description, '', ...lines, ''].join(
    '\n',
  );
}

interface CallLine {
  readonly projectRoot: string;
  readonly given: unknown;
}

function readCall(argv: readonly string[]): CallLine {
  let projectRoot = '.';
  let json: unknown;
  const given: Record<string, unknown> = {};
  for (let at = 0; at < argv.length; at += 2) {
    const flag = argv[at] as string;
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (name === undefined) throw new UsageError(`expected --name value, found '${flag}'`);
    const value = inline ?? argv[at + 1];
    if (inline !== undefined) at--;
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    if (name === 'path') projectRoot = value;
    else if (name === 'json') json = parseJson(value);
    else given[name] = combine(given[name], readValue(name, value));
  }
  if (json !== undefined && Object.keys(given).length > 0) {
    throw new UsageError('give the arguments as --json or one by one, not both');
  }
  return { projectRoot: projectAt(projectRoot), given: json ?? given };
}

/** Maps can be written as JSON, or pair by pair: `--outputs notes=notes.md`. */
function readValue(name: string, value: string): unknown {
  if (name !== 'outputs' && name !== 'context') return value;
  if (/^\s*[[{]/.test(value)) return parseJson(value);
  const [, key, paired] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  if (key === undefined) throw new UsageError(`--${name} takes JSON or name=value`);
  return { [key]: paired };
}

function combine(before: unknown, now: unknown): unknown {
  const isMap = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap(before) && isMap(now) ? { ...(before as object), ...(now as object) } : now;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`not JSON: ${(error as Error).message}`);
  }
}

function firstSentence(text: string): string {
  return `${text.split('. ')[0]?.replace(/\.$/, '')}`;
}
