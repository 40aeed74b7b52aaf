// Where the server of an agent runs. Only one in a process of its own can be killed.

export type ServerProcess = { readonly pid: number } | 'in this process';

export function killServer(server: ServerProcess): true {
  if (server === 'in this process') throw new Error('This would kill the test');
  return process.kill(server.pid, 'SIGKILL');
}
