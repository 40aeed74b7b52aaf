// deepwork serve: opens the front door first and loads the engine behind it.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadEngine } from '../load-engine.ts';
import { FACES, type Face } from '../operations/faces.ts';
import { openFrontDoor } from '../server/front-door.ts';
import { type Greetings, NO_GREETINGS } from '../server/greetings.ts';
import { stdioSpeaker } from '../server/speaker.ts';
import { bundled, projectAt, readOptions, UsageError } from './command-line.ts';
import { SERVE_HELP } from './help.ts';

declare const __dirname: string;

/** A client that says nothing for this long gets no greeting out of turn. */
const QUIET_MS = 25;

export async function serve(argv: readonly string[]): Promise<number> {
  const { values } = readOptions('serve', {
    args: [...argv],
    options: {
      path: { type: 'string', default: '.' },
      transport: { type: 'string', default: 'stdio' },
      'quality-gate': { type: 'string' },
      'no-quality-gate': { type: 'boolean' },
      'external-runner': { type: 'string' },
      platform: { type: 'string' },
      trust: { type: 'boolean' },
      tools: { type: 'string' },
      agent: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(SERVE_HELP);
    return 0;
  }
  if (values.transport !== 'stdio') {
    throw new UsageError(`--transport ${values.transport} is not supported. Use: stdio`);
  }
  const runner = values['external-runner'];
  if (runner !== undefined && runner !== 'claude') {
    throw new UsageError(`--external-runner ${runner} is not supported. Use: claude`);
  }
  const projectRoot = projectAt(values.path);
  const faces = readFaces(values.tools);
  const speaker = stdioSpeaker(process.env, values.agent);

  if (process.stdin.isTTY) {
    process.stderr.write('deepwork: waiting for an MCP client on stdin (Ctrl-C to stop)\n');
  }
  const door = openFrontDoor(process.stdin, process.stdout, readGreetings());
  await Promise.race([
    door.knocked,
    door.closed,
    new Promise((resolve) => setTimeout(resolve, QUIET_MS)),
  ]);
  const engine = loadEngine();
  const workspace = engine.openWorkspace({
    projectRoot,
    ...bundled(),
    trusted: values.trust ?? false,
    overrides: {
      enableQualityGate: values['no-quality-gate'] ? false : undefined,
      agentReviewCommand: values['quality-gate'],
      externalRunner: runner,
    },
  });
  await engine.serveOverStdio(workspace, door, { speaker, faces });
  // Whatever still runs must not keep a server without a client alive.
  process.exit(0);
}

function readFaces(given: string | undefined): readonly Face[] {
  if (given === undefined) return FACES;
  const named = given.split(',').map((name) => name.trim());
  const faces = FACES.filter((face) => named.includes(face));
  if (faces.length === 0 || faces.length < new Set(named).size) {
    throw new UsageError(`--tools ${given} is not supported. Use some of: ${FACES.join(',')}`);
  }
  return faces;
}

function readGreetings(): Greetings {
  try {
    return JSON.parse(readFileSync(path.join(__dirname, 'greetings.json'), 'utf8'));
  } catch {
    return NO_GREETINGS;
  }
}
