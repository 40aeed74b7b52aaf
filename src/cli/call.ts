// deepwork call: any operation from the command line, through the same table that the
// MCP tools are made from.

import os from 'node:os';
import { loadEngine } from '../bundles/load-engine.ts';
import type { Owner } from '../core/session/state.ts';
import { type Caller, isCoordinator } from '../core/team/caller.ts';
import type { Workspace } from '../engine/workspace.ts';
import { systemProcesses } from '../environment/process-identity.ts';
import type { Operation } from '../operations/operation.ts';
import { ownerNamed, stdioCaller } from '../server/caller-identity.ts';
import { stderrLog } from '../server/log.ts';
import type { ToolResult } from '../server/tools.ts';
import {
  hasPaths,
  hintFor,
  readCallLine,
  takeAgent,
  toolFirst,
  withTypedPaths,
} from './call-arguments.ts';
import { bundled, projectAt, UsageError } from './command-line.ts';
import { answerForPerson, forPerson } from './for-person.ts';
import { CALL_HELP } from './help.ts';
import {
  AGENTS_CANNOT,
  ignoreTrustOfAgents,
  isPerson,
  isUnnamedAgent,
  turnsFalseCoordinatorAway,
} from './only-people.ts';
import { printable } from './printable.ts';
import { readable } from './readable.ts';

/** The stack of whoever calls from a terminal; it lasts from one command to the next. */
const TERMINAL = 'terminal';
const UNNAMED = 'an agent without a name';

export async function call(argv: readonly string[]): Promise<number> {
  const [tool, ...rest] = toolFirst(argv);
  const { TOOLSETS, findOperation, operationsFor, openWorkspace, callTool } = loadEngine();
  const { agent, ...line } = takeAgent(rest);
  const { caller } = stdioCaller(process.env, agent);
  const audience = { faces: TOOLSETS, coordinator: isCoordinator(caller) };
  const names = operationsFor(audience).map(
    ({ name, description }) => `  ${name.padEnd(24)}${firstSentence(description)}`,
  );
  if (tool === undefined || tool === '--help' || tool === '-h') {
    process.stdout.write(`${CALL_HELP}\nTools:\n${names.join('\n')}\n`);
    return tool === undefined ? 2 : 0;
  }
  const operation = findOperation(tool, audience);
  if (operation === undefined) {
    // On the wire a coordinator's tool does not exist for others; at a terminal that misleads.
    const why = findOperation(tool)?.coordinatorOnly
      ? ` for agent '${caller.name}': it is for the coordinator only`
      : '';
    throw new UsageError(`unknown tool "${tool}"${why}. Tools:\n${names.join('\n')}`);
  }
  if (line.rest.includes('--help') || line.rest.includes('-h')) {
    process.stdout.write(toolHelp(operation, audience.coordinator));
    return 0;
  }
  const asCoordinator = isCoordinator(caller) && (agent !== undefined || speaksFor(operation));
  if (asCoordinator && turnsFalseCoordinatorAway()) return AGENTS_CANNOT;
  ignoreTrustOfAgents();
  const { path, given: written } = readCallLine(
    line.rest,
    operation.inputSchema(audience.coordinator),
  );
  const workspace = openWorkspace({ projectRoot: projectAt(path), ...bundled() });
  const owner = ownerAtTerminal(caller);
  const given = hasPaths(written) ? await typePaths(workspace, owner, written) : written;
  endWithSignals(workspace);
  const after: ((delivered: boolean) => Promise<void>)[] = [];
  const result = await callTool(
    operation,
    given,
    {
      workspace,
      owner,
      caller,
      signal: new AbortController().signal,
      progress: (message) => process.stderr.write(`${message}\n`),
      afterAnswer: (work) => after.push(work),
      looksOn: true,
    },
    { ...stderrLog(), call: () => {} },
  );
  print(isPerson() ? toPerson(result) : result);
  for (const work of after) await work(true);
  await workspace.close();
  return exitCode(result);
}

const SAID_NO = 1;
const WRONG_COMMAND_LINE = 2;
/** Reasons for which what was submitted is fine so far, and the work just goes on. */
const NOTHING_TO_FIX: readonly unknown[] = ['members_open', 'still_running'];

