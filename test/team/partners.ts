// Coordinators that ask, over every route, and people who answer: by a form in their client, at a
// terminal, or on the page.

import { readFileSync } from 'node:fs';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { cleanEnv, connectOverHttp, newHome, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { LOG } from './support.ts';

export interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, Record<string, unknown>> };
  /** Aborted when the server withdraws the form. */
  readonly signal: AbortSignal;
}

interface FormAnswer {
  readonly [key: string]: unknown;
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | string[] | undefined>;
}

/** The person at the client; null: it cannot show forms. */
export type Person = ((form: Form) => Promise<FormAnswer> | FormAnswer) | null;

export interface Asked {
  readonly question: string;
  readonly choices: readonly string[];
  readonly multiSelect?: boolean;
}

interface Partner {
  readonly server: ServerProcess;
  /** The text of the answer; rejects if the call fails. */
  ask(questions: readonly Asked[], options?: AskOptions): Promise<string>;
  call(tool: string, args: unknown): Promise<{ isError: boolean; text: string }>;
  close(): Promise<void>;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { message?: string | undefined }) => void;
}

export type OpenPartner = (
  root: string,
  person: Person,
  options?: PartnerOptions,
) => Promise<Partner>;

interface PartnerOptions {
  /** Its server is killed, so it has to be a process. */
  readonly isKilled?: boolean;
}

const overStdio =
  (era: 'handshake' | 'stateless'): OpenPartner =>
  async (root, person) => {
    const { client, pid } = await connectToProcess(root, {
      era,
      env: { HOME: newHome() },
      client: showingForms(person),
    });
    return partnerOf(client, person, { pid });
  };

/** A server of the library in this process. */
const withLibrary =
  (era: 'handshake' | 'stateless'): OpenPartner =>
  async (root, person, { isKilled = false } = {}) => {
    if (isKilled) return overStdio(era)(root, person);
    const { client } = await connect(root, { era, client: showingForms(person) });
    return partnerOf(client, person, 'in this process');
  };

const showingForms = (person: Person) =>
  person === null ? {} : { capabilities: { elicitation: { form: {} } } };

const overHttp =
  (era: 'handshake' | 'stateless' | 'sse'): OpenPartner =>
  async (root, person, { isKilled = false } = {}) => {
    const own = isKilled ? await serveOverHttp(root) : null;
    const { url } = own ?? (await serveHttpInProcess(root));
    const client = await connectOverHttp(url, {
      era,
      options: person === null ? {} : { capabilities: { elicitation: {} } },
    });
    const server = own === null ? 'in this process' : { pid: own.child.pid as number };
    return partnerOf(client, person, server);
  };

/** Those whose forms are shown while the call is running. */
export const LIVE: readonly (readonly [string, OpenPartner])[] = [
  ['the library, handshake', withLibrary('handshake')],
  ['HTTP, handshake', overHttp('handshake')],
  ['SSE', overHttp('sse')],
];

/** Those whose forms are shown between two calls. */
export const BETWEEN: readonly (readonly [string, OpenPartner])[] = [
  ['the library, stateless', withLibrary('stateless')],
  ['HTTP, stateless', overHttp('stateless')],
];

export const ALL = [...LIVE, ...BETWEEN];
/** The built binary, as a client starts it. */
export const STDIO: typeof ALL = [
  ['stdio, handshake', overStdio('handshake')],
  ['stdio, stateless', overStdio('stateless')],
];
/** One of each kind, for tests that do not concern forms. */
export const SOME = ALL.filter(
  ([way]) => way !== 'HTTP, handshake' && way !== 'the library, stateless',
);
export const inThisProcess = withLibrary('handshake');

function partnerOf(client: Client, person: Person, server: ServerProcess): Partner {
  if (person !== null) {
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      const form = { ...(params as unknown as Form), signal: context.mcpReq.signal };
      return (await person(form)) as ElicitResult;
    });
  }
  async function call(tool: string, args: unknown, options: AskOptions = {}) {
    const result = await client.callTool(
      { name: tool, arguments: args as Record<string, unknown> },
      options,
    );
    const [block] = result.content as { text: string }[];
    return { isError: result.isError === true, text: block?.text ?? '' };
  }
  return {
    server,
    call,
    async ask(questions, options) {
      const { isError, text } = await call('ask_user_question', { questions }, options);
      if (isError) throw new Error(`ask_user_question failed: ${text}`);
      return text;
    },
    close: () => client.close(),
  };
}

/** A project whose calls wait this long for a person. */
export function newAsking(waitSeconds: number, more = ''): Project {
  const project = newProject();
  const team = `team:\n  question_wait_seconds: ${waitSeconds}\n${more}`;
  project.write('.deepwork/config.yml', `git:\n  branch: off\n${team}`);
  return project;
}

/** `deepwork answer …`, as a person with a clean environment. */
export function answer(project: Project, ...args: string[]): Promise<Ran> {
  const { HOME = '/' } = process.env;
  return command(['answer', '--path', project.root, ...args], {
    cwd: project.root,
    env: cleanEnv(HOME),
  });
}

export interface Logged {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** The outcomes of questions, as in the journal. */
export function logged(project: Project, ...types: string[]): Logged[] {
  let seq = 0;
  return readLines(project)
    .map((line) => JSON.parse(line) as Logged & { readonly seq: number })
    .filter((event) => {
      // A lost race leaves a line that does not count.
      const counts = event.seq === seq + 1;
      if (counts) seq += 1;
      return counts && types.includes(event.type);
    });
}

function readLines(project: Project): string[] {
  try {
    return readFileSync(project.path(LOG), 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

/** What the answer says about its questions, without the times. */
export function outcomeIn(text: string): string {
  const blocks = text.split('\n\n');
  return (blocks.at(-1) ?? '').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

export const GO: Asked = { question: 'Go?', choices: ['yes', 'no'] };
export const SAID = (choice: string, route: string, id = 'q-1') =>
  `Human response: Selected: ${choice} (${id}, ${route}, <time>)`;
export const OPEN = (...ids: string[]) =>
  `No human response yet. Still open: ${ids.join(', ')}. Ask again to keep waiting.`;
