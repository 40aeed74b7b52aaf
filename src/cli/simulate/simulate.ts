// deepwork simulate: plays a workflow with scripted agents and reports which gates they got past.

import { loadBundle } from '../../bundles/load-bundle.ts';
import { toJsonText } from '../../core/json-text.ts';
import { type AgentName, SIMULATED_AGENTS } from '../../simulate/agents.ts';
import { bundled, readCommandLine, readWholeNumber, UsageError } from '../command-line.ts';
import { SIMULATE_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectAt } from '../project.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { readInputs, typedInputs } from '../written-inputs.ts';
import { simulationText } from './simulation-text.ts';

const DEFAULT_RUNS = 100;
const MAX_RUNS = 10_000;

export async function simulate(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'simulate', argv, SIMULATE_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw new UsageError('name what to simulate: deepwork simulate <job/workflow or guide>');
  }
  if (values['run-checks'] && refusesAgent(io, 'run the checks of a project in a simulation')) {
    return AGENTS_CANNOT;
  }
  const runs = readWholeNumber('--runs', values.runs ?? String(DEFAULT_RUNS), 1, MAX_RUNS);
  const inputs = readInputs(values.inputs ?? []);
  const found = await loadBundle('engine').simulate({
    projectRoot: projectAt(io, values.path),
    ...bundled(),
    env: io.env,
    name,
    runs,
    agents: agentsNamed(values.agent ?? 'all'),
    seed: readWholeNumber('--seed', values.seed ?? '1', 0, 2 ** 31),
    readInputs: (typeOf) => typedInputs(inputs, typeOf),
    runChecks: values['run-checks'] ?? false,
    onPlayed: io.stderr.isTTY ? (played) => showProgress(io, played, runs) : () => {},
  });
  const text = values.json ? `${toJsonText(found, 2)}\n` : simulationText(found);
  io.stdout.write(text);
  return found.holes.length > 0 ? 1 : 0;
}

/** On one line, which is cleared after the last run. */
function showProgress({ stderr }: Io, played: number, runs: number): void {
  const line = played === runs ? '' : `${played} of ${runs} runs played`;
  stderr.write(`\r\u001b[K${line}`);
}

function agentsNamed(given: string): readonly AgentName[] {
  if (given === 'all') return SIMULATED_AGENTS;
  const names = given.split(',').map((name) => name.trim());
  return names.map((name) => {
    const agent = SIMULATED_AGENTS.find((each) => each === name);
    if (agent !== undefined) return agent;
    throw new UsageError(`--agent must be one of ${SIMULATED_AGENTS.join(', ')}, all; got ${name}`);
  });
}