/** Arguments that do not fit are the command line's fault, whoever notices. */
function exitCode({ isError, structuredContent, content }: ToolResult): number {
  const { status, reason, valid, error } = structuredContent ?? {};
  const { code } = (error ?? {}) as { readonly code?: string | number };
  const unfit = code === 'invalid_arguments' || code === -32602;
  const prose = structuredContent === undefined ? (content[0]?.text ?? '') : '';
  if (isError && (unfit || prose.startsWith('Error: Invalid arguments: '))) {
    return WRONG_COMMAND_LINE;
  }
  const toFix = status === 'needs_work' && !NOTHING_TO_FIX.includes(reason);
  return isError || toFix || valid === false ? SAID_NO : 0;
}

async function typePaths(workspace: Workspace, owner: Owner, written: unknown): Promise<unknown> {
  const { session_id } = written as { readonly session_id?: unknown };
  const sessionId = typeof session_id === 'string' ? session_id : null;
  return withTypedPaths(written, await loadEngine().declaredOutputs(workspace, owner, sessionId));
}

function toPerson(result: ToolResult): ToolResult {
  const { content, structuredContent, isError } = result;
  if (structuredContent !== undefined) {
    const text = isError
      ? content.map((each) => ({ ...each, text: forPerson(each.text) }))
      : content;
    return { ...result, content: text, structuredContent: answerForPerson(structuredContent) };
  }
  // Prose of the team is deepwork's own only where it says no.
  if (!isError) return result;
  return { ...result, content: content.map((each) => ({ ...each, text: forPerson(each.text) })) };
}

/**
 * A person is the coordinator. An agent without a name has a stack of its own, and no say
 * over others' work.
 */
function ownerAtTerminal(caller: Caller): Owner {
  if (isCoordinator(caller) && isUnnamedAgent()) {
    return { identity: `${TERMINAL}/${UNNAMED}`, agent: UNNAMED, process: systemProcesses.own() };
  }
  return ownerNamed(TERMINAL, caller, systemProcesses.own());
}

/** Ctrl-C ends the checks and reviews that the call has started, too. */
function endWithSignals(workspace: Workspace): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      workspace.stop();
      process.exit(128 + os.constants.signals[signal]);
    });
  }
}

/** Whether it matters to the team who has called it. */
function speaksFor({ toolset, coordinatorOnly, readOnly }: Operation): boolean {
  return coordinatorOnly || (toolset === 'team' && !readOnly);
}

function print({ content, structuredContent, isError }: ToolResult): void {
  const text = content[0]?.text ?? '';
  if (process.stdout.isTTY && isError) {
    process.stderr.write(`${printable(text)}\n`);
  } else if (structuredContent === undefined) {
    process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
  } else if (process.stdout.isTTY) process.stdout.write(readable(structuredContent));
  else process.stdout.write(`${JSON.stringify(structuredContent)}\n`);
}

interface DescribedParameter {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly properties?: Readonly<Record<string, { description?: string }>> };
}

function toolHelp(operation: Operation, coordinator: boolean): string {
  const schema = operation.inputSchema(coordinator);
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, DescribedParameter>;
    required?: string[];
  };
  const lines = Object.entries(properties).flatMap(([name, parameter]) => {
    const { description = '', enum: values = [], items } = parameter;
    const need = required.includes(name) ? 'required' : '';
    const choice = values.length > 0 ? `one of: ${values.join(', ')}` : '';
    const words = [need, description, choice, hintFor(schema, name)].filter(Boolean).join('; ');
    const members = Object.entries(items?.properties ?? {}).flatMap(([member, about]) =>
      about.description === undefined ? [] : [`    ${member.padEnd(32)}${about.description}`],
    );
    return [`  --${name.padEnd(32)}${words}`.trimEnd(), ...members];
  });
  return [`deepwork call ${operation.name}`, '', operation.description, '', ...lines, ''].join(
    '\n',
  );
}

function firstSentence(text: string): string {
  return `${text.split('. ')[0]?.replace(/\.$/, '')}`;
}
