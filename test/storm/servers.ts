// The servers of a storm: one over HTTP and several over stdio, all on one project. A slot is a
// place for a server; its process is killed again and again, and the next one takes its place.
// Clients ask a slot for its current process and call that one.

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { type Identity, startServer } from '../support/raw-server.ts';
import type { Answered, Recorder } from './history.ts';
import { callOverHttp, type HttpCaller } from './http-calls.ts';

export interface ServerProcess {
  /** `http#3`: the slot, and which of its processes. */
  readonly label: string;
  readonly pid: number;
  /** Where it listens; null over stdio. */
  readonly url: string | null;
  /** Null: there was no answer. */
  send(caller: HttpCaller, tool: string, args: object): Promise<Answered | null>;
  isAlive(): boolean;
  kill(): Promise<void>;
}

export interface Slot {
  readonly name: string;
  /** The current process, or the next one. */
  current(): Promise<ServerProcess>;
  /** The process id of the current one. */
  pid(): number | null;
  /** How many calls that process has been sent, and has answered. */
  sent(): number;
  answered(): number;
  /** Kills it with SIGKILL, whatever it is doing, and starts another. */
  replace(): Promise<void>;
  end(): Promise<void>;
}

export interface ServerSetup {
  readonly root: string;
  /** The offset of the servers' clocks, in milliseconds, is in the file DEEPWORK_TEST_CLOCK. */
  readonly env: Readonly<Record<string, string>>;
  readonly recorder: Recorder;
}

const NODE_ARGS = ['--require', fileURLToPath(new URL('./shift-clock.cjs', import.meta.url))];

export function stdioSlot(
  { root, env, recorder }: ServerSetup,
  name: string,
  identity: Identity,
  args: readonly string[] = ['--agent', name],
): Slot {
  return openSlot(name, recorder, async (label) => {
    const server = startServer(root, identity, { args, nodeArgs: NODE_ARGS, env });
    return {
      ...server,
      label,
      url: null,
      send: (_caller, tool, given) => server.send(tool, given),
    };
  });
}

export function httpSlot({ root, env, recorder }: ServerSetup, name: string): Slot {
  return openSlot(name, recorder, async (label, starting) => {
    const args = ['serve', '--transport', 'http', '--port', '0', '--path', root];
    const child = spawn(process.execPath, [...NODE_ARGS, BINARY, ...args], {
      env: { ...cleanEnv(env.HOME as string), ...env },
      cwd: path.dirname(BINARY),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    starting(child);
    return serverOverHttp(label, child);
  });
}

async function serverOverHttp(label: string, child: ChildProcess): Promise<ServerProcess> {
  let out = '';
  let alive = true;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      alive = false;
      resolve();
    });
  });
  const url = await new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      out += text;
      const found = /http:\/\/[^/\s]+/.exec(out)?.[0];
      if (out.includes('The log follows') && found !== undefined) resolve(found);
    });
    // Killed while it was starting: there is no address, and nothing will be sent.
    gone.then(() => resolve(''));
  });
  return {
    label,
    pid: child.pid as number,
    url,
    send: (caller, tool, args) =>
      url === '' ? Promise.resolve(null) : callOverHttp(url, label, caller, tool, args, gone),
    isAlive: () => alive,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

type Start = (
  label: string,
  /** Reports the process before it is ready, so that it can be killed while it starts. */
  starting: (child: ChildProcess) => void,
) => Promise<ServerProcess>;

function openSlot(name: string, recorder: Recorder, start: Start): Slot {
  let count = 0;
  let sent = 0;
  let answered = 0;
  let child: ChildProcess | null = null;
  let ready: ServerProcess | null = null;
  let process = begin();

  function begin(): Promise<ServerProcess> {
    count += 1;
    ready = null;
    child = null;
    sent = 0;
    answered = 0;
    const beginning: Promise<ServerProcess> = start(`${name}#${count}`, (starting) => {
      child = starting;
    }).then((server) => counting(server, beginning));
    beginning.then((server) => {
      if (process === beginning) ready = server;
    });
    return beginning;
  }

  function counting(server: ServerProcess, of: Promise<ServerProcess>): ServerProcess {
    return {
      ...server,
      async send(...call) {
        if (process === of) sent += 1;
        const answer = await server.send(...call);
        if (answer !== null && process === of) answered += 1;
        return answer;
      },
    };
  }

  async function kill(): Promise<void> {
    recorder.killed(`${name}#${count}`);
    child?.kill('SIGKILL');
    const server = await process;
    await server.kill();
    recorder.died(server.label);
  }

  return {
    name,
    current: () => process,
    pid: () => ready?.pid ?? child?.pid ?? null,
    sent: () => sent,
    answered: () => answered,
    async replace() {
      await kill();
      process = begin();
    },
    end: kill,
  };
}
