// deepwork serve: reads the options before it loads the engine, chooses the transport, and serves over
// stdio; HTTP and SSE continue in `serve-http.ts`.

import { loadStdioEngine } from '../../bundles/load-bundle.ts';
import { shellSignsIn } from '../../core/command/shell-signs.ts';
import { isRunner, RUNNER_NAMES } from '../../gate/review/adapters/table.ts';
import { TOOLSETS, type Toolset } from '../../operations/toolsets.ts';
import { stdioCaller } from '../../server/caller-identity.ts';
import { openStdioConnection } from '../../server/stdio-connection.ts';
import { ignoreOtherSignals, stopRequested } from '../../server/stop.ts';
import { MAX_PORT, readOptions, readWholeNumber, UsageError } from '../command-line.ts';
import { projectAbove } from '../find-project.ts';
import { SERVE_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectAt, projectOptions } from '../project.ts';
import { printable } from '../terminal/printable.ts';
import { reportHeldBack, reportSettings } from './report-settings.ts';

export const TRANSPORTS = ['stdio', 'http', 'sse'] as const;

export async function serve(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'serve', argv, SERVE_HELP);
  if (values === null) return 0;
  const transport = TRANSPORTS.find((each) => each === values.transport);
  if (transport === undefined) {
    throw new UsageError(
      `--transport ${values.transport} is not supported. Use: ${TRANSPORTS.join(', ')}`,
    );
  }
  const runner = values['external-runner'];
  if (runner !== undefined && !isRunner(runner)) {
    const known = RUNNER_NAMES.join(', ');
    throw new UsageError(`--external-runner ${runner} is not supported. Use: ${known}`);
  }
  const projectRoot = projectAt(io, values.path ?? '.');
  warnAboutProjectAbove(io, projectRoot);
  const toolsets = readToolsets(values.tools);
  const port = readWholeNumber('--port', values.port ?? '8000', 0, MAX_PORT);
  const overrides = {
    enableQualityGate: values['no-quality-gate'] ? false : undefined,
    agentReviewCommand: values['quality-gate'],
    externalRunner: runner,
  } as const;
  const warning = shellSignsIn(values['quality-gate'] ?? '');
  if (warning !== null) io.stderr.write(`deepwork: --quality-gate ${warning}\n`);
  const trusted = values.trust ?? false;
  ignoreOtherSignals(io.signals, io.env);
  // While a server starts, a signal ends it with code 0, because no call has come in yet.
  const starting = new AbortController();
  const started = () => starting.abort();
  const stopped = stopRequested(io.signals, io.env, starting.signal).then(() => 0);
  if (transport !== 'stdio') {
    if (values.agent !== undefined) {
      throw new UsageError('--agent is for stdio; over HTTP each request names its agent');
    }
    const { serveHttp } = await import('./serve-http.ts');
    const launched = values['launched-after'];
    const serving = serveHttp(io, {
      started,
      projectRoot,
      toolsets,
      overrides,
      trusted,
      transport,
      host: values.host ?? '127.0.0.1',
      port,
      launchedAfter:
        launched === undefined
          ? null
          : readWholeNumber('--launched-after', launched, 0, Number.MAX_SAFE_INTEGER),
    });
    const code = await Promise.race([serving, stopped]);
    io.stdout.destroy();
    return code;
  }
  if (values.host !== undefined) throw new UsageError('--host needs --transport http or sse');
  const identity = stdioCaller(io.env, values.agent);

  if (io.stdin.isTTY) {
    io.stderr.write('deepwork: waiting for an MCP client on stdin (Ctrl-C to stop)\n');
  }
  const connection = openStdioConnection(io.stdin, io.stdout);
  const engine = loadStdioEngine();
  const workspace = engine.openWorkspace({
    ...projectOptions(io, projectRoot),
    trusted,
    overrides,
    ...(identity.owner.agent !== undefined && { agent: identity.owner.agent }),
    onHeld: reportHeldBack(io, projectRoot),
  });
  reportSettings(workspace);
  const served = engine.serveOverStdio(workspace, connection, {
    identity,
    toolsets,
    signals: io.signals,
  });
  started();
  await served;
  // Someone who does not read what is left must not keep a server alive.
  io.stdout.destroy();
  return 0;
}

/** A server started in a subfolder of a project finds no jobs. */
function warnAboutProjectAbove(io: Io, folder: string): void {
  const above = projectAbove(io.env, folder);
  if (above === null) return;
  const at = printable(above);
  io.stderr.write(
    `deepwork: there is no .deepwork in this folder, but one in ${at}. To serve that project: deepwork serve --path '${at}'\n`,
  );
}

function readToolsets(given: string | undefined): readonly Toolset[] {
  if (given === undefined) return TOOLSETS;
  const named = given.split(',').map((name) => name.trim());
  const toolsets = TOOLSETS.filter((toolset) => named.includes(toolset));
  if (toolsets.length === 0 || toolsets.length < new Set(named).size) {
    throw new UsageError(`--tools ${given} is not supported. Use some of: ${TOOLSETS.join(',')}`);
  }
  return toolsets;
}
