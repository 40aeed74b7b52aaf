// deepwork call: runs any operation from the command line. It uses the same table of operations as
// the MCP tools.

import os from 'node:os';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { toJsonText } from '../../core/json-text.ts';
import { nearest } from '../../core/nearest.ts';
import type { Owner, Session } from '../../core/session/state.ts';
import { TERMINAL_IDENTITY, UNNAMED_AGENT } from '../../core/session/terminal-caller.ts';
import { type Caller, isCoordinator } from '../../core/team/caller.ts';
import type { TypeOfInput } from '../../engine/start-inputs.ts';
import type { TypeOfOutput } from '../../engine/step/declared-outputs.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemProcesses } from '../../environment/process/process-identity.ts';
import { firstSignal } from '../../environment/process/signals.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ToolResult } from '../../operations/tool-result.ts';
import { ownerNamed, stdioCaller } from '../../server/caller-identity.ts';
import { stderrLog } from '../../server/log.ts';
import { screenOf } from '../board/screen.ts';
import { UsageError } from '../command-line.ts';
import { CALL_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectAt, projectOptions } from '../project.ts';
import { answerForPerson, forPerson } from '../terminal/for-person.ts';
import {
  AGENTS_CANNOT,
  ignoreTrustOfAgents,
  isPerson,
  isUnnamedAgent,
  refusesFalseCoordinator,
} from '../terminal/only-people.ts';
import { printable } from '../terminal/printable.ts';
import { readable } from '../terminal/readable.ts';
import {
  type CallLine,
  hasPaths,
  hasWrittenIn,
  readCallLine,
  takeAgent,
  toolFirst,
  withTypedContext,
  withTypedInputs,
  withTypedPaths,
} from './call-arguments.ts';
import {
  callInRun,
  openStepInRun,
  outputsOf,
  serverOfTurn,
  type TurnServer,
} from './call-in-run.ts';
import { toolHelp, toolNames } from './tool-help.ts';
import { withWholeSessionId } from './whole-session-id.ts';

