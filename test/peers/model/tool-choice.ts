// How a move is made with the tools that a client offers: our tools by whatever name the
// client gives them, its own tool for writing a file, and first the client's search where a
// tool has to be loaded before it can be called.

import type { Move } from './script.ts';
import type { Json, ModelRequest, OfferedTool } from './wire.ts';

/** The name under which every client has our server. */
const SERVER = 'deepwork';

export interface ChosenCall {
  readonly tool: OfferedTool;
  readonly args: Json | string;
  /** What the script knows it by. */
  readonly name: string;
  /** The move is still to be made after this call. */
  readonly loads: boolean;
}

export function chooseCall(
  move: Exclude<Move, { say: string }>,
  request: ModelRequest,
): ChosenCall {
  if ('call' in move) return callOurs(move.call, move.args, request);
  if ('use' in move) {
    const tool = offered(request, move.use) ?? missing(move.use, request);
    return { tool, args: move.args, name: move.use, loads: false };
  }
  return writeFile(move.write, move.text, request);
}

/**
 * `mcp__deepwork__finished_step`, `mcp_deepwork_…`, `deepwork_…` are finished_step, and so is
 * what a plugin of Claude Code brings: `mcp__plugin_deepwork_deepwork__finished_step`. In Codex
 * the server of an unattended run is `deepwork_run`.
 */
export function plainName(name: string): string {
  return name.replace(OURS, '');
}

const OURS = new RegExp(`^(?:mcp_+)?(?:plugin_${SERVER}_)?${SERVER}[_-]+(?:run_+)?`);

function callOurs(name: string, args: Json, request: ModelRequest): ChosenCall {
  const tool = request.tools.find((known) => isOurs(known, name));
  if (tool !== undefined) return { tool, args, name, loads: false };
  const codeMode = offered(request, 'exec');
  if (codeMode?.kind === 'freeform') {
    const called = `await tools.mcp__${SERVER}__${name}(${JSON.stringify(args)})`;
    const code = `const r = ${called}; text(r.structuredContent ?? r.content[0].text);`;
    return { tool: codeMode, args: code, name, loads: false };
  }
  const search = SEARCHES.map((known) => offered(request, known.tool)).find(Boolean);
  if (search === undefined) return missing(name, request);
  const full = request.deferred.find((known) => plainName(known) === name && known !== name);
  if (search.name === 'ToolSearch' && full === undefined) return missing(name, request);
  const query = search.name === 'ToolSearch' ? `select:${full}` : `${SERVER} ${name}`;
  const limit = search.name === 'ToolSearch' ? { max_results: 5 } : { limit: 8 };
  return { tool: search, args: { query, ...limit }, name: search.name, loads: true };
}

const SEARCHES = [{ tool: 'ToolSearch' }, { tool: 'tool_search' }];

function isOurs({ name, namespace }: OfferedTool, plain: string): boolean {
  if (namespace !== undefined) return name === plain && OURS.test(`${namespace}_`);
  return name !== plain && plainName(name) === plain;
}

function offered(request: ModelRequest, name: string): OfferedTool | undefined {
  return request.tools.find((tool) => tool.name === name);
}

function missing(name: string, request: ModelRequest): never {
  const names = [...request.tools.map((tool) => tool.name), ...request.deferred];
  throw new Error(`The client offers no tool for ${name}, but only: ${names.join(', ')}`);
}

/** By the client's own tool, in the order in which a model would prefer them. */
const WRITERS: readonly [tool: string, args: (file: string, text: string) => Json | string][] = [
  ['Write', (file, text) => ({ file_path: file, content: text })],
  ['write_file', (file, text) => ({ file_path: file, content: text })],
  ['write', (file, text) => ({ filePath: file, content: text })],
  ['apply_patch', patch],
  ['exec', (file, text) => `text(await tools.apply_patch(${JSON.stringify(patch(file, text))}));`],
  ['exec_command', (file, text) => ({ cmd: `cat > '${file}' <<'END'\n${text}\nEND` })],
];

/** Adding a file that is there already replaces it. */
function patch(file: string, text: string): string {
  const lines = text.split('\n').map((line) => `+${line}`);
  return ['*** Begin Patch', `*** Add File: ${file}`, ...lines, '*** End Patch', ''].join('\n');
}

function writeFile(file: string, text: string, request: ModelRequest): ChosenCall {
  for (const [name, args] of WRITERS) {
    const tool = offered(request, name);
    if (tool !== undefined) return { tool, args: args(file, text), name, loads: false };
  }
  return missing(`writing ${file}`, request);
}
