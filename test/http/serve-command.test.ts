// deepwork serve over HTTP as a person meets it: what it prints, and what it refuses.

import { expect, test } from 'vitest';
import { cleanEnv, connectOverHttp, newHome, serveOverHttp } from '../support/http.ts';
import { newProject } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';

test('it says where it is and how every client connects', async () => {
  const { out, url } = await serveOverHttp(newProject().root);
  for (const client of ['Claude Code', 'Codex', 'Gemini CLI', 'opencode', 'Cursor']) {
    expect(out()).toMatch(new RegExp(`${client} .*${url}/mcp`));
  }
});

test('--transport sse is the same server, shown by its older address', async () => {
  const project = newProject();
  const { out, url } = await serveOverHttp(project.root, { args: ['--transport', 'sse'] });
  expect(out()).toContain(`claude mcp add --transport sse deepwork ${url}/sse`);
  for (const era of ['sse', 'handshake'] as const) {
    expect((await (await connectOverHttp(url, { era })).listTools()).tools).not.toEqual([]);
  }
});

test('command lines that cannot be meant are refused, with what to write instead', async () => {
  const { root } = newProject();
  const home = newHome();
  const { port } = await serveOverHttp(root, { home });
  const wrong: [string[], RegExp][] = [
    [['--port', '0'], /need --transport http or sse/],
    [['--host', '127.0.0.1'], /need --transport http or sse/],
    [['--transport', 'http', '--port', '65536'], /--port 65536 is not a whole number/],
    [['--transport', 'http', '--port', '-1'], /--port|argument/],
    [['--transport', 'http', '--port', '1e3'], /--port 1e3 is not a whole number/],
    [['--transport', 'http', '--agent', 'a'], /--agent is for stdio/],
    [['--transport', 'http', '--port', String(port)], /is taken.*--port 0/],
  ];
  for (const [args, message] of wrong) {
    const ran = await deepwork(['serve', '--path', root, ...args], {
      cwd: root,
      env: cleanEnv(home),
    });
    expect({ code: ran.code, stdout: ran.stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
  }
});
