// Agents of one team: each has a connection under its own identity. The way to connect is a
// parameter, so that every test can run over every transport:
// `describe.each(WAYS)('… over %s', (_, sit) => { … })`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Answer, type Calls, callsOf } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project } from '../support/project.ts';

export interface Seat {
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  /** Calls and expects success: the text. */
  says(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** Calls and expects an error: its text. */
  fails(tool: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Connects as `name|model|variant`. */
export type Sit = (root: string, identity: string) => Promise<Seat>;

export const overStdio: Sit = async (root, identity) =>
  seatOf(await connectToProcess(root, { args: ['--agent', identity] }));

/** A server of the library for each, all in this process. */
export const inThisProcess: Sit = async (root, identity) =>
  seatOf(await connect(root, { args: ['--agent', identity] }));

/** Each with its own server, as over stdio: this also covers several processes. */
export const overHttp: Sit = async (root, identity) =>
  seatAt((await serveOverHttp(root)).url, identity);

/** The same, with all servers in this process. */
const overHttpHere: Sit = async (root, identity) =>
  seatAt((await serveHttpInProcess(root)).url, identity);

async function seatAt(url: string, identity: string): Promise<Seat> {
  const headers = { 'x-sgai-agent-identity': identity };
  const client = await connectOverHttp(url, { headers, era: 'handshake' });
  return seatOf({ ...callsOf(client), close: () => client.close() });
}

/** What agents share must not depend on where their servers run. */
export const WAYS: readonly (readonly [string, Sit])[] = [
  ['the library', inThisProcess],
  ['HTTP', overHttpHere],
];

function seatOf({ call, refused, close }: Calls & Pick<Seat, 'close'>): Seat {
  return {
    call,
    fails: refused,
    close,
    async says(tool, args) {
      const { isError, text } = await call(tool, args);
      if (isError) throw new Error(`${tool} failed: ${text}`);
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
