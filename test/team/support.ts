// Agents of one team: each has a connection under its own identity. The way to connect is a
// parameter, so that every test can run over every transport:
// `describe.each(WAYS)('… over %s', (_, sit) => { … })`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Answer, Era } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project } from '../support/project.ts';
import type { ServerProcess } from '../support/server-process.ts';

export interface Seat {
  /** Of the server's process. */
  readonly server: ServerProcess;
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  /** Calls and expects success: the text. */
  says(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** Calls and expects an error: its text. */
  fails(tool: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

interface SitOptions {
  readonly era?: Era;
  readonly closeAfterTest?: boolean;
}

/** Connects as `name|model|variant`. */
export type Sit = (root: string, identity: string, options?: SitOptions) => Promise<Seat>;

export const overStdio: Sit = async (root, identity, options = {}) => {
  const server = await connectToProcess(root, { ...options, args: ['--agent', identity] });
  return seatOf({ pid: server.pid }, server.call, server.close);
};

/** A server of the library for each, all in this process. */
export const inThisProcess: Sit = async (root, identity, { era } = {}) => {
  const server = await connect(root, { ...(era && { era }), args: ['--agent', identity] });
  return seatOf('in this process', server.call, server.close);
};

/** Each with its own server, as over stdio: this also covers several processes. */
export const overHttp: Sit = async (root, identity, options) => {
  const { url, child } = await serveOverHttp(root);
  return seatAt(url, { pid: child.pid as number }, identity, options);
};

/** The same, with all servers in this process. */
const overHttpHere: Sit = async (root, identity, options) => {
  const { url } = await serveHttpInProcess(root);
  return seatAt(url, 'in this process', identity, options);
};

async function seatAt(
  url: string,
  server: ServerProcess,
  identity: string,
  options: SitOptions = {},
): Promise<Seat> {
  const headers = { 'x-sgai-agent-identity': identity };
  const client = await connectOverHttp(url, { headers, era: options.era ?? 'handshake' });
  const call: Seat['call'] = async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const [block] = result.content as { text: string }[];
    const isError = result.isError === true;
    return { isError, text: block?.text ?? '', data: result.structuredContent };
  };
  return seatOf(server, call, () => client.close());
}

/** What agents share must not depend on where their servers run. */
export const WAYS: readonly (readonly [string, Sit])[] = [
  ['the library', inThisProcess],
  ['HTTP', overHttpHere],
];

function seatOf(server: ServerProcess, call: Seat['call'], close: Seat['close']): Seat {
  return {
    server,
    call,
    close,
    async says(tool, args) {
      const { isError, text } = await call(tool, args);
      if (isError) throw new Error(`${tool} failed: ${text}`);
      return text;
    },
    async fails(tool, args) {
      const { isError, text } = await call(tool, args);
      if (!isError) throw new Error(`${tool} did not fail: ${text}`);
      return text;
    },
  };
}

/** A project whose team is the coordinator and these agents. */
export function newTeam(agents: Readonly<Record<string, readonly string[]>> = {}): Project {
  const project = newProject();
  const names = Object.entries(agents);
  if (names.length === 0) return project;
  const list = names.map(
    ([name, models]) => `    - {name: ${name}, models: ${JSON.stringify(models)}}`,
  );
  project.write(
    '.deepwork/config.yml',
    `git:\n  branch: off\nteam:\n  agents:\n${list.join('\n')}\n`,
  );
  return project;
}

export const LOG = '.deepwork/journal/team/log.jsonl';
export const STATE = '.sgai/state.json';

/** Everything on disk that a refusal must not change. */
export function teamFiles(project: Project): Record<string, string | null> {
  const read = (file: string) =>
    existsSync(project.path(file)) ? readFileSync(project.path(file), 'utf8') : null;
  return { log: read(LOG), state: read(STATE) };
}

// biome-ignore lint/suspicious/noExplicitAny: looked into freely by tests
export function readState(project: Project): any {
  return JSON.parse(readFileSync(project.path(STATE), 'utf8'));
}

/** The contents of the files kept aside, in order of name. */
export function keptAside(project: Project): string[] {
  const folder = project.path('.sgai/foreign');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
}

export interface ReadMessage {
  readonly id: number;
  readonly redelivered: boolean;
  readonly from: string;
  readonly body: string;
}

/** The messages in an answer of check_inbox. */
export function inboxOf(text: string): ReadMessage[] {
  const block =
    /^Message \d+: \(ID: (\d+), [^,)]+(, redelivered)?\)\n {2}From: (.*)\n {2}Body: (.*)$/;
  const [head, ...blocks] = text.split('\n\n');
  if (head === 'You have no messages.') return [];
  if (head !== `You have ${blocks.length} message(s):`) throw new Error(`not an inbox: ${text}`);
  return blocks.map((each) => {
    const [, id, redelivered, from, body] = block.exec(each) ?? [];
    if (id === undefined) throw new Error(`not a message: ${each}`);
    return {
      id: Number(id),
      redelivered: redelivered !== undefined,
      from: from as string,
      body: body as string,
    };
  });
}