export async function call(argv: readonly string[], io: Io): Promise<number> {
  const [tool, ...rest] = toolFirst(argv);
  const { TOOLSETS, findOperation, operationsFor, callTool } = loadBundle('engine');
  const { agent, ...line } = takeAgent(rest);
  const { caller } = stdioCaller(io.env, agent);
  const audience = { toolsets: TOOLSETS, coordinator: isCoordinator(caller) };
  const names = toolNames(operationsFor(audience));
  if (tool === undefined || tool === '--help' || tool === '-h') {
    io.stdout.write(`${CALL_HELP}\nTools:\n${names.join('\n')}\n`);
    return tool === undefined ? 2 : 0;
  }
  const operation = findOperation(tool, audience);
  if (operation === undefined) {
    // For MCP clients the tool is unknown; at a terminal, name the real reason.
    if (findOperation(tool)?.coordinatorOnly) {
      const why = `for agent '${caller.name}': it is for the coordinator only`;
      throw new UsageError(`unknown tool "${tool}" ${why}. Tools:\n${names.join('\n')}`);
    }
    const meant = nearest(
      tool,
      operationsFor(audience).map(({ name }) => name),
    );
    const rest = meant === null ? `. Tools:\n${names.join('\n')}` : `; did you mean '${meant}'?`;
    throw new UsageError(`unknown tool "${tool}"${rest}`);
  }
  if (line.rest.includes('--help') || line.rest.includes('-h')) {
    io.stdout.write(toolHelp(operation, audience.coordinator));
    return 0;
  }
  const turn = agent === undefined ? serverOfTurn(io.env) : null;
  if (turn !== null) {
    const schema = operation.inputSchema(audience.coordinator);
    return callOfTurn(io, turn, operation.name, readCallLine(line.rest, schema));
  }
  const asCoordinator = isCoordinator(caller) && (agent !== undefined || actsForTeam(operation));
  if (asCoordinator && refusesFalseCoordinator(io)) return AGENTS_CANNOT;
  ignoreTrustOfAgents(io);
  const typed = readCallLine(line.rest, operation.inputSchema(audience.coordinator));
  const written = await withWholeSessionId(io, typed.given, projectAt(io, typed.path));
  const workspace = openForCall(io, typed.path);
  const owner = ownerAtTerminal(io, caller);
  const given = await typeArguments(operation.name, written, {
    workspace: () => workspace,
    outputs: (id) => loadBundle('engine').declaredOutputs(workspace, owner, id),
    session: (id) => workspace.stacks.look(owner, id),
  });
  const after: ((delivered: boolean) => Promise<void>)[] = [];
  const calling = callTool(
    operation,
    given,
    {
      workspace,
      owner,
      caller,
      signal: new AbortController().signal,
      progress: (message) => io.stderr.write(`${message}\n`),
      afterAnswer: (work) => after.push(work),
      fromTerminal: true,
    },
    { ...stderrLog(io.stderr), call: () => {} },
  );
  const called = await Promise.race([calling, firstSignal(io.signals, ...ENDING)]);
  if (typeof called === 'string') {
    // Ctrl-C also ends the checks and reviews that the call started.
    workspace.stop();
    return 128 + os.constants.signals[called];
  }
  print(io, isPerson(io) ? toPerson(called.result) : called.result);
  for (const work of after) await work(true);
  await workspace.close();
  return exitCode(called.result, called.refusal?.code ?? null);
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function openForCall(io: Io, path: string | undefined): Workspace {
  return loadBundle('engine').openWorkspace(projectOptions(io, projectAt(io, path)));
}

async function callOfTurn(
  io: Io,
  server: TurnServer,
  tool: string,
  { path, given: written }: CallLine,
): Promise<number> {
  let workspace: Workspace | undefined;
  const open = () => {
    workspace ??= openForCall(io, path);
    return workspace;
  };
  const given = await typeArguments(tool, written, {
    workspace: open,
    outputs: async (id) => outputsOf(await openStepInRun(server, id)),
    session: async (id) => {
      const step = await openStepInRun(server, id);
      return step === null ? null : open().store.load(step.session_id);
    },
  });
  const result = await callInRun(server, tool, given);
  print(io, result);
  const { error } = (result.structuredContent ?? {}) as { readonly error?: { code?: string } };
  return exitCode(result, error?.code ?? (result.isError ? 'refused' : null));
}

const NOT_ACCEPTED = 1;
const WRONG_COMMAND_LINE = 2;
/** Codes of invalid arguments. */
const INVALID_ARGUMENTS: readonly string[] = ['invalid_arguments', 'invalid_params'];
/** `needs_work` reasons that ask for no change to the submitted work. */
const NOTHING_TO_FIX: readonly unknown[] = ['members_open', 'still_running', 'waiting_for_person'];

/** Invalid arguments are an error of the command line, whichever layer finds them. */
function exitCode({ structuredContent }: ToolResult, refusedAs: string | null): number {
  if (refusedAs !== null)
    return INVALID_ARGUMENTS.includes(refusedAs) ? WRONG_COMMAND_LINE : NOT_ACCEPTED;
  const { status, reason, valid } = structuredContent ?? {};
  const toFix = status === 'needs_work' && !NOTHING_TO_FIX.includes(reason);
  return toFix || valid === false ? NOT_ACCEPTED : 0;
}

/** Where the types are found that the definitions declare. */
interface Declared {
  workspace(): Workspace;
  outputs(sessionId: string | null): Promise<TypeOfOutput>;
  session(sessionId: string | null): Promise<Session | null>;
}

/** The arguments, with every value that was given as text read by its declared type. */
async function typeArguments(tool: string, written: unknown, from: Declared): Promise<unknown> {
  let given = written;
  if (hasPaths(given)) given = withTypedPaths(given, await from.outputs(sessionNamedIn(given)));
  if (hasWrittenIn(given, 'inputs')) given = await typeInputs(from.workspace(), given);
  if (hasWrittenIn(given, 'context')) {
    given = withTypedContext(given, await typesOfContext(tool, given, from));
  }
  return given;
}

function typesOfContext(tool: string, given: unknown, from: Declared): Promise<TypeOfInput> {
  const { declaredContext, declaredContextOfStart } = loadBundle('engine');
  if (tool === 'finished_step') {
    return declaredContext(from.workspace(), () => from.session(sessionNamedIn(given)));
  }
  if (tool === 'start_workflow') {
    return declaredContextOfStart(from.workspace(), ...workflowNamedIn(given));
  }
  return Promise.resolve(() => null);
}

function sessionNamedIn(written: unknown): string | null {
  const { session_id } = written as { readonly session_id?: unknown };
  return typeof session_id === 'string' ? session_id : null;
}

async function typeInputs(workspace: Workspace, written: unknown): Promise<unknown> {
  const typeOf = await loadBundle('engine').declaredInputs(workspace, ...workflowNamedIn(written));
  return withTypedInputs(written, typeOf);
}

function workflowNamedIn(written: unknown): [jobName: string, workflowName: string] {
  const { job_name, workflow_name } = written as Readonly<Record<string, unknown>>;
  return [String(job_name ?? ''), String(workflow_name ?? '')];
}

function toPerson(result: ToolResult): ToolResult {
  const { content, structuredContent, isError } = result;
  if (structuredContent !== undefined) {
    const text = isError
      ? content.map((each) => ({ ...each, text: forPerson(each.text) }))
      : content;
    return { ...result, content: text, structuredContent: answerForPerson(structuredContent) };
  }
  // Text answers of team tools contain deepwork's own wording only if they are errors.
  if (!isError) return result;
  return { ...result, content: content.map((each) => ({ ...each, text: forPerson(each.text) })) };
}

/**
 * A person is the coordinator. An unnamed agent gets a stack of its own and has no control
 * over the work of others.
 */
function ownerAtTerminal(io: Io, caller: Caller): Owner {
  if (isCoordinator(caller) && isUnnamedAgent(io)) {
    return {
      identity: `${TERMINAL_IDENTITY}/${UNNAMED_AGENT}`,
      agent: UNNAMED_AGENT,
      process: systemProcesses.own(),
    };
  }
  return ownerNamed(TERMINAL_IDENTITY, caller, systemProcesses.own());
}

/** Whether the operation acts on the team in the caller's name. */
function actsForTeam({ toolset, coordinatorOnly, readOnly }: Operation): boolean {
  return coordinatorOnly || (toolset === 'team' && !readOnly);
}

function print(io: Io, { content, structuredContent, isError }: ToolResult): void {
  const text = content[0]?.text ?? '';
  if (io.stdout.isTTY && isError) {
    io.stderr.write(`${printable(text)}\n`);
  } else if (structuredContent === undefined) {
    io.stdout.write(`${io.stdout.isTTY ? printable(text) : text}\n`);
  } else if (io.stdout.isTTY) io.stdout.write(readable(screenOf(io), structuredContent));
  else {
    io.stdout.write(`${toJsonText(withoutNulls(structuredContent))}\n`);
    const { error } = structuredContent as { readonly error?: { readonly next?: string | null } };
    // A guide's failure has the form of its direct method, which leaves out what to do next.
    if (isError && error?.next === undefined) io.stderr.write(nextLineOf(text));
  }
}

/** What is not there need not be said. Items of lists stay where they are. */
function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, each) => (each === null ? undefined : each)));
}

function nextLineOf(text: string): string {
  const at = text.lastIndexOf('\nNext: ');
  return at === -1 ? '' : `${printable(text.slice(at + 1))}\n`;
}
