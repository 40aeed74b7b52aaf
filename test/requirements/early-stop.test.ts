// A server that gets a signal before its first call exits with 0, even while it starts: its client
// must not see a crash. Signals after that are tested in `stdio-wire.test.ts`.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { cleanEnv, newHome } from '../support/http.ts';
import { newProject } from '../support/project.ts';
import { initialize, openWire } from '../support/wire.ts';

const PRELOAD = fileURLToPath(new URL('../support/signal-at-start.cjs', import.meta.url));
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const MOMENTS = ['turn', 'engine'] as const;
const TRANSPORTS = ['stdio', 'http', 'sse'] as const;

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

function endOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<End> {
  const child = spawn(process.execPath, [BINARY, 'serve', '--path', newProject().root, ...args], {
    env: { ...cleanEnv(newHome()), ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stderr }));
  });
}

describe.each(TRANSPORTS)('While it starts (%s)', (transport) => {
  const args = ['--transport', transport, ...(transport === 'stdio' ? [] : ['--port', '0'])];

  test.each(MOMENTS)('every signal ends it with 0: %s', async (moment) => {
    const ends = await Promise.all(
      SIGNALS.map((signal) =>
        endOf(args, {
          NODE_OPTIONS: `--require ${PRELOAD}`,
          SIGNAL_AT: moment,
          SIGNAL: signal,
        }),
      ),
    );
    for (const end of ends) expect(end).toEqual({ code: 0, signal: null, stderr: '' });
  });
});

describe('Before the first call', () => {
  test('SIGHUP does not end one that was started with nohup', async () => {
    const wire = openWire(newProject().root, BINARY, { _: '/usr/bin/nohup' });
    wire.send(initialize(1));
    await wire.next(1);
    wire.kill('SIGHUP');
    wire.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await wire.next(1))[0]).toMatchObject({ id: 2, result: {} });
    wire.kill('SIGTERM');
    expect(await wire.ended).toEqual({ code: 0, signal: null });
  });

  test('a closed input ends it with 0, whatever was sent before', async () => {
    const silent = openWire(newProject().root);
    silent.endInput();
    const greeted = openWire(newProject().root);
    greeted.send(initialize(1));
    greeted.endInput();
    for (const wire of [silent, greeted]) {
      expect(await wire.ended).toEqual({ code: 0, signal: null });
      expect(wire.log()).toBe('');
    }
    expect(greeted.lines()).toHaveLength(1);
  });
});
