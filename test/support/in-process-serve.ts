// `deepwork serve --transport http` of the built command in the test's own process, on a real socket.
// For tests of what clients get over HTTP; servers that are killed are processes (`serveOverHttp`).

import {
  cleanEnv,
  type HttpServer,
  type HttpServerOptions,
  newHome,
  serveOverHttp,
} from './http.ts';
import { beginInProcess, CAN_RUN_HERE } from './in-process-command.ts';
import { until } from './until.ts';

export type ServedInProcess = Pick<HttpServer, 'url' | 'port' | 'home' | 'out' | 'log'>;

export async function serveHttpInProcess(
  root: string,
  options: HttpServerOptions = {},
): Promise<ServedInProcess> {
  if (!CAN_RUN_HERE) return serveOverHttp(root, options);
  const home = options.home ?? newHome();
  const more = options.args ?? [];
  const args = ['serve', '--transport', 'http', '--port', '0', '--path', root, ...more];
  const env = { ...cleanEnv(home), ...options.env };
  const { out, err, ended } = beginInProcess(args, { cwd: root, env });
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  await until(() => out().includes('The log follows') || isOver);
  const url = /http:\/\/[^/\s]+/.exec(out())?.[0];
  if (url === undefined) throw new Error(`The server did not start: ${err()}`);
  return { url, port: Number(new URL(url).port), home, out, log: err };
}
